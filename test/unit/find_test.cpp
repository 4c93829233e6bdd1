/* A string within a string: every target against the scalar twin, the twin against std::string. */
#include "kernel_test.h"
#include "kernels/find.h"

#include <memory>

using namespace millrace_test;

namespace {

/* A copy that ends where its memory does, so that sanitizers see what is read beyond. */
std::unique_ptr<char[]> Exact(const std::string& s) {
  std::unique_ptr<char[]> copy(new char[s.size()]);
  memcpy(copy.get(), s.data(), s.size());
  return copy;
}

void Check(const std::string& text, const std::string& needle) {
  const auto t = Exact(text);
  const auto p = Exact(needle);
  const size_t found = text.find(needle);
  const size_t expected = found == std::string::npos ? text.size() : found;
  ASSERT_EQ(expected, mr_find_bytes_scalar(t.get(), text.size(), p.get(), needle.size())) << Visible(text) << Visible(needle);
  ASSERT_EQ(expected, mr_find_bytes(t.get(), text.size(), p.get(), needle.size())) << Visible(text) << Visible(needle);
}

TEST(Find, EveryLengthAndPlace) {
  ForEachTarget([](const char*) {
    for (size_t m = 1; m <= 40; m++) {
      const std::string needle = "<" + std::string(m > 1 ? m - 2 : 0, '-') + (m > 1 ? ">" : "");
      for (size_t n = 0; n <= 90; n++) {
        Check(std::string(n, '.'), needle);
        if (n < m) continue;
        for (size_t at = 0; at + m <= n; at += 1 + at / 20) {
          std::string text(n, '.');
          text.replace(at, m, needle);
          Check(text, needle);
        }
      }
    }
  });
}

TEST(Find, FewLetters) {
  ForEachTarget([](const char*) {
    Random random(1);
    for (int round = 0; round < 20000; round++)
      Check(random.Text(random.Below(100), "ab", 100), random.Text(1 + random.Below(7), "ab", 100));
  });
}

TEST(Find, HighBytes) {
  ForEachTarget([](const char*) {
    Random random(2);
    for (int round = 0; round < 5000; round++)
      Check(random.Text(random.Below(60), "\x80\xff\xc3\xa9", 90), random.Text(1 + random.Below(4), "\x80\xff\xc3\xa9", 90));
  });
}

}  // namespace

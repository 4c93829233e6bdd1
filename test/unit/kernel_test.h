/*
 * kernel_test.h: what the tests of the kernels share: a text buffer with the
 * promised slack and not a byte more, random input that is mostly special bytes,
 * and a loop over every SIMD target of this machine.
 */
#pragma once
#include <gtest/gtest.h>
#include <stdint.h>
#include <string.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "base/plain.h"
#include "kernels/simd_target.h"

namespace millrace_test {

/*
 * A copy of `text` at `alignment` bytes past a 64-byte boundary, with MR_SLACK
 * bytes of `filler` around it. What lies beyond is the sanitizer's.
 */
class SlackBuffer {
 public:
  explicit SlackBuffer(std::string_view text, size_t alignment = 0, char filler = '\n')
      : size_(MR_SLACK + alignment + text.size() + MR_SLACK),
        bytes_(static_cast<char*>(aligned_alloc(64, (size_ + 63) / 64 * 64))) {
    memset(bytes_.get(), filler, size_);
    begin_ = MR_SLACK + alignment;
    memcpy(bytes_.get() + begin_, text.data(), text.size());
  }
  char* base() { return bytes_.get(); }
  char* text() { return bytes_.get() + begin_; }
  uint32_t begin() const { return static_cast<uint32_t>(begin_); }

 private:
  struct Free {
    void operator()(char* p) const { free(p); }
  };
  size_t size_;
  size_t begin_;
  std::unique_ptr<char[], Free> bytes_;
};

/* Calls test(name) with each SIMD target forced, and proves each time that it is the one that runs. */
template <class F>
void ForEachTarget(F test) {
  for (int i = 0; const char* name = mr_simd_supported(i); i++) {
    SCOPED_TRACE(name);
    ASSERT_EQ(0, mr_simd_force(name));
    ASSERT_STREQ(name, mr_simd_target());
    ASSERT_STREQ(name, mr_simd_probe());
    test(name);
    if (testing::Test::HasFatalFailure()) break;
  }
  mr_simd_force("auto");
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(engine_() % n); }
  /* n bytes, about `percent` of a hundred from `specials`, the rest from `plain`. */
  std::string Text(size_t n, std::string_view specials, uint32_t percent,
                   std::string_view plain = "abcxyz012 ") {
    std::string text(n, ' ');
    for (char& c : text) {
      std::string_view from = Below(100) < percent ? specials : plain;
      c = from[Below(static_cast<uint32_t>(from.size()))];
    }
    return text;
  }

 private:
  std::mt19937 engine_;
};

/* Shows a text with its control bytes readable. */
inline std::string Visible(std::string_view text) { return testing::PrintToString(std::string(text)); }

}  // namespace millrace_test

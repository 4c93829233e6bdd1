/* Field values: scalar against PostgreSQL's rules, every SIMD target against scalar. */
#include "kernels/unescape.h"

#include "copy_rules.h"
#include "kernel_test.h"

using namespace millrace_test;

namespace {

constexpr char kText[] = "\\\\\\\\bfnrtvBFNRTVab\"\xC3\xA9\n\r.";
constexpr char kTextUndecided[] = "\\\\\\\\\\\\0123456789xX";

struct Result {
  int64_t length;
  std::string bytes;
  int was_quoted;
  bool operator==(const Result& other) const {
    return length == other.length && bytes == other.bytes && was_quoted == other.was_quoted;
  }
};
std::ostream& operator<<(std::ostream& to, const Result& r) {
  return to << r.length << " " << Visible(r.bytes) << (r.was_quoted ? " quoted" : "");
}

/* Runs an unescape kernel between buffers with no more slack than is promised. */
template <class F>
Result Run(F kernel, const std::string& text, size_t alignment) {
  SlackBuffer from(text, alignment, "\\\"'n"[text.size() % 4]);
  std::unique_ptr<char[]> to(new char[text.size() + MR_SLACK]);
  int was_quoted = 0;
  const int64_t length = kernel(from.text(), text.size(), to.get(), &was_quoted);
  return {length, length < 0 ? "" : std::string(to.get(), static_cast<size_t>(length)), was_quoted};
}

Result Text(const std::string& text, size_t alignment, decltype(&mr_unescape_text) kernel) {
  return Run([&](const char* s, size_t n, char* d, int*) { return kernel(s, n, d); }, text, alignment);
}

Result Csv(const std::string& text, char quote, char escape, size_t alignment,
           decltype(&mr_unquote_csv) kernel) {
  Result r = Run([&](const char* s, size_t n, char* d, int* q) { return kernel(s, n, quote, escape, d, q); },
                 text, alignment);
  return r;
}

/* What core makes of a text field; the delimiter is one that does not occur. */
Result CoreText(const std::string& text) {
  const auto fields = copy_rules::ReadAttributesText('\1', text);
  if (fields[0].numeric_escape) return {-1, "", 0};
  return {static_cast<int64_t>(fields[0].value.size()), fields[0].value, 0};
}

Result CoreCsv(const std::string& text, char quote, char escape) {
  std::vector<copy_rules::Field> fields;
  if (!copy_rules::ReadAttributesCsv('\1', quote, escape, text, &fields)) return {-1, "", 1};
  return {static_cast<int64_t>(fields[0].value.size()), fields[0].value, fields[0].saw_quote};
}

std::string RandomText(Random& random, size_t n) {
  static const uint32_t percents[] = {0, 3, 20, 60, 100};
  std::string text = random.Text(n, kText, percents[random.Below(5)], "abcxyz089 ");
  if (n > 0 && random.Below(4) == 0) {
    const std::string undecided = random.Text(3, kTextUndecided, 90);
    for (size_t i = 0, at = random.Below(static_cast<uint32_t>(n)); i < 3 && at < n; i++, at++)
      text[at] = undecided[i];
  }
  /* Most texts should have a value: keep digits and x away from backslashes. */
  if (random.Below(4) != 0)
    for (size_t i = 0; i < n; i++)
      if ((text[i] >= '0' && text[i] <= '9') || text[i] == 'x') text[i] = 'q';
  return text;
}

constexpr struct {
  char quote, escape;
} kCsvFormats[] = {{'"', '"'}, {'"', '\\'}, {'\'', '~'}, {'\\', '"'}, {'a', 'b'}};

std::string RandomCsv(Random& random, size_t n, char quote, char escape) {
  static const uint32_t percents[] = {1, 5, 30, 60, 100};
  std::string text =
      random.Text(n, std::string{quote, escape, quote, escape, 'z'}, percents[random.Below(5)]);
  if (n > 1 && random.Below(2)) text.front() = text.back() = quote;
  return text;
}

TEST(Unescape, ScalarFollowsPostgres) {
  Random random(1);
  for (size_t n = 0; n <= 300; n++)
    for (int i = 0; i < 40; i++) {
      const std::string text = RandomText(random, n);
      ASSERT_EQ(CoreText(text), Text(text, 0, mr_unescape_text_scalar)) << Visible(text);
      for (auto f : kCsvFormats) {
        const std::string csv = RandomCsv(random, n, f.quote, f.escape);
        ASSERT_EQ(CoreCsv(csv, f.quote, f.escape), Csv(csv, f.quote, f.escape, 0, mr_unquote_csv_scalar))
            << f.quote << f.escape << " " << Visible(csv);
      }
    }
}

TEST(Unescape, EveryByteAfterABackslash) {
  ForEachTarget([](const char*) {
    for (int c = 2; c < 256; c++)
      for (size_t before = 0; before <= 130; before++) {
        const std::string text =
            std::string(before, 'a') + "\\" + static_cast<char>(c) + std::string(before % 70, 'b');
        ASSERT_EQ(CoreText(text), Text(text, 0, mr_unescape_text)) << Visible(text);
        const std::string twice = std::string(before, 'a') + "\\\\" + static_cast<char>(c);
        ASSERT_EQ(CoreText(twice), Text(twice, 0, mr_unescape_text)) << Visible(twice);
      }
  });
}

TEST(Unescape, CsvExhaustively) {
  ForEachTarget([](const char*) {
    for (auto f : kCsvFormats)
      for (size_t n = 0; n <= 7; n++)
        for (size_t k = 0; k < size_t{1} << (2 * n); k++)
          for (size_t before : {0, 62}) {
            std::string text(before, 'x');
            if (before > 0 && k % 2) text[0] = f.quote;
            for (size_t i = 0; i < n; i++)
              text += std::string{f.quote, f.escape, 'x', ' '}[(k >> (2 * i)) & 3];
            ASSERT_EQ(CoreCsv(text, f.quote, f.escape), Csv(text, f.quote, f.escape, 0, mr_unquote_csv))
                << f.quote << f.escape << " " << Visible(text);
          }
  });
}

TEST(Unescape, EveryAlignmentAndLength) {
  ForEachTarget([](const char*) {
    Random random(2);
    size_t turn = 0;
    for (size_t alignment = 0; alignment <= 64; alignment++)
      for (size_t n = 0; n <= 300; n++) {
        const std::string text = RandomText(random, n);
        ASSERT_EQ(Text(text, alignment, mr_unescape_text_scalar), Text(text, alignment, mr_unescape_text))
            << Visible(text);
        const auto f = kCsvFormats[turn++ % 5];
        const std::string csv = RandomCsv(random, n, f.quote, f.escape);
        ASSERT_EQ(Csv(csv, f.quote, f.escape, alignment, mr_unquote_csv_scalar),
                  Csv(csv, f.quote, f.escape, alignment, mr_unquote_csv))
            << f.quote << f.escape << " " << Visible(csv);
      }
  });
}

}  // namespace

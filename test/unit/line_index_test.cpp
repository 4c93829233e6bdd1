/* The structural index: scalar against PostgreSQL's rules, every SIMD target against scalar. */
#include "index_check.h"
#include "kernel_test.h"

using index_check::OwnedIndex;
using namespace millrace_test;

namespace {

std::vector<MrFormat> Formats() {
  std::vector<MrFormat> formats;
  for (uint8_t eol : {MR_EOL_NL, MR_EOL_CR, MR_EOL_CRNL}) {
    formats.push_back({0, eol, '\t', 0, 0});
    formats.push_back({0, eol, '|', 0, 0});
    formats.push_back({1, eol, ',', '"', '"'});
    formats.push_back({1, eol, ',', '"', '\\'});
    formats.push_back({1, eol, ';', '\'', '~'});
    formats.push_back({1, eol, ',', '"', ','}); /* the escape is the delimiter: legal, if odd */
    formats.push_back({1, eol, ',', '\\', '"'});
  }
  return formats;
}

std::string Describe(const MrFormat& f) {
  return std::string(f.csv ? "csv" : "text") + " eol " + std::to_string(f.eol) + " delim " + f.delim +
         " quote " + f.quote + " escape " + f.escape;
}

/* Bytes that mean something in the format; terminators of its own kind more often than of others. */
std::string Specials(const MrFormat& f) {
  std::string specials;
  if (f.csv)
    specials += {f.delim, f.quote, f.quote, f.quote, f.escape, f.escape, '\\', '.'};
  else
    specials += {f.delim, '\\', '\\', f.delim, '\\', '\t'};
  return specials;
}

std::string RandomText(Random& random, const MrFormat& f, size_t n) {
  static const uint32_t percents[] = {3, 15, 40, 70, 95};
  std::string text = random.Text(n, Specials(f), percents[random.Below(5)]);
  static const char* terminators[] = {"\n", "\r", "\r\n"};
  const std::string own = terminators[f.eol];
  for (size_t at = random.Below(40); at < n; at += random.Below(random.Below(2) ? 8 : 90) + own.size())
    for (size_t i = 0; i < own.size() && at + i < n; i++) text[at + i] = own[i];
  /* Now and then something for PostgreSQL to judge. */
  if (n > 0 && random.Below(3) == 0)
    text[random.Below(static_cast<uint32_t>(n))] = random.Below(2) ? '\r' : '\n';
  if (n > 1 && !f.csv && random.Below(4) == 0) {
    const size_t at = random.Below(static_cast<uint32_t>(n - 1));
    text[at] = '\\';
    text[at + 1] = '.';
  }
  return text;
}

void CheckScalar(const MrFormat& f, const std::string& text) {
  SlackBuffer buffer(text);
  const uint32_t end = buffer.begin() + static_cast<uint32_t>(text.size());
  OwnedIndex scalar(text.size());
  scalar.Fill(mr_index_rows_scalar, f, buffer.base(), buffer.begin(), end);
  ASSERT_EQ("", index_check::CheckByRules(f, buffer.base(), buffer.begin(), end, scalar))
      << Describe(f) << " " << Visible(text);
}

void CheckSimd(const MrFormat& f, const std::string& text, size_t alignment, char filler) {
  SlackBuffer buffer(text, alignment, filler);
  const uint32_t end = buffer.begin() + static_cast<uint32_t>(text.size());
  OwnedIndex scalar(text.size()), simd(text.size());
  scalar.Fill(mr_index_rows_scalar, f, buffer.base(), buffer.begin(), end);
  simd.Fill(mr_index_rows, f, buffer.base(), buffer.begin(), end);
  ASSERT_EQ("", index_check::Same(simd, scalar))
      << Describe(f) << " alignment " << alignment << " " << Visible(text);
}

TEST(LineIndex, ScalarFollowsPostgres) {
  Random random(1);
  for (const MrFormat& f : Formats())
    for (size_t n = 0; n <= 300; n++)
      for (int i = 0; i < 8; i++) ASSERT_NO_FATAL_FAILURE(CheckScalar(f, RandomText(random, f, n)));
}

/* All texts of up to six bytes over a small alphabet: nothing short is left out. */
TEST(LineIndex, ScalarFollowsPostgresExhaustively) {
  for (const MrFormat& f : Formats()) {
    std::string letters = {f.delim, '\n', '\r', 'a'};
    if (f.csv)
      letters += {f.quote, f.escape};
    else
      letters += "\\.";
    for (size_t n = 0; n <= 6; n++) {
      size_t count = 1;
      for (size_t i = 0; i < n; i++) count *= letters.size();
      for (size_t k = 0; k < count; k++) {
        std::string text(n, ' ');
        size_t rest = k;
        for (char& c : text) c = letters[rest % letters.size()], rest /= letters.size();
        ASSERT_NO_FATAL_FAILURE(CheckScalar(f, text));
      }
    }
  }
}

TEST(LineIndex, EveryAlignmentAndLength) {
  ForEachTarget([](const char*) {
    Random random(2);
    const std::vector<MrFormat> formats = Formats();
    size_t turn = 0;
    for (size_t alignment = 0; alignment <= 64; alignment++)
      for (size_t n = 0; n <= 300; n++) {
        /* Three formats a step: every format meets every alignment and every length. */
        for (int i = 0; i < 3; i++) {
          const MrFormat& f = formats[turn++ % formats.size()];
          ASSERT_NO_FATAL_FAILURE(
              CheckSimd(f, RandomText(random, f, n), alignment, "\n\"\\\r,."[random.Below(6)]));
        }
      }
  });
}

TEST(LineIndex, LongInput) {
  ForEachTarget([](const char*) {
    Random random(3);
    for (const MrFormat& f : Formats())
      for (int i = 0; i < 30; i++) {
        std::string text = RandomText(random, f, 3000 + random.Below(3000));
        ASSERT_NO_FATAL_FAILURE(CheckSimd(f, text, random.Below(65), 'x'));
        /* Without what must be judged the scan goes all the way. */
        for (char& c : text)
          if (c == '.' || c == (f.eol == MR_EOL_NL ? '\r' : '\n')) c = 'z';
        if (f.eol == MR_EOL_CRNL)
          for (size_t at = 0; at < text.size(); at++)
            if (text[at] == '\r') text[at] = at + 1 < text.size() ? (text[at + 1] = '\n', '\r') : 'z';
        ASSERT_NO_FATAL_FAILURE(CheckSimd(f, text, random.Below(65), 'x'));
      }
  });
}

/* Runs of backslashes, escapes and quotes of every length across every place of a block's edge. */
TEST(LineIndex, RunsAcrossBlocks) {
  ForEachTarget([](const char*) {
    for (const MrFormat& f : Formats())
      for (size_t before = 50; before <= 66; before++)
        for (size_t run = 0; run <= 80; run++)
          for (const char* after : {"\n", "\r", "\r\n", ".", ",", "\t", "\"", "'", ""}) {
            const char c = f.csv ? f.escape : '\\';
            for (int quoted = 0; quoted <= f.csv; quoted++) {
              std::string text = (quoted ? std::string(1, f.quote) : std::string()) +
                                 std::string(before, 'a') + std::string(run, c) + after + "b\nc\r\nd" +
                                 f.quote + "\n";
              ASSERT_NO_FATAL_FAILURE(CheckSimd(f, text, 0, '\n'));
              CheckScalar(f, text);
            }
          }
  });
}

/* What ends a chunk is not judged: the CR of a CRNL, a backslash, an open quote. */
TEST(LineIndex, ChunkEnds) {
  ForEachTarget([](const char*) {
    for (size_t n = 1; n <= 200; n++) {
      const std::string body = std::string(n - 1, 'a');
      SlackBuffer cr(body + "\r"), backslash(body + "\\", 0, '.'), quote("\"" + body);
      const MrFormat crnl = {0, MR_EOL_CRNL, '\t', 0, 0};
      const MrFormat nl = {0, MR_EOL_NL, '\t', 0, 0};
      const MrFormat csv = {1, MR_EOL_NL, ',', '"', '"'};
      const uint32_t end = cr.begin() + static_cast<uint32_t>(n);
      OwnedIndex a(n), b(n), c(n);
      a.Fill(mr_index_rows, crnl, cr.base(), cr.begin(), end);
      ASSERT_EQ(end, a.returned);
      ASSERT_TRUE(a.seps.empty() && a.row_end.empty() && a.odd.empty()) << n;
      b.Fill(mr_index_rows, nl, backslash.base(), backslash.begin(), end);
      ASSERT_EQ(end, b.returned);
      ASSERT_EQ(1u, b.odd.size());
      ASSERT_EQ(end - 1, b.odd[0]);
      c.Fill(mr_index_rows, csv, quote.base(), quote.begin(), end);
      ASSERT_EQ(end, c.returned);
      ASSERT_TRUE(c.seps.empty() && c.row_end.empty() && c.odd.empty()) << n;
    }
  });
}

TEST(LineIndex, OddFields) {
  const MrFormat csv = {1, MR_EOL_NL, ',', '"', '"'};
  const MrFormat escape = {1, MR_EOL_NL, ',', '"', '\\'};
  struct Case {
    const MrFormat* format;
    const char* text;
    std::vector<uint32_t> odd;
  } cases[] = {
      {&csv, "\"a\",\"b,c\",\"\"\n\"x\ny\"\n", {}},
      {&csv, "\"a\"\"b\"\n", {3}},
      {&csv, "a\"b\"\n", {1}},
      {&csv, "\"a\"b\n", {3}},
      {&escape, "\"a\\\"b\"\n", {2}},
      {&escape, "a\\b\n", {}},
      {&escape, "\"\\n\"\n", {1}},
  };
  ForEachTarget([&](const char*) {
    for (const Case& c : cases) {
      const std::string text = c.text;
      SlackBuffer buffer(text);
      OwnedIndex index(text.size());
      index.Fill(mr_index_rows, *c.format, buffer.base(), buffer.begin(),
                 buffer.begin() + static_cast<uint32_t>(text.size()));
      std::vector<uint32_t> odd = c.odd;
      for (uint32_t& at : odd) at += buffer.begin();
      EXPECT_EQ(odd, index.odd) << text;
    }
  });
}

}  // namespace

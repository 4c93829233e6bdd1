/* UTF-8: scalar against pg_utf8_verifystr(), every SIMD target against scalar. */
#include "kernels/utf8.h"

#include "copy_rules.h"
#include "kernel_test.h"

using namespace millrace_test;

namespace {

/* A character of the given length in bytes, valid. */
std::string Character(Random& random, int bytes) {
  static const uint32_t first[] = {0x01, 0x80, 0x800, 0x10000};
  static const uint32_t last[] = {0x7F, 0x7FF, 0xFFFF, 0x10FFFF};
  uint32_t c;
  do {
    c = first[bytes - 1] + random.Below(last[bytes - 1] - first[bytes - 1] + 1);
    if (random.Below(8) == 0) c = random.Below(2) ? first[bytes - 1] : last[bytes - 1];
  } while (c >= 0xD800 && c <= 0xDFFF);
  std::string s;
  if (bytes == 1) return s += static_cast<char>(c);
  for (int i = bytes - 1; i > 0; i--, c >>= 6) s.insert(s.begin(), static_cast<char>(0x80 | (c & 0x3F)));
  static const int lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  s.insert(s.begin(), static_cast<char>(lead[bytes] | static_cast<int>(c)));
  return s;
}

/* About n bytes: valid text, cut at n, which perhaps breaks the last character; or with a few bytes spoilt.
 */
std::string RandomText(Random& random, size_t n) {
  static const uint32_t percents[] = {0, 2, 20, 60, 100};
  const uint32_t beyond_ascii = percents[random.Below(5)];
  std::string text;
  while (text.size() < n)
    text += Character(random, random.Below(100) < beyond_ascii ? 2 + static_cast<int>(random.Below(3)) : 1);
  text.resize(n);
  static const unsigned char bad[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1,
                                      0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xF8, 0xFF};
  if (n > 0 && random.Below(2) == 0)
    for (uint32_t i = random.Below(3); i > 0; i--)
      text[random.Below(static_cast<uint32_t>(n))] = static_cast<char>(bad[random.Below(sizeof(bad))]);
  return text;
}

void CheckScalar(const std::string& text) {
  ASSERT_EQ(copy_rules::Utf8VerifyStr(text), mr_utf8_valid_prefix_scalar(text.data(), text.size()))
      << Visible(text);
}

void CheckSimd(const std::string& text, size_t alignment, char filler) {
  SlackBuffer buffer(text, alignment, filler);
  const char* s = buffer.text();
  const size_t n = text.size();
  ASSERT_EQ(mr_utf8_valid_prefix_scalar(s, n), mr_utf8_valid_prefix(s, n))
      << alignment << " " << Visible(text);
  ASSERT_EQ(mr_utf8_count_scalar(s, n), mr_utf8_count(s, n)) << alignment << " " << Visible(text);
  ASSERT_EQ(mr_nul_free_prefix_scalar(s, n), mr_nul_free_prefix(s, n)) << alignment << " " << Visible(text);
}

TEST(Utf8, ScalarFollowsPostgres) {
  Random random(1);
  for (size_t n = 0; n <= 300; n++)
    for (int i = 0; i < 200; i++) ASSERT_NO_FATAL_FAILURE(CheckScalar(RandomText(random, n)));
}

/* Every sequence of two bytes, and every one of three and four made of the bytes at which the rules change.
 */
std::vector<std::string> ShortSequences() {
  std::vector<std::string> all;
  for (int a = 0; a < 256; a++)
    for (int b = 0; b < 256; b++) all.push_back({static_cast<char>(a), static_cast<char>(b)});
  const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF,
                                 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
                                 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF};
  for (unsigned char a : edges)
    for (unsigned char b : edges)
      for (unsigned char c : edges) {
        all.push_back({static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)});
        for (unsigned char d : edges)
          all.push_back(
              {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c), static_cast<char>(d)});
      }
  return all;
}

TEST(Utf8, ScalarFollowsPostgresExhaustively) {
  for (const std::string& sequence : ShortSequences()) {
    ASSERT_NO_FATAL_FAILURE(CheckScalar(sequence));
    ASSERT_NO_FATAL_FAILURE(CheckScalar(sequence + "\x80"
                                                   "a"));
  }
}

TEST(Utf8, ShortSequencesAtBlockEdges) {
  const std::vector<std::string> sequences = ShortSequences();
  ForEachTarget([&](const char*) {
    size_t turn = 0;
    for (const std::string& sequence : sequences) {
      /* The places around a block's edge, and a stride's, one after the other. */
      static const size_t places[] = {0, 1, 60, 61, 62, 63, 64, 124, 125, 126, 127, 317, 318, 319, 320};
      const size_t place = places[turn++ % (sizeof(places) / sizeof(places[0]))];
      const std::string text = std::string(place, 'a') + sequence + std::string(turn % 3 ? 300 : 0, 'b');
      ASSERT_EQ(mr_utf8_valid_prefix_scalar(text.data(), text.size()),
                mr_utf8_valid_prefix(text.data(), text.size()))
          << place << " " << Visible(text);
    }
  });
}

TEST(Utf8, EveryAlignmentAndLength) {
  ForEachTarget([](const char*) {
    Random random(2);
    for (size_t alignment = 0; alignment <= 64; alignment++)
      for (size_t n = 0; n <= 300; n++)
        for (int i = 0; i < 2; i++)
          ASSERT_NO_FATAL_FAILURE(
              CheckSimd(RandomText(random, n), alignment, "\x00\x80\xF0"[random.Below(3)]));
  });
}

TEST(Utf8, LongInput) {
  ForEachTarget([](const char*) {
    Random random(3);
    for (int i = 0; i < 2000; i++)
      ASSERT_NO_FATAL_FAILURE(
          CheckSimd(RandomText(random, 300 + random.Below(3000)), random.Below(65), '\x80'));
  });
}

/* Validation promises to read nothing outside: an exact heap block shows it under the sanitizer. */
TEST(Utf8, ValidationNeedsNoSlack) {
  ForEachTarget([](const char*) {
    Random random(4);
    for (size_t n = 0; n <= 700; n++) {
      const std::string text = RandomText(random, n);
      std::unique_ptr<char[]> exact(new char[n]);
      memcpy(exact.get(), text.data(), n);
      ASSERT_EQ(copy_rules::Utf8VerifyStr(text), mr_utf8_valid_prefix(exact.get(), n)) << Visible(text);
    }
  });
}

}  // namespace

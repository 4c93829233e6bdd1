/*
 * convert_int_test.cpp: the integer converters against 128-bit arithmetic.
 */
#include "convert_testing.h"

namespace {

using namespace convert_testing;

template <typename T>
Outcome Expected(const std::string& s, size_t max_digits) {
  const bool neg = !s.empty() && s[0] == '-';
  if (neg && !std::is_signed<T>::value) return Refused();
  const std::string digits = s.substr(neg);
  if (digits.empty() || digits.size() > max_digits) return Refused();
  if (digits.find_first_not_of("0123456789") != std::string::npos) return Refused();
  __int128 v = 0;
  for (char c : digits) v = v * 10 + (c - '0');
  if (neg) v = -v;
  if (v < std::numeric_limits<T>::min() || v > std::numeric_limits<T>::max()) return Refused();
  return Value(static_cast<T>(v));
}

std::vector<std::string> Adversarial() {
  std::vector<std::string> pool = {"",
                                   "-",
                                   "--1",
                                   "+1",
                                   "1-",
                                   "-0",
                                   "0",
                                   "00",
                                   "00012",
                                   "-00012",
                                   "1.",
                                   ".5",
                                   " 1",
                                   "1 ",
                                   "1_000",
                                   "0x10",
                                   "1e3",
                                   "32767",
                                   "32768",
                                   "-32768",
                                   "-32769",
                                   "065535",
                                   "2147483647",
                                   "2147483648",
                                   "-2147483648",
                                   "-2147483649",
                                   "4294967295",
                                   "4294967296",
                                   "9999999999",
                                   "-9999999999",
                                   "9223372036854775807",
                                   "9223372036854775808",
                                   "-9223372036854775808",
                                   "-9223372036854775809",
                                   "9999999999999999999",
                                   "-9999999999999999999",
                                   "18446744073709551615",
                                   "18446744073709551616",
                                   "00000000000000000001",
                                   "-0000000000000000001",
                                   "12345678",
                                   "-12345678",
                                   "123456789",
                                   "1234567890123456",
                                   "-1234567890123456",
                                   "12345678901234567",
                                   std::string("1\0", 2),
                                   std::string("\0", 1),
                                   "\xff",
                                   "1\xb1",
                                   "\x80\x80",
                                   std::string(300, '1'),
                                   std::string(256, '0'),
                                   std::string(257, '7'),
                                   "-1-1",
                                   "1-1",
                                   "12345678-",
                                   "-23456789-123456"};
  for (int digits = 1; digits <= 21; digits++) {
    pool.push_back(std::string(digits, '9'));
    pool.push_back("-" + std::string(digits, '9'));
    pool.push_back("1" + std::string(digits - 1, '0'));
    for (int at = 0; at < digits; at++) {
      for (char c : {'/', ':', '-', '.', '\x00', '\xb5'}) {
        std::string s(digits, '5');
        s[at] = c;
        pool.push_back(s);
      }
    }
  }
  return pool;
}

std::vector<std::string> Pool(uint64_t seed, size_t max_len) {
  Random random(seed);
  std::vector<std::string> pool = Adversarial();
  for (int i = 0; i < 20000; i++) {
    std::string s = (random() % 3 == 0 ? "-" : "") + RandomDigits(random, 1 + random() % max_len);
    pool.push_back(random() % 8 == 0 ? Mutate(s, random) : s);
  }
  for (uint64_t centre : {uint64_t{32768}, uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 63}) {
    for (int d = -5; d <= 5; d++) {
      pool.push_back(std::to_string(centre + d));
      pool.push_back("-" + std::to_string(centre + d));
    }
  }
  pool.erase(
      std::remove_if(pool.begin(), pool.end(), [=](const std::string& s) { return s.size() > max_len; }),
      pool.end());
  std::shuffle(pool.begin(), pool.end(), random);
  return pool;
}

/* The longest field of a batch chooses the window, so pools of every width. */
template <typename T, typename F>
void CheckAll(F convert, size_t max_digits) {
  for (size_t width : {3, 5, 8, 9, 16, 17, 24, 400}) {
    CheckPool(
        Pool(width, width), FixedWidth<T>(convert),
        [=](const std::string& s) { return Expected<T>(s, max_digits); }, width);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(ConvertInt, Int2) { CheckAll<int16_t>(mr_convert_int2, 5); }
TEST(ConvertInt, Int4) { CheckAll<int32_t>(mr_convert_int4, 10); }
TEST(ConvertInt, Int8) { CheckAll<int64_t>(mr_convert_int8, 19); }
TEST(ConvertInt, Oid) { CheckAll<uint32_t>(mr_convert_oid, 10); }

TEST(ConvertInt, EveryInt2) {
  std::vector<std::string> pool;
  for (int v = -33000; v <= 33000; v++) pool.push_back(std::to_string(v));
  CheckPool(pool, FixedWidth<int16_t>(mr_convert_int2),
            [](const std::string& s) { return Expected<int16_t>(s, 5); });
}

}  // namespace

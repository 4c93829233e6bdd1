/*
 * convert_float_test.cpp: floats against the C library's strtof() and strtod().
 */
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "convert_testing.h"

namespace {

using namespace convert_testing;

float Parse(const char* s, char** end, float) { return strtof(s, end); }
double Parse(const char* s, char** end, double) { return strtod(s, end); }

template <typename T>
Outcome Expected(const std::string& s) {
  static const std::regex kSpelling("-?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?");
  if (s.find('\0') != std::string::npos || !std::regex_match(s, kSpelling)) return Refused();
  char* end;
  const T v = Parse(s.c_str(), &end, T());
  if (end != s.c_str() + s.size()) return Refused();
  const bool zero = s.substr(0, s.find_first_of("eE")).find_first_of("123456789") == std::string::npos;
  const T smallest = sizeof(T) == 4 ? static_cast<T>(FLT_MIN) : static_cast<T>(DBL_MIN);
  if (std::isinf(v) || (std::fabs(v) < smallest && !zero)) return Refused();
  return Value(v);
}

const std::vector<std::string> kFixed = {"",
                                         "-",
                                         ".",
                                         "-.",
                                         "e",
                                         "e5",
                                         ".e5",
                                         "-.e5",
                                         "1e",
                                         "1e+",
                                         "1e-",
                                         "1e5",
                                         "1E5",
                                         "1e+5",
                                         "1e-5",
                                         "1.e5",
                                         ".5e5",
                                         "5.",
                                         ".5",
                                         "-.5",
                                         "-5.",
                                         "0",
                                         "-0",
                                         "-0.0",
                                         "0e5",
                                         "-0e999",
                                         "0e99999999999999999999",
                                         "1e99999999999999999999",
                                         "1e-99999999999999999999",
                                         "1..2",
                                         "1.2.3",
                                         "--1",
                                         "+1",
                                         "1-",
                                         "nan",
                                         "NaN",
                                         "inf",
                                         "-inf",
                                         "Infinity",
                                         "0x10",
                                         "0x1p3",
                                         " 1",
                                         "1 ",
                                         "1_0",
                                         "1e5 ",
                                         "1e5.",
                                         "1e5e5",
                                         "1ee5",
                                         "1e--5",
                                         "1e+-5",
                                         "1f",
                                         "1d",
                                         "1.7976931348623157e308",
                                         "1.7976931348623158e308",
                                         "1.7976931348623159e308",
                                         "1.797693134862315808e308",
                                         "1e308",
                                         "1e309",
                                         "2.2250738585072014e-308",
                                         "2.2250738585072013e-308",
                                         "2.2250738585072012e-308",
                                         "2.2250738585072011e-308",
                                         "4.9e-324",
                                         "2.4e-324",
                                         "3.4028234663852886e38",
                                         "3.4028235e38",
                                         "3.4028236e38",
                                         "3.40282356779733e38",
                                         "340282346638528859811704183484516925440",
                                         "1.17549435e-38",
                                         "1.17549431e-38",
                                         "1.1754942e-38",
                                         "1.4e-45",
                                         "16777216",
                                         "16777217",
                                         "16777218",
                                         "16777219",
                                         "33554431",
                                         "16777217.5",
                                         "16777217.0000001",
                                         "16777216.9999999",
                                         "16777217.00000001",
                                         "8388608.5",
                                         "8388609.5",
                                         "0.500000029802322",
                                         "0.50000002980232238769",
                                         "0.50000002980232238770",
                                         "9007199254740992",
                                         "9007199254740993",
                                         "9007199254740994",
                                         "9007199254740995",
                                         "9007199254740993.0",
                                         "9007199254740992.999999999999999",
                                         "9007199254740993.00000000000000000000001",
                                         "123456789012345",
                                         "1234567890123456",
                                         "999999999999999",
                                         "9999999999999999",
                                         "99999999999999.9",
                                         ".123456789012345",
                                         "0.12345678901234",
                                         "0.123456789012345",
                                         "1.00000000000000",
                                         "100000000000000000000",
                                         "123456789012345678901234567890",
                                         "0.1",
                                         "0.2",
                                         "0.3",
                                         "0.7",
                                         "1e22",
                                         "1e23",
                                         "1e-22",
                                         "1e-23",
                                         "123456789e-20",
                                         "8.5e15",
                                         "5e-324",
                                         "0.000000000000000000000000000000000000000000001",
                                         "1e0000000000000000000005",
                                         "0.0000000000000000000",
                                         "0000000000000000000000000000001",
                                         std::string("1\0", 2),
                                         std::string("1.5\0", 4),
                                         "1\xff",
                                         "\xb1",
                                         ".\xae",
                                         "1.\xae",
                                         std::string(300, '1'),
                                         "0." + std::string(400, '0') + "1e400",
                                         std::string(800, '9') + ".5e-790"};

template <typename T>
std::vector<std::string> Pool(uint64_t seed) {
  Random random(seed);
  std::vector<std::string> pool = kFixed;
  char text[512];
  for (int i = 0; i < 60000; i++) {
    uint64_t bits = random();
    double v;
    memcpy(&v, &bits, 8);
    float f;
    memcpy(&f, &bits, 4);
    const int digits = 1 + static_cast<int>(random() % 21);
    const double unit = static_cast<double>(random() >> 11) / 9007199254740992.0;
    switch (random() % 8) {
      case 0:
        snprintf(text, sizeof(text), "%.*g", digits, sizeof(T) == 4 ? static_cast<double>(f) : v);
        break;
      case 1:
        snprintf(text, sizeof(text), "%.*e", digits,
                 (unit - 0.5) * std::pow(10, static_cast<double>(random() % 80) - 40));
        break;
      case 2: /* halfway between two floats, or near it */
        f = std::fabs(f);
        if (!(f > 1e-6f && f < 1e6f)) f = 1.5f + static_cast<float>(random() % 1000);
        snprintf(text, sizeof(text), "%.*f", 5 + static_cast<int>(random() % 25),
                 (static_cast<double>(f) + static_cast<double>(std::nextafter(f, 1e30f))) / 2);
        break;
      case 3: /* halfway between two doubles */
        snprintf(text, sizeof(text), "%.*f", static_cast<int>(random() % 3),
                 9007199254740992.0 + static_cast<double>(random() % 100));
        break;
      case 4:
        snprintf(text, sizeof(text), "%.*f", static_cast<int>(random() % 10), (unit - 0.3) * 1e6);
        break;
      default: {
        std::string s = (random() % 4 == 0 ? "-" : "") + RandomDigits(random, random() % 12);
        if (random() % 3) s += "." + RandomDigits(random, random() % 12);
        snprintf(text, sizeof(text), "%s", s.c_str());
      }
    }
    std::string s = text;
    pool.push_back(random() % 8 == 0 ? Mutate(s, random) : s);
  }
  std::shuffle(pool.begin(), pool.end(), random);
  return pool;
}

TEST(ConvertFloat, Float4) {
  CheckPool(Pool<float>(1), FixedWidth<float>(mr_convert_float4), Expected<float>);
}
TEST(ConvertFloat, Float8) {
  CheckPool(Pool<double>(2), FixedWidth<double>(mr_convert_float8), Expected<double>);
}

/* Short decimals around the midpoints of floats: where rounding twice would show. */
TEST(ConvertFloat, Float4Midpoints) {
  std::vector<std::string> pool;
  char text[64];
  for (int i = 0; i < 20000; i++) {
    const double middle = 8388608.0 + i + 0.5;
    snprintf(text, sizeof(text), "%.1f", middle);
    pool.push_back(text);
    snprintf(text, sizeof(text), "%.7f", middle + (i % 3 - 1) * 1e-7);
    pool.push_back(text);
    snprintf(text, sizeof(text), "-%d", 16777217 + 2 * i);
    pool.push_back(text);
  }
  CheckPool(pool, FixedWidth<float>(mr_convert_float4), Expected<float>);
}

}  // namespace

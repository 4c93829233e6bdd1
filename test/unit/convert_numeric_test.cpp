/*
 * convert_numeric_test.cpp: numeric against the definition of its stored form,
 * written with plain decimal strings.
 */
#include "convert_testing.h"

namespace {

using namespace convert_testing;

/* The stored bytes: header, then base-10000 digits. */
std::string Stored(bool neg, std::string integral, std::string fraction, int dscale) {
  while (integral.size() % 4 != 0) integral = "0" + integral;
  while (fraction.size() % 4 != 0) fraction += "0";
  std::vector<uint16_t> groups;
  int weight = static_cast<int>(integral.size()) / 4 - 1;
  const std::string all = integral + fraction;
  for (size_t i = 0; i < all.size(); i += 4)
    groups.push_back(static_cast<uint16_t>(std::stoi(all.substr(i, 4))));
  while (!groups.empty() && groups.front() == 0) groups.erase(groups.begin()), weight--;
  while (!groups.empty() && groups.back() == 0) groups.pop_back();
  if (groups.empty()) weight = 0, neg = false;
  uint16_t header = static_cast<uint16_t>(0x8000 + (neg ? 0x2000 : 0) + dscale * 128);
  header = static_cast<uint16_t>(header + (weight < 0 ? 0x40 + (64 + weight) : weight));
  std::string s(reinterpret_cast<const char*>(&header), 2);
  return s + std::string(reinterpret_cast<const char*>(groups.data()), groups.size() * 2);
}

Outcome Expected(const std::string& field, int precision, int scale) {
  std::string s = field;
  const bool neg = !s.empty() && s[0] == '-';
  if (neg) s.erase(0, 1);
  const size_t point = s.find('.');
  const std::string integral = s.substr(0, point);
  const std::string fraction = point == std::string::npos ? "" : s.substr(point + 1);
  const std::string digits = integral + fraction;
  if (digits.empty() || digits.size() > 18) return Refused();
  if (digits.find_first_not_of("0123456789") != std::string::npos) return Refused();
  int dscale = static_cast<int>(fraction.size());
  if (precision >= 0) {
    if (scale > precision || scale > 63 || dscale > scale) return Refused();
    const size_t significant = integral.find_first_not_of('0');
    const size_t n = significant == std::string::npos ? 0 : integral.size() - significant;
    if (n > static_cast<size_t>(precision - scale)) return Refused();
    dscale = scale;
  }
  Outcome o;
  o.bytes = Stored(neg, integral, fraction, dscale);
  return o;
}

Runner Numeric(int precision, int scale) {
  return [=](const Batch& b) {
    auto out = std::make_shared<std::vector<uint8_t>>(32 * b.n() + 32, 0xa5);
    auto out_len = std::make_shared<std::vector<uint8_t>>(b.n() + 8, 0xa5);
    Result run;
    run.status = b.status;
    run.refused = mr_convert_numeric(b.base(), b.start.data(), b.len.data(), b.n(), precision, scale,
                                     out->data(), out_len->data(), run.status.data());
    for (size_t i = 32 * b.n(); i < out->size(); i++) EXPECT_EQ((*out)[i], 0xa5) << "wrote past the column";
    for (size_t i = b.n(); i < out_len->size(); i++)
      EXPECT_EQ((*out_len)[i], 0xa5) << "wrote past the column";
    run.get = [=](uint32_t i) {
      return std::string(reinterpret_cast<const char*>(out->data()) + 32 * i, (*out_len)[i]);
    };
    return run;
  };
}

std::vector<std::string> Pool(uint64_t seed, int precision, int scale) {
  std::vector<std::string> pool = {"",
                                   "-",
                                   ".",
                                   "-.",
                                   "..",
                                   "1.",
                                   ".5",
                                   "-.5",
                                   "-1.",
                                   "0",
                                   "-0",
                                   "0.00",
                                   "-0.00",
                                   "00.00",
                                   "1..2",
                                   "1.2.3",
                                   "--1",
                                   "1-",
                                   "1.-2",
                                   "-.-",
                                   "+1",
                                   "1e5",
                                   "1E5",
                                   "NaN",
                                   "Infinity",
                                   "-inf",
                                   " 1",
                                   "1 ",
                                   "0x1",
                                   "1_0",
                                   "00012",
                                   "0.0001",
                                   "0.00001",
                                   "10000",
                                   "9999",
                                   "99999999",
                                   "100000000",
                                   "0.00010000",
                                   "1.0000",
                                   "10000.0001",
                                   "123456789012.5",
                                   "1234567890123.5",
                                   "12345678901234.5",
                                   "-12345678901234.5",
                                   "123456789012345.5",
                                   "1234567890123456",
                                   "-1234567890123456",
                                   "12345678901234567",
                                   "123456789012345678",
                                   "1234567890123456789",
                                   "-123456789012345678",
                                   "0.123456789012345678",
                                   ".123456789012345678",
                                   "0.12345678901234567",
                                   "000000000000000001",
                                   "0000000000000000001",
                                   "1.00000000000000000",
                                   "999999999999999999",
                                   ".999999999999999999",
                                   std::string("1\0", 2),
                                   "1\xff",
                                   "\xb1",
                                   ".\xae",
                                   "1.2\xae",
                                   std::string(40, '0'),
                                   std::string(300, '1'),
                                   "0." + std::string(254, '0')};
  for (int integral = 0; integral <= 19; integral++) {
    for (int fraction = 0; integral + fraction <= 19; fraction++) {
      for (const char* sign : {"", "-"}) {
        for (char c : {'9', '1', '0'}) {
          const std::string s = std::string(integral, c) + "." + std::string(fraction, c);
          pool.push_back(sign + s);
          pool.push_back(sign + std::string(integral, '0') + "." + std::string(fraction, c));
          if (fraction != 0) pool.push_back(sign + s.substr(0, s.size() - 1) + "1");
        }
      }
    }
  }
  Random random(seed);
  for (int i = 0; i < 20000; i++) {
    const int max_integral = precision < 0 ? 14 : std::max(0, precision - scale + 1),
              max_fraction = precision < 0 ? 8 : scale + 1;
    const int integral = static_cast<int>(random() % static_cast<unsigned>(max_integral + 1));
    const int fraction = static_cast<int>(random() % static_cast<unsigned>(max_fraction + 1));
    std::string s = RandomDigits(random, integral);
    if (fraction != 0 || random() % 8 == 0) s += "." + RandomDigits(random, fraction);
    if (random() % 3 == 0) s = "-" + s;
    pool.push_back(random() % 8 == 0 ? Mutate(s, random) : s);
  }
  std::shuffle(pool.begin(), pool.end(), random);
  return pool;
}

void Check(int precision, int scale) {
  SCOPED_TRACE(::testing::Message() << "numeric(" << precision << "," << scale << ")");
  CheckPool(Pool(7, precision, scale), Numeric(precision, scale),
            [=](const std::string& s) { return Expected(s, precision, scale); });
}

TEST(ConvertNumeric, NoTypmod) { Check(-1, -1); }

TEST(ConvertNumeric, Typmods) {
  const int typmods[][2] = {{15, 2}, {1, 0},   {1, 1},   {2, 2},   {3, 5},    {4, 0},
                            {5, 1},  {8, 4},   {9, 5},   {12, 8},  {18, 0},   {18, 18},
                            {18, 9}, {38, 10}, {70, 63}, {70, 64}, {1000, 0}, {1000, 1000}};
  for (const auto& t : typmods) {
    Check(t[0], t[1]);
    if (HasFatalFailure()) return;
  }
}

/* Columns where every field has the same shape, as they mostly are. */
TEST(ConvertNumeric, EveryShape) {
  Random random(3);
  for (int integral = 0; integral <= 17; integral++) {
    for (int fraction = 0; integral + fraction <= 18; fraction++) {
      std::vector<std::string> pool;
      for (int i = 0; i < 130; i++) {
        pool.push_back((random() % 2 ? "-" : "") + RandomDigits(random, integral) + (fraction ? "." : "") +
                       RandomDigits(random, fraction));
      }
      CheckPool(pool, Numeric(-1, -1), [](const std::string& s) { return Expected(s, -1, -1); });
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace

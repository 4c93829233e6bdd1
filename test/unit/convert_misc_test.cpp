/*
 * convert_misc_test.cpp: bool, uuid and bytea.
 */
#include <map>
#include <regex>

#include "convert_testing.h"

namespace {

using namespace convert_testing;

Outcome ExpectedBool(const std::string& s) {
  static const std::map<std::string, uint8_t> kWords = {{"t", 1},   {"true", 1}, {"1", 1},  {"y", 1},
                                                        {"yes", 1}, {"on", 1},   {"f", 0},  {"false", 0},
                                                        {"0", 0},   {"n", 0},    {"no", 0}, {"off", 0}};
  const auto found = kWords.find(s);
  return found == kWords.end() ? Refused() : Value(found->second);
}

TEST(ConvertBool, Words) {
  Random random(5);
  std::vector<std::string> words = {"t", "true", "1", "y", "yes", "on", "f", "false", "0", "n", "no", "off"};
  std::vector<std::string> pool = words;
  for (const char* s : {"",   "T",  "True", "TRUE", "tr", "tru", "trues", "falsef", "o",         "of",
                        "ye", " t", "t ",   "10",   "01", "2",   "-1",    "yes ",   "truefalse", "fals"}) {
    pool.push_back(s);
  }
  for (const std::string& w : words) {
    pool.push_back(w + std::string(1, '\0'));
    pool.push_back(w + std::string(5 - std::min<size_t>(5, w.size()), '\0'));
    pool.push_back(std::string(1, '\0') + w);
    for (int i = 0; i < 200; i++) pool.push_back(Mutate(w, random));
  }
  for (int c = 0; c < 256; c++) pool.push_back(std::string(1, static_cast<char>(c)));
  std::shuffle(pool.begin(), pool.end(), random);
  CheckPool(pool, FixedWidth<uint8_t>(mr_convert_bool), ExpectedBool);
}

std::string FromHex(const std::string& digits) {
  std::string s;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    s += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return s;
}

bool AllHex(const std::string& s) {
  return s.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

Outcome ExpectedUuid(std::string s) {
  if (s.size() == 36) {
    for (size_t at : {23, 18, 13, 8}) {
      if (s[at] != '-') return Refused();
      s.erase(at, 1);
    }
  }
  if (s.size() != 32 || !AllHex(s)) return Refused();
  Outcome o;
  o.bytes = FromHex(s);
  return o;
}

std::string RandomHex(Random& random, size_t n) {
  std::string s;
  while (n-- > 0) s += "0123456789abcdefABCDEF"[random() % 22];
  return s;
}

std::string RandomUuid(Random& random) {
  std::string s = RandomHex(random, 32);
  if (random() % 4 != 0) {
    for (size_t at : {8, 13, 18, 23}) s.insert(at, 1, '-');
  }
  return s;
}

TEST(ConvertUuid, Random) {
  Random random(6);
  std::vector<std::string> pool;
  for (int i = 0; i < 20000; i++) {
    std::string s = RandomUuid(random);
    if (random() % 6 == 0) s = Mutate(s, random);
    if (random() % 50 == 0) s = "{" + s + "}";
    pool.push_back(s);
  }
  for (size_t n : {0, 1, 31, 33, 34, 35, 37, 64, 288, 292}) pool.push_back(RandomHex(random, n));
  std::string good = "01234567-89ab-cdef-0123-456789abcdef", plain = "0123456789abcdef0123456789ABCDEF";
  for (const std::string& form : {good, plain}) {
    for (size_t at = 0; at < form.size(); at++) {
      for (int c = 0; c < 256; c++) {
        std::string s = form;
        s[at] = static_cast<char>(c);
        pool.push_back(s);
      }
    }
  }
  CheckPool(pool, FixedWidth<uint8_t, 16>(mr_convert_uuid), ExpectedUuid);
  /* columns without a bad field */
  pool.clear();
  for (int i = 0; i < 5000; i++) pool.push_back(RandomUuid(random));
  CheckPool(pool, FixedWidth<uint8_t, 16>(mr_convert_uuid), ExpectedUuid);
}

Outcome ExpectedBytea(const std::string& s) {
  if (s.size() < 2 || s.size() % 2 != 0 || s.substr(0, 2) != "\\x" || !AllHex(s.substr(2))) return Refused();
  Outcome o;
  o.bytes = FromHex(s.substr(2));
  return o;
}

TEST(ConvertBytea, Random) {
  Random random(8);
  std::vector<std::string> pool = {"",
                                   "\\",
                                   "\\x",
                                   "\\x0",
                                   "\\x00",
                                   "\\X00",
                                   "x00",
                                   "\\\\x00",
                                   "\\x 00",
                                   "\\x0g",
                                   "abc",
                                   "\\000",
                                   std::string("\\x\0\0", 4)};
  for (int i = 0; i < 20000; i++) {
    std::string s = "\\x" + RandomHex(random, random() % 8 ? 2 * (random() % 40) : random() % 600);
    pool.push_back(random() % 6 == 0 ? Mutate(s, random) : s);
  }
  for (size_t n : {2, 16, 64, 66, 128, 140}) {
    for (size_t at = 0; at < n; at++) {
      for (char c : {'g', '/', ':', '@', 'G', '`', '\0', '\x80', '\xb0', '\xe1', ' '}) {
        std::string s = "\\x" + RandomHex(random, n);
        s[2 + at] = c;
        pool.push_back(s);
      }
    }
  }
  std::shuffle(pool.begin(), pool.end(), random);
  const Runner runner = [](const Batch& b) {
    size_t total = 0;
    for (uint32_t i = 0; i < b.n(); i++) total += b.status[i] == MR_VALUE ? b.len[i] : 0;
    auto out = std::make_shared<std::vector<uint8_t>>(total / 2 + MR_SLACK);
    auto pos = std::make_shared<std::vector<uint32_t>>(b.n());
    auto len = std::make_shared<std::vector<uint32_t>>(b.n());
    Result run;
    run.status = b.status;
    run.refused = mr_convert_bytea_hex(b.base(), b.start.data(), b.len.data(), b.n(), out->data(),
                                       pos->data(), len->data(), run.status.data());
    run.get = [=](uint32_t i) {
      return std::string(reinterpret_cast<const char*>(out->data()) + (*pos)[i], (*len)[i]);
    };
    return run;
  };
  CheckPool(pool, runner, ExpectedBytea);
}

}  // namespace

/*
 * convert_datetime_test.cpp: dates and times against a calendar that counts days one by one.
 */
#include <map>
#include <regex>

#include "convert_testing.h"

namespace {

using namespace convert_testing;

/* Days since 2000-01-01 of every day from 0001-01-01 to 9999-12-31, by its spelling. */
const std::map<std::string, int32_t>& Calendar() {
  static const std::map<std::string, int32_t>* calendar = [] {
    auto* map = new std::map<std::string, int32_t>;
    std::vector<std::string> days;
    int32_t epoch = 0;
    const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int y = 1; y <= 9999; y++) {
      const bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
      for (int m = 1; m <= 12; m++) {
        for (int d = 1; d <= lengths[m - 1] + (m == 2 && leap); d++) {
          char text[40];
          snprintf(text, sizeof(text), "%04d-%02d-%02d", y, m, d);
          if (strcmp(text, "2000-01-01") == 0) epoch = static_cast<int32_t>(days.size());
          days.push_back(text);
        }
      }
    }
    for (size_t i = 0; i < days.size(); i++)
      map->emplace_hint(map->end(), days[i], static_cast<int32_t>(i) - epoch);
    return map;
  }();
  return *calendar;
}

Outcome ExpectedDate(const std::string& s) {
  const auto found = Calendar().find(s);
  return found == Calendar().end() ? Refused() : Value(found->second);
}

/* Microseconds of HH:MM:SS[.f], or -1. */
int64_t TimeOf(const std::string& s, int max_fraction) {
  static const std::regex kTime("([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(\\.([0-9]{1,6}))?");
  std::smatch m;
  if (s.find('\0') != std::string::npos || !std::regex_match(s, m, kTime)) return -1;
  std::string fraction = m[5];
  if (static_cast<int>(fraction.size()) > (max_fraction < 0 ? 6 : max_fraction)) return -1;
  fraction.resize(6, '0');
  return ((std::stoll(m[1]) * 60 + std::stoll(m[2])) * 60 + std::stoll(m[3])) * 1000000 +
         std::stoll(fraction);
}

Outcome ExpectedTime(const std::string& s, int max_fraction) {
  const int64_t v = TimeOf(s, max_fraction);
  return v < 0 ? Refused() : Value(v);
}

bool TimestampOf(const std::string& s, int max_fraction, int64_t* out) {
  if (s.size() < 19 || (s[10] != ' ' && s[10] != 'T')) return false;
  const auto found = Calendar().find(s.substr(0, 10));
  const int64_t time = TimeOf(s.substr(11), max_fraction);
  if (found == Calendar().end() || time < 0) return false;
  *out = found->second * int64_t{86400000000} + time;
  return true;
}

Outcome ExpectedTimestamp(const std::string& s, int max_fraction) {
  int64_t v;
  return TimestampOf(s, max_fraction, &v) ? Value(v) : Refused();
}

Outcome ExpectedTimestamptz(const std::string& s, int max_fraction) {
  int64_t v;
  if (TimestampOf(s, max_fraction, &v)) return Value(v, true);
  static const std::regex kZone("Z|([-+])(0[0-9]|1[0-5])(:?([0-5][0-9]))?");
  for (size_t n : {1, 3, 5, 6}) {
    if (s.size() < n || s.find('\0') != std::string::npos) continue;
    std::smatch m;
    const std::string zone = s.substr(s.size() - n);
    if (!std::regex_match(zone, m, kZone) || !TimestampOf(s.substr(0, s.size() - n), max_fraction, &v))
      continue;
    if (n == 1) return Value(v);
    const int64_t minutes = std::stoll(m[2]) * 60 + (m[4].length() ? std::stoll(m[4]) : 0);
    return Value(v - (m[1] == "-" ? -minutes : minutes) * 60000000);
  }
  return Refused();
}

std::string TwoDigits(Random& random, int limit) {
  char text[8];
  snprintf(text, sizeof(text), "%02d", static_cast<int>(random() % static_cast<unsigned>(limit)));
  return text;
}

std::string RandomDate(Random& random) {
  switch (random() % 4) {
    case 0:
      return RandomDigits(random, 4) + "-" + TwoDigits(random, 15) + "-" + TwoDigits(random, 34);
    case 1: /* ends of February */
      return TwoDigits(random, 40) + (random() % 2 ? "00" : TwoDigits(random, 100)) + "-02-" +
             std::to_string(27 + random() % 4);
    default:
      return "20" + TwoDigits(random, 30) + "-" + TwoDigits(random, 13) + "-" + TwoDigits(random, 32);
  }
}

std::string RandomTime(Random& random) {
  std::string s = TwoDigits(random, 25) + ":" + TwoDigits(random, 61) + ":" + TwoDigits(random, 61);
  if (random() % 2) s += "." + RandomDigits(random, random() % 8);
  return s;
}

std::string RandomZone(Random& random) {
  switch (random() % 8) {
    case 0:
      return "";
    case 1:
      return "Z";
    case 2:
      return "z";
    case 3:
      return (random() % 2 ? "+" : "-") + TwoDigits(random, 17) + TwoDigits(random, 61);
    case 4:
      return (random() % 2 ? "+" : "-") + TwoDigits(random, 17) + ":" + TwoDigits(random, 61);
    case 5:
      return RandomDigits(random, random() % 3) + "+" + RandomDigits(random, random() % 7);
    default:
      return (random() % 2 ? "+" : "-") + TwoDigits(random, 17);
  }
}

std::vector<std::string> Mutated(const std::vector<std::string>& fixed,
                                 const std::function<std::string(Random&)>& make) {
  Random random(11);
  std::vector<std::string> pool = fixed;
  for (int i = 0; i < 30000; i++) {
    const std::string s = make(random);
    pool.push_back(random() % 6 == 0 ? Mutate(s, random) : s);
  }
  /* every byte of a good field replaced */
  const std::string good = make(random);
  for (size_t at = 0; at < good.size(); at++) {
    for (int c = 0; c < 256; c++) {
      std::string s = good;
      s[at] = static_cast<char>(c);
      pool.push_back(s);
    }
  }
  std::shuffle(pool.begin(), pool.end(), random);
  return pool;
}

const std::vector<std::string> kDates = {
    "",           "-",           "0000-01-01",          "0001-01-01",
    "0000-02-29", "9999-12-31",  "10000-01-01",         "2023-02-29",
    "2024-02-29", "1900-02-29",  "2000-02-29",          "2023-00-10",
    "2023-13-10", "2023-17-10",  "2023-18-10",          "2023-01-00",
    "2023-01-32", "2023-04-31",  "2023/01/01",          "2023-1-1",
    "20230101",   "2023-01-01 ", " 2023-01-01",         "2023-01-01BC",
    "01-01-2023", "2023-01-0",   "2023-01-011",         "2023-Jan-01",
    "infinity",   "today",       std::string(10, '\0'), std::string(10, '\xff')};

TEST(ConvertDate, Random) {
  CheckPool(Mutated(kDates, RandomDate), FixedWidth<int32_t>(mr_convert_date), ExpectedDate);
}

/* Every fifth day there is, all near the ends of months, and every month and day there is not. */
TEST(ConvertDate, WholeCalendar) {
  std::vector<std::string> pool;
  for (const auto& day : Calendar()) {
    const std::string of_month = day.first.substr(8);
    if (day.second % 5 == 0 || of_month >= "28" || of_month == "01") pool.push_back(day.first);
  }
  for (int y : {0, 1, 4, 100, 400, 1899, 1900, 1996, 2000, 2023, 9999}) {
    for (int m = 0; m < 100; m++) {
      for (int d = 0; d < 100; d++) {
        char text[40];
        snprintf(text, sizeof(text), "%04d-%02d-%02d", y, m, d);
        pool.push_back(text);
      }
    }
  }
  CheckPool(pool, FixedWidth<int32_t>(mr_convert_date), ExpectedDate);
}

template <typename F>
Runner WithFraction(F convert, int fraction_digits) {
  return FixedWidth<int64_t>(
      [=](const char* base, const uint32_t* start, const uint32_t* len, uint32_t n, int64_t* out,
          uint8_t* status) { return convert(base, start, len, n, fraction_digits, out, status); });
}

TEST(ConvertTime, Random) {
  const auto pool = Mutated({"", "24:00:00", "23:59:60", "23:59:59", "00:00:00", "12:00", "120000", "1:00:00",
                             "12:00:00.", "12:00:00.1234567", "12:00:00.000000", "12:00:00.5", "12:00:00 PM",
                             "12:00:00+00", "12:00:00Z", "T12:00:00", "12:00:00,5", std::string(300, '1')},
                            RandomTime);
  for (int digits : {-1, 0, 1, 3, 6}) {
    CheckPool(pool, WithFraction(mr_convert_time, digits),
              [=](const std::string& s) { return ExpectedTime(s, digits); });
  }
}

std::string RandomTimestamp(Random& random) {
  return RandomDate(random) + (random() % 8 == 0 ? "T" : " ") + RandomTime(random);
}

TEST(ConvertTimestamp, Random) {
  const auto pool = Mutated(
      {"", "2000-01-01", "2000-01-01 00:00:00", "1999-12-31 23:59:59.999999", "0001-01-01 00:00:00",
       "9999-12-31 23:59:59.999999", "2000-01-01t00:00:00", "2000-01-01_00:00:00", "2000-01-01  00:00:00",
       "2000-01-01 24:00:00", "2000-01-01 00:00:00Z", "2000-01-01 00:00:00+00", "2000-01-01 00:00:00 BC",
       "2000-01-01 00:00:00.", "infinity", "-infinity", "now"},
      RandomTimestamp);
  for (int digits : {-1, 0, 2, 6}) {
    CheckPool(pool, WithFraction(mr_convert_timestamp, digits),
              [=](const std::string& s) { return ExpectedTimestamp(s, digits); });
  }
}

TEST(ConvertTimestamptz, Random) {
  const auto pool = Mutated(
      {"2000-01-01 00:00:00+0",        "2000-01-01 00:00:00+00:",          "2000-01-01 00:00:00+00:0",
       "2000-01-01 00:00:00+00:00:00", "2000-01-01 00:00:00-00",           "2000-01-01 00:00:00+15:59",
       "2000-01-01 00:00:00-15:59",    "2000-01-01 00:00:00+16",           "2000-01-01 00:00:00 +00",
       "2000-01-01 00:00:00 UTC",      "2000-01-01 00:00:00+ZZ",           "2000-01-01 00:00:00+05Z",
       "2000-01-01 00:00:00+05-30",    "2000-01-01 00:00:00-05-30",        "2000-01-01 00:00:00.1-05-30",
       "2000-01-01 00:00:00+05+3",     "2000-01-01 00:00:00.123456+05:30", "2000-01-01 00:00:00.1234567+05",
       "2000-01-01 00:00:00.+05",      "2000-01-01 00:00:00.1234+05",      "2000-01-01 00:00:00..23+05",
       "0001-01-01 00:00:00+15:59",    "9999-12-31 23:59:59.999999-15:59", "2000-01-01T00:00:00.5Z"},
      [](Random& random) { return RandomTimestamp(random) + RandomZone(random); });
  for (int digits : {-1, 0, 3, 6}) {
    CheckPool(pool, WithFraction(mr_convert_timestamptz, digits),
              [=](const std::string& s) { return ExpectedTimestamptz(s, digits); });
  }
}

}  // namespace

/*
 * convert_field.h: one field to one value, a byte at a time.
 *
 * The twins of convert.h are loops over these functions, and the SIMD kernels
 * hand them the few fields that do not fit their windows. Each returns false
 * (or 0) where the spelling is not one of convert.h's; then nothing is written.
 * None reads outside s[0, len).
 */
#pragma once
#include <float.h>
#include <string.h>

#include "base/plain.h"

/* fast_float's asserts would abort the server; NDEBUG counts where <assert.h> is read last. */
#ifndef NDEBUG
#define NDEBUG 1
#endif
#include "fast_float/fast_float.h"

namespace millrace {

static inline bool IsDigit(char c) { return static_cast<uint8_t>(c - '0') <= 9; }

/* Digits of s[0, len) as a number; false when there is none, more than max_digits, or anything else. */
static inline bool FieldDigits(const char* s, uint32_t len, uint32_t max_digits, uint64_t* out) {
  if (len == 0 || len > max_digits) return false;
  uint64_t v = 0;
  for (uint32_t i = 0; i < len; i++) {
    if (!IsDigit(s[i])) return false;
    v = v * 10 + static_cast<uint64_t>(s[i] - '0'); /* 19 nines fit */
  }
  *out = v;
  return true;
}

/* A signed integer of at most max_digits digits with magnitude <= max (+ 1 when negative). */
static inline bool FieldInt(const char* s, uint32_t len, uint32_t max_digits, uint64_t max, int64_t* out) {
  const bool neg = len != 0 && s[0] == '-';
  uint64_t v;
  if (!FieldDigits(s + neg, len - neg, max_digits, &v) || v > max + neg) return false;
  *out = static_cast<int64_t>(neg ? 0 - v : v);
  return true;
}

/* Header bits of the short numeric format (numeric.c, NUMERIC_SHORT_*). */
static constexpr uint32_t kNumericShort = 0x8000;
static constexpr uint32_t kNumericNegative = 0x2000;
static constexpr uint32_t kNumericScaleShift = 7;
static constexpr uint32_t kNumericMaxScale = 63;
static constexpr uint32_t kNumericWeightMask = 0x7f; /* seven bits, two's complement */
static constexpr uint32_t kNumericMaxDigits = 18;

/* What a column's typmod allows. Made once for a column; `usable` is false when every field must be refused.
 */
struct NumericRules {
  NumericRules(int precision, int scale)
      : typmod(precision >= 0),
        usable(precision < 0 || (scale >= 0 && scale <= precision && scale <= int{kNumericMaxScale})),
        max_fraction(precision < 0 ? kNumericMaxDigits : static_cast<uint32_t>(scale)),
        max_integral(precision < 0 ? kNumericMaxDigits : static_cast<uint32_t>(precision - scale)) {}
  bool typmod;
  bool usable;
  uint32_t max_fraction; /* digits after the point */
  uint32_t max_integral; /* digits before it, leading zeros not counted */
  uint32_t DisplayScale(uint32_t fraction) const { return typmod ? max_fraction : fraction; }
};

/*
 * numeric: writes the header and the digit groups to out and returns their
 * bytes (2 to 14), or 0. Follows set_var_from_str(), strip_var() and
 * make_result(): a zero is positive, of weight 0, and keeps its display scale.
 */
static inline uint32_t FieldNumeric(const char* s, uint32_t len, const NumericRules& rules, uint8_t* out) {
  constexpr uint32_t kPoint = 20, kGroups = 10; /* groups 0 to 4 are integral, 5 to 9 fractional */
  if (!rules.usable) return 0;
  const bool neg = len != 0 && s[0] == '-';
  s += neg, len -= neg;
  uint32_t point = 0;
  while (point < len && s[point] != '.') point++;
  const uint32_t integral = point, fraction = point < len ? len - point - 1 : 0;
  if (len > kNumericMaxDigits + 1) return 0;
  if (integral + fraction == 0 || integral + fraction > kNumericMaxDigits) return 0;
  if (fraction > rules.max_fraction) return 0;

  uint8_t digits[2 * kPoint] = {0};
  for (uint32_t i = 0; i < len; i++) {
    if (i == point) continue;
    if (!IsDigit(s[i])) return 0;
    digits[kPoint - integral + i - (i > point)] = static_cast<uint8_t>(s[i] - '0');
  }
  for (uint32_t i = 0; i + rules.max_integral < kPoint; i++) {
    if (digits[i] != 0) return 0;
  }

  uint16_t groups[kGroups];
  for (uint32_t g = 0; g < kGroups; g++) {
    const uint8_t* d = digits + 4 * g;
    groups[g] = static_cast<uint16_t>(((d[0] * 10 + d[1]) * 10 + d[2]) * 10 + d[3]);
  }
  uint32_t first = 0, last = kGroups;
  while (first < kGroups && groups[first] == 0) first++;
  while (last > first && groups[last - 1] == 0) last--;

  const bool zero = first == last;
  const uint32_t weight = zero ? 0 : 4 - first; /* wraps below zero: the mask makes it two's complement */
  const uint16_t header = static_cast<uint16_t>(kNumericShort | (neg && !zero ? kNumericNegative : 0) |
                                                rules.DisplayScale(fraction) << kNumericScaleShift |
                                                (weight & kNumericWeightMask));
  memcpy(out, &header, 2);
  memcpy(out + 2, groups + first, 2 * (last - first));
  return 2 + 2 * (last - first);
}

/* The two digits at s. */
static inline bool TwoDigits(const char* s, uint32_t* out) {
  if (!IsDigit(s[0]) || !IsDigit(s[1])) return false;
  *out = static_cast<uint32_t>((s[0] - '0') * 10 + (s[1] - '0'));
  return true;
}

/* YYYY-MM-DD to days since 2000-01-01. */
static inline bool FieldDate(const char* s, uint32_t len, int32_t* out) {
  static constexpr uint16_t kDaysBefore[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  static constexpr uint8_t kDays[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  uint32_t century, year, month, day;
  if (len != 10 || s[4] != '-' || s[7] != '-') return false;
  if (!TwoDigits(s, &century) || !TwoDigits(s + 2, &year) || !TwoDigits(s + 5, &month) ||
      !TwoDigits(s + 8, &day)) {
    return false;
  }
  year += century * 100;
  if (year < 1 || month < 1 || month > 12) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (day < 1 || day > kDays[month - 1] + static_cast<uint32_t>(leap && month == 2)) return false;
  const uint32_t past = year - 1;
  const uint32_t days = past * 365 + past / 4 - past / 100 + past / 400 + kDaysBefore[month - 1] +
                        static_cast<uint32_t>(leap && month > 2) + day - 1; /* since 0001-01-01 */
  *out = static_cast<int32_t>(days) - 730119;
  return true;
}

static constexpr int64_t kMicrosPerSecond = 1000000;
static constexpr int64_t kMicrosPerDay = 86400 * kMicrosPerSecond;

/*
 * HH:MM:SS and an optional fraction at the start of s[0, len), to microseconds.
 * *used is the number of bytes read. max_fraction: digits a typmod keeps.
 */
static inline bool FieldTimePrefix(const char* s, uint32_t len, uint32_t max_fraction, int64_t* out,
                                   uint32_t* used) {
  uint32_t hour, minute, second;
  if (len < 8 || s[2] != ':' || s[5] != ':') return false;
  if (!TwoDigits(s, &hour) || !TwoDigits(s + 3, &minute) || !TwoDigits(s + 6, &second)) return false;
  if (hour > 23 || minute > 59 || second > 59) return false;
  int64_t micros = ((hour * 60 + minute) * 60 + second) * kMicrosPerSecond;
  uint32_t i = 8;
  if (i < len && s[i] == '.') {
    int64_t unit = kMicrosPerSecond / 10;
    uint32_t digits = 0;
    for (i++; i < len && IsDigit(s[i]); i++, digits++, unit /= 10) micros += (s[i] - '0') * unit;
    if (digits == 0 || digits > max_fraction) return false;
  }
  *out = micros;
  *used = i;
  return true;
}

static inline bool FieldTime(const char* s, uint32_t len, uint32_t max_fraction, int64_t* out) {
  uint32_t used;
  int64_t v;
  if (!FieldTimePrefix(s, len, max_fraction, &v, &used) || used != len) return false;
  *out = v;
  return true;
}

/* A timestamp; *used is the number of bytes read, and any zone follows. */
static inline bool FieldTimestampPrefix(const char* s, uint32_t len, uint32_t max_fraction, int64_t* out,
                                        uint32_t* used) {
  int32_t days;
  int64_t micros;
  if (len < 19 || !FieldDate(s, 10, &days) || (s[10] != ' ' && s[10] != 'T')) return false;
  if (!FieldTimePrefix(s + 11, len - 11, max_fraction, &micros, used)) return false;
  *used += 11;
  *out = days * kMicrosPerDay + micros;
  return true;
}

static inline bool FieldTimestamp(const char* s, uint32_t len, uint32_t max_fraction, int64_t* out) {
  uint32_t used;
  int64_t v;
  if (!FieldTimestampPrefix(s, len, max_fraction, &v, &used) || used != len) return false;
  *out = v;
  return true;
}

/* Z, [+-]HH, [+-]HHMM or [+-]HH:MM: seconds east of Greenwich. */
static inline bool FieldZone(const char* s, uint32_t len, int32_t* out) {
  if (len == 1 && s[0] == 'Z') {
    *out = 0;
    return true;
  }
  if ((len != 3 && len != 5 && len != 6) || (s[0] != '+' && s[0] != '-')) return false;
  uint32_t hours, minutes = 0;
  if (!TwoDigits(s + 1, &hours) || hours > 15) return false; /* MAX_TZDISP_HOUR */
  if (len == 6 && s[3] != ':') return false;
  if (len > 3 && (!TwoDigits(s + len - 2, &minutes) || minutes > 59)) return false;
  const int32_t seconds = static_cast<int32_t>(hours * 60 + minutes) * 60;
  *out = s[0] == '-' ? -seconds : seconds;
  return true;
}

/* *local is set when no zone was written. */
static inline bool FieldTimestamptz(const char* s, uint32_t len, uint32_t max_fraction, int64_t* out,
                                    bool* local) {
  uint32_t used;
  int64_t v;
  int32_t zone = 0;
  if (!FieldTimestampPrefix(s, len, max_fraction, &v, &used)) return false;
  *local = used == len;
  if (!*local && !FieldZone(s + used, len - used, &zone)) return false;
  *out = v - zone * kMicrosPerSecond;
  return true;
}

/* typmod to the number of fractional digits taken. */
static inline uint32_t MaxFraction(int fraction_digits) {
  return fraction_digits < 0 || fraction_digits > 6 ? 6 : static_cast<uint32_t>(fraction_digits);
}

/*
 * Checks the spelling of a float: optional minus, digits with an optional point
 * among them (one digit at least), optional exponent. *zero: all digits are 0.
 */
static inline bool FieldFloatSpelling(const char* s, uint32_t len, bool* zero) {
  uint32_t i = len != 0 && s[0] == '-', digits = 0, points = 0;
  bool all_zero = true;
  for (; i < len; i++) {
    if (IsDigit(s[i])) {
      digits++;
      all_zero &= s[i] == '0';
    } else if (s[i] == '.' && points == 0) {
      points++;
    } else {
      break;
    }
  }
  if (digits == 0) return false;
  if (i < len) {
    if (s[i] != 'e' && s[i] != 'E') return false;
    i++;
    if (i < len && (s[i] == '+' || s[i] == '-')) i++;
    if (i == len) return false;
    for (; i < len; i++) {
      if (!IsDigit(s[i])) return false;
    }
  }
  *zero = all_zero;
  return true;
}

static inline float SmallestNormal(float) { return FLT_MIN; }
static inline double SmallestNormal(double) { return DBL_MIN; }
static inline float Largest(float) { return FLT_MAX; }
static inline double Largest(double) { return DBL_MAX; }

/*
 * float4 and float8, each rounded once from the decimal number as strtof() and
 * strtod() do; the algorithm is Eisel and Lemire's, by fast_float.
 */
template <typename T>
static inline bool FieldFloat(const char* s, uint32_t len, T* out) {
  bool zero;
  T v;
  if (!FieldFloatSpelling(s, len, &zero)) return false;
  const fast_float::from_chars_result r = fast_float::from_chars(s, s + len, v);
  if (r.ptr != s + len) return false;
  const T magnitude = v < 0 ? -v : v;
  if (magnitude > Largest(v) || (magnitude < SmallestNormal(v) && !zero)) return false;
  *out = v;
  return true;
}

static inline bool FieldIs(const char* s, uint32_t len, const char* word) {
  return strlen(word) == len && memcmp(s, word, len) == 0;
}

static inline bool FieldBool(const char* s, uint32_t len, uint8_t* out) {
  static constexpr const char* kTrue[] = {"t", "true", "1", "y", "yes", "on"};
  static constexpr const char* kFalse[] = {"f", "false", "0", "n", "no", "off"};
  for (int i = 0; i < 6; i++) {
    if (FieldIs(s, len, kTrue[i]) || FieldIs(s, len, kFalse[i])) {
      *out = FieldIs(s, len, kTrue[i]);
      return true;
    }
  }
  return false;
}

static inline int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* n bytes from 2 n hexadecimal digits; out may be written even when false is returned. */
static inline bool FieldHex(const char* s, uint32_t n, uint8_t* out) {
  for (uint32_t i = 0; i < n; i++) {
    const int high = HexDigit(s[2 * i]), low = HexDigit(s[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return true;
}

static inline bool FieldUuid(const char* s, uint32_t len, uint8_t* out) {
  if (len == 32) return FieldHex(s, 16, out);
  if (len != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-') return false;
  return FieldHex(s, 4, out) && FieldHex(s + 9, 2, out + 4) && FieldHex(s + 14, 2, out + 6) &&
         FieldHex(s + 19, 2, out + 8) && FieldHex(s + 24, 6, out + 10);
}

/* \x and hexadecimal digits: (len - 2) / 2 bytes at out. */
static inline bool FieldByteaHex(const char* s, uint32_t len, uint8_t* out) {
  if (len < 2 || len % 2 != 0 || s[0] != '\\' || s[1] != 'x') return false;
  return FieldHex(s + 2, (len - 2) / 2, out);
}

/* Runs convert(i) over the fields that are MR_VALUE; a false result refuses the field. Returns how many. */
template <typename F>
static inline uint32_t ForEachValue(uint32_t n, uint8_t* status, F convert) {
  uint32_t refused = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (status[i] != MR_VALUE) continue;
    if (!convert(i)) {
      status[i] = MR_REFUSED;
      refused++;
    }
  }
  return refused;
}

}  // namespace millrace

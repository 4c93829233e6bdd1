/*
 * numeric_state.cpp: core's numerics, from and to integers.
 *
 * The layout of stored numerics is an on-disk format; the macros for it live in
 * numeric.c, so the few needed are repeated here under their own names. The
 * serialized states are what parallel workers of the same server send each other.
 */
#include "scan/numeric_state.h"

extern "C" {
#include "libpq/pqformat.h"
}

#include "kernels/decimal.h"

namespace mr {

const int64 kPowersOf10[19] = {INT64CONST(1),
                               INT64CONST(10),
                               INT64CONST(100),
                               INT64CONST(1000),
                               INT64CONST(10000),
                               INT64CONST(100000),
                               INT64CONST(1000000),
                               INT64CONST(10000000),
                               INT64CONST(100000000),
                               INT64CONST(1000000000),
                               INT64CONST(10000000000),
                               INT64CONST(100000000000),
                               INT64CONST(1000000000000),
                               INT64CONST(10000000000000),
                               INT64CONST(100000000000000),
                               INT64CONST(1000000000000000),
                               INT64CONST(10000000000000000),
                               INT64CONST(100000000000000000),
                               INT64CONST(1000000000000000000)};

constexpr int kNegative = 0x4000; /* NUMERIC_NEG */

/* numericvar_serialize(): ndigits, weight, sign, dscale, digits. */
static void send_numericvar(StringInfo buf, int128 sum, int scale) {
  int16 digits[16]; /* least significant first: 39 decimal digits and up to 3 of padding */
  int n = 0;
  const bool negative = sum < 0;
  unsigned __int128 rest = negative ? -static_cast<unsigned __int128>(sum) : static_cast<unsigned __int128>(sum);
  /* Digits after the point are filled up to a whole base-10000 digit. */
  int weight = -((scale + 3) / 4);
  const int partial = scale % 4;
  if (partial > 0 && rest != 0) {
    const uint64 power = static_cast<uint64>(kPowersOf10[partial]);
    digits[n++] = static_cast<int16>(static_cast<uint64>(rest % power) * static_cast<uint64>(kPowersOf10[4 - partial]));
    rest /= power;
  }
  while (rest != 0) {
    digits[n++] = static_cast<int16>(rest % 10000);
    rest /= 10000;
  }
  weight += n - 1; /* of the most significant digit */
  int low = 0;
  while (low < n && digits[low] == 0) low++;
  pq_sendint32(buf, n - low);
  pq_sendint32(buf, n == 0 ? 0 : weight);
  pq_sendint32(buf, negative ? kNegative : 0);
  pq_sendint32(buf, scale);
  for (int i = n - 1; i >= low; i--) pq_sendint16(buf, digits[i]);
}

Datum serialize_numeric_avg(int64 n, int128 sum, int scale) {
  StringInfoData buf;
  pq_begintypsend(&buf);
  pq_sendint64(&buf, n);
  send_numericvar(&buf, sum, scale);
  pq_sendint32(&buf, scale); /* maxScale, maxScaleCount: only moving aggregates look at the count */
  pq_sendint64(&buf, n);
  pq_sendint64(&buf, 0); /* NaN, Infinity, -Infinity */
  pq_sendint64(&buf, 0);
  pq_sendint64(&buf, 0);
  return PointerGetDatum(pq_endtypsend(&buf));
}

Datum serialize_int8_avg(int64 n, int128 sum) {
  StringInfoData buf;
  pq_begintypsend(&buf);
  pq_sendint64(&buf, n);
#if PG_VERSION_NUM < 190000
  send_numericvar(&buf, sum, 0);
#else
  pq_sendint64(&buf, static_cast<int64>(sum >> 64));
  pq_sendint64(&buf, static_cast<int64>(sum));
#endif
  return PointerGetDatum(pq_endtypsend(&buf));
}

/* Header of a stored numeric (numeric.c): two top bits say short, long or special. */
constexpr uint16 kShort = 0x8000;
constexpr uint16 kSpecialMask = 0xC000;
constexpr uint16 kSpecial = 0xC000;

static bool any_numeric(Datum numeric, int64* value, int* scale) {
  const char* p = static_cast<const char*>(DatumGetPointer(numeric));
  if (is_toasted(p)) return false;
  const int bytes = static_cast<int>(VARSIZE_ANY_EXHDR(p));
  p = VARDATA_ANY(p);
  uint16 header;
  memcpy(&header, p, sizeof(header));
  int weight;
  bool negative;
  int n;
  if ((header & kSpecialMask) == kSpecial) return false;
  if (header & kShort) {
    weight = (header & 0x0040 ? -64 : 0) | (header & 0x003F);
    negative = (header & 0x2000) != 0;
    *scale = (header & 0x1F80) >> 7;
    p += 2;
    n = (bytes - 2) / 2;
  } else {
    int16 w;
    memcpy(&w, p + 2, sizeof(w));
    weight = w;
    negative = (header & kSpecialMask) == 0x4000;
    *scale = header & 0x3FFF;
    p += 4;
    n = (bytes - 4) / 2;
  }
  if (n == 0) {
    *value = 0;
    return *scale <= 18;
  }
  /* 10000^weight is the unit of the first digit; the last digit's unit is 10000^(weight - n + 1). */
  if (weight > 4 || *scale > 18 || n > 5) return false;
  int64 v = 0;
  for (int i = 0; i < n; i++) {
    int16 digit;
    memcpy(&digit, p + 2 * i, sizeof(digit));
    if (__builtin_mul_overflow(v, 10000, &v) || __builtin_add_overflow(v, digit, &v)) return false;
  }
  const int exponent = 4 * (weight - n + 1) + *scale; /* value = v * 10^exponent in units of 10^-scale */
  if (exponent >= 0) {
    if (exponent > 18 || __builtin_mul_overflow(v, kPowersOf10[exponent], &v)) return false;
  } else {
    /* The digits beyond the display scale are zeros that fill up a base-10000 digit. */
    if (exponent < -3 || v % kPowersOf10[-exponent] != 0) return false;
    v /= kPowersOf10[-exponent];
  }
  *value = negative ? -v : v;
  return true;
}

/* Inverses of 5^k modulo 2^64: dividing by 10^k what it divides is a shift and a multiplication. */
static const uint64 kInverse5[4] = {1, UINT64CONST(0xCCCCCCCCCCCCCCCD), UINT64CONST(0x8F5C28F5C28F5C29),
                                    UINT64CONST(0x1CAC083126E978D5)};

/*
 * any_numeric() for what almost every stored number is: a one-byte varlena header, a short
 * numeric header, up to four base-10000 digits. The digits are read as the eight bytes that end
 * with the value: the tuple's header lies before it. False: not such a number, ask the other one.
 */
static inline bool short_numeric(const uint8* p, int64* value, int* scale) {
#ifdef WORDS_BIGENDIAN
  return false;
#else
  static const uint64 kMasks[5] = {0, UINT64CONST(0xFFFF) << 48, UINT64CONST(0xFFFFFFFF) << 32,
                                   ~UINT64CONST(0xFFFF), ~UINT64CONST(0)};
  const unsigned bytes = p[0] >> 1; /* header included: 3 + 2 n */
  const unsigned n = (bytes - 3) >> 1;
  if ((p[0] & 1) == 0 || n > 4) return false; /* also toast pointers, whose length byte is 0 */
  uint16 header;
  memcpy(&header, p + 1, 2);
  if ((header & kSpecialMask) != kShort) return false;
  uint64 w;
  memcpy(&w, p + bytes - 8, 8);
  w &= kMasks[n];
  const int weight = (header & 0x003F) - (header & 0x0040);
  const int dscale = (header & 0x1F80) >> 7;
  uint64 v = (w >> 48) + (w >> 32 & 0xFFFF) * 10000 + (w >> 16 & 0xFFFF) * 100000000 +
             (w & 0xFFFF) * UINT64CONST(1000000000000);
  int exponent = 4 * (weight - static_cast<int>(n) + 1) + dscale;
  if (n == 0) exponent = 0;
  if (static_cast<unsigned>(exponent + 3) > 5) return false; /* -3 to 2 */
  if (exponent < 0) {
    const uint64 all = v;
    v = (v >> -exponent) * kInverse5[-exponent];
    /* What is not divisible gives a quotient that is right modulo 2^64 only, and far too large. */
    if (v > all || v * static_cast<uint64>(kPowersOf10[-exponent]) != all) return false;
  } else {
    v *= static_cast<uint64>(kPowersOf10[exponent]); /* below 10^18 */
  }
  *value = header & 0x2000 ? -static_cast<int64>(v) : static_cast<int64>(v);
  *scale = dscale;
  return dscale <= 18;
#endif
}

bool numeric_to_scaled(Datum numeric, int64* value, int* scale) {
  return short_numeric(reinterpret_cast<const uint8*>(DatumGetPointer(numeric)), value, scale) ||
         any_numeric(numeric, value, scale);
}

bool numeric_column(const Vector* column, int n, int64* out, int* scale) {
  /* Mostly the kernel can do all of it, at the scale of the first. */
  if (!column->has_nulls && n > 0 && numeric_to_scaled(column->values[0], &out[0], scale) &&
      mr_decimal_column(reinterpret_cast<const char* const*>(column->values), n, *scale, out) == static_cast<size_t>(n))
    return true;
  int first = -1;
  for (int i = 0; i < n; i++) {
    if (column->has_nulls && column->nulls[i]) {
      out[i] = 0;
      continue;
    }
    int s;
    if (!numeric_to_scaled(column->values[i], &out[i], &s)) return false;
    if (unlikely(s != first)) {
      if (first >= 0) return false;
      first = s;
    }
  }
  *scale = first < 0 ? 0 : first;
  return true;
}

int compare_scaled(int64 a, int scale_a, int64 b, int scale_b) {
  if (likely(scale_a == scale_b)) return a < b ? -1 : a > b;
  int128 x = a;
  int128 y = b;
  if (scale_a < scale_b)
    x *= kPowersOf10[scale_b - scale_a];
  else
    y *= kPowersOf10[scale_a - scale_b];
  return x < y ? -1 : x > y;
}

}  // namespace mr

/*
 * convert_float.cpp: float4 and float8.
 *
 * Short decimals, the common case, go through vectors. For each block of fields:
 * 1. Stage: the 16 bytes that end where a field ends become digit values; the
 *    place of the point picks a shuffle that closes the gap, and a power of ten.
 * 2. Multiply-add makes an integer of at most 15 digits, exact in a double. The
 *    quotient by an exact power of ten is then rounded once (Clinger's fast path).
 * 3. A float4 is the double rounded again. That is the number rounded once unless
 *    the double lies halfway between two floats; those go on as others do:
 * Other fields are parsed eight digits at a time, and Eisel and Lemire's algorithm
 * (fast_float's compute_float) gives the nearest value. What that is not made for
 * (more than 19 digits, long exponents) is left to convert_field.h.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert_float.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/decimal_stage-inl.h"
#include "kernels/convert.h"
#include "kernels/convert_field.h"
#include "kernels/simd_target.h"

#ifndef MILLRACE_KERNELS_CONVERT_FLOAT_TABLES_
#define MILLRACE_KERNELS_CONVERT_FLOAT_TABLES_
namespace millrace {
namespace {

struct PlaceTables {
  uint8_t from[kPlaces][16]; /* closes the gap: bytes before the point move one up */
  uint8_t min_len[kPlaces];  /* bytes of the field without its sign: one digit at least, 15 at most */
  uint8_t span[kPlaces];
  double scale[2][kPlaces]; /* what to divide by, for positive and negative fields */
  constexpr PlaceTables() : from(), min_len(), span(), scale() {
    for (uint32_t place = 0; place < kPlaces; place++) {
      for (uint32_t i = 0; i < 16; i++) {
        const bool moved = place != 0 && i < place;
        from[place][i] = static_cast<uint8_t>(!moved ? i : i == 0 ? 0x80 : i - 1);
      }
      min_len[place] = place == 0 ? 1 : 2;
      span[place] = 14;
      double power = 1; /* exact: 10^22 is */
      for (uint32_t i = place == 0 ? 16 : place; i < 16; i++) power *= 10;
      scale[0][place] = power;
      scale[1][place] = -power;
    }
  }
};
alignas(64) constexpr PlaceTables kPlace;

constexpr uint64_t kPowers[20] = {1,
                                  10,
                                  100,
                                  1000,
                                  10000,
                                  100000,
                                  1000000,
                                  10000000,
                                  100000000,
                                  1000000000,
                                  10000000000,
                                  100000000000,
                                  1000000000000,
                                  10000000000000,
                                  100000000000000,
                                  1000000000000000,
                                  10000000000000000,
                                  100000000000000000,
                                  1000000000000000000,
                                  10000000000000000000u};

inline uint64_t Load8(const char* s) {
  uint64_t v;
  memcpy(&v, s, 8);
  return v ^ 0x3030303030303030;
}

/* Whether all bytes are 0 to 9. */
inline bool EightDigits(uint64_t v) { return ((v | (v + 0x7676767676767676)) & 0x8080808080808080) == 0; }

/* Eight digit values, the first in the low byte, to a number. */
inline uint64_t ToNumber(uint64_t v) {
  v = ((v * (10 * 256 + 1)) >> 8) & 0x00ff00ff00ff00ff;
  v = ((v * (100 * 65536 + 1)) >> 16) & 0x0000ffff0000ffff;
  return (v * ((uint64_t{10000} << 32) + 1)) >> 32;
}

template <typename T>
struct Clinger;
template <>
struct Clinger<double> {
  static constexpr uint64_t kMaxMantissa = uint64_t{1} << 53;
  static constexpr int32_t kMaxPower = 19; /* 10^22 would do; kPowers ends here */
};
template <>
struct Clinger<float> {
  static constexpr uint64_t kMaxMantissa = uint64_t{1} << 24;
  static constexpr int32_t kMaxPower = 10;
};

/* One field of at most 19 digits; false when it is not for this function. May read MR_SLACK bytes around it.
 */
template <typename T>
bool QuickFloat(const char* s, uint32_t len, T* out) {
  const char* const end = s + len;
  const bool negative = len != 0 && *s == '-';
  const char* p = s + negative;
  const char* const first = p;
  uint64_t mantissa = 0;
  while (p < end && IsDigit(*p)) mantissa = mantissa * 10 + static_cast<uint64_t>(*p++ - '0');
  ptrdiff_t digits = p - first;
  int32_t exponent = 0;
  if (p < end && *p == '.') {
    const char* const fraction = ++p;
    while (end - p >= 8) {
      const uint64_t eight = Load8(p);
      if (!EightDigits(eight)) break;
      mantissa = mantissa * 100000000 + ToNumber(eight);
      p += 8;
    }
    if (p < end && end - p < 8) {
      const uint64_t rest =
          Load8(p) << (8 * (8 - (end - p))); /* leading zeros instead of what follows the field */
      if (EightDigits(rest)) {
        mantissa = mantissa * kPowers[end - p] + ToNumber(rest);
        p = end;
      }
    }
    while (p < end && IsDigit(*p)) mantissa = mantissa * 10 + static_cast<uint64_t>(*p++ - '0');
    exponent = static_cast<int32_t>(fraction - p);
    digits += p - fraction;
  }
  if (digits == 0 || digits > 19) return false;
  if (p < end) {
    if (*p != 'e' && *p != 'E') return false;
    p++;
    const bool minus = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (end - p < 1 || end - p > 4) return false;
    int32_t e = 0;
    for (; p < end; p++) {
      if (!IsDigit(*p)) return false;
      e = e * 10 + (*p - '0');
    }
    exponent += minus ? -e : e;
  }
  T v;
  if (mantissa <= Clinger<T>::kMaxMantissa && exponent <= 0 && exponent >= -Clinger<T>::kMaxPower) {
    v = static_cast<T>(mantissa) / static_cast<T>(kPowers[-exponent]);
    v = negative ? -v : v;
  } else {
    const auto nearest = fast_float::compute_float<fast_float::binary_format<T>>(exponent, mantissa);
    if (nearest.power2 <= 0 && mantissa != 0) return false; /* undecided, too small, or subnormal */
    fast_float::to_float(negative, nearest, v);
    if ((v < 0 ? -v : v) > Largest(v)) return false;
  }
  *out = v;
  return true;
}

template <typename T>
bool ConvertFloatField(const char* s, uint32_t len, T* out) {
  return QuickFloat(s, len, out) || FieldFloat(s, len, out);
}

}  // namespace
}  // namespace millrace
#endif

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

#if MR_CONVERT_SIMD && HWY_HAVE_FLOAT64

using DF64 = hn::RebindToFloat<D64>;

/* Fields of a block between the stages. */
struct Block {
  alignas(HWY_MAX_BYTES) uint8_t digits[kBlock * 16]; /* 16 decimal digits a field */
  alignas(HWY_MAX_BYTES) double scale[kBlock];        /* 0 for a field that is not to be divided here */
};

/* Stage 1. Returns nonzero when a field has no scale. */
template <bool kNulls>
HWY_INLINE uint32_t Stage(const char* base, const uint32_t* start, const uint32_t* len, const uint8_t* status,
                          uint32_t count, Block* block) {
  return StageDecimals<kNulls>(base, start, len, status, count, kPlace.from, block->digits,
                               [=](uint32_t i, uint32_t place, uint32_t length, uint32_t negative) {
                                 const bool odd = length - kPlace.min_len[place] > kPlace.span[place];
                                 block->scale[i] = odd ? 0 : kPlace.scale[negative][place];
                                 return odd;
                               });
}

HWY_INLINE void StoreFloats(hn::VFromD<DF64> v, M64*, double* out) { hn::StoreU(v, DF64(), out); }

/* `halfway`: the low 29 bits of the double are what a float drops, and are just half. */
HWY_INLINE void StoreFloats(hn::VFromD<DF64> v, M64* halfway, float* out) {
  const D64 d;
  const hn::Rebind<float, D64> d_out;
  const V64 dropped = hn::And(hn::BitCast(d, v), hn::Set(d, (1 << 29) - 1));
  *halfway = hn::Eq(dropped, hn::Set(d, 1 << 28));
  hn::StoreU(hn::DemoteTo(d_out, v), d_out, out);
}

template <bool kNulls, typename T>
uint32_t ConvertBatch(MR_FIELDS, T* out, uint8_t* status) {
  const D64 d;
  const D8 d8;
  const D32 d32;
  const DF64 df;
  const auto one_by_one = [=](uint32_t i) { return ConvertFloatField(base + start[i], len[i], out + i); };
  const uint32_t step = static_cast<uint32_t>(hn::Lanes(d));
  Block block;
  uint32_t refused = 0, i = 0;
  for (; i + step <= n; i += step) {
    const uint32_t at = i % kBlock;
    if (at == 0) {
      const uint32_t count = n - i < kBlock ? n - i : kBlock;
      Stage<kNulls>(base, start + i, len + i, status + i, count, &block);
    }
    const auto a8 = hn::Load(d8, block.digits + 16 * at),
               b8 = hn::Load(d8, block.digits + 16 * at + 8 * step);
    const V64 a = hn::BitCast(d, a8), b = hn::BitCast(d, b8);
    const V64 above_a = hn::BitCast(d, hn::SaturatedSub(a8, hn::Set(d8, 9)));
    const V64 above_b = hn::BitCast(d, hn::SaturatedSub(b8, hn::Set(d8, 9)));
    const V64 above = hn::Or(hn::ConcatEven(d, above_b, above_a), hn::ConcatOdd(d, above_b, above_a));
    const V64 a_half = DigitsTo8(a), b_half = DigitsTo8(b);
    const V64 high = hn::ConcatEven(d, b_half, a_half), low = hn::ConcatOdd(d, b_half, a_half);
    const V64 mantissa = hn::Add(low, hn::MulEven(hn::BitCast(d32, high), hn::Set(d32, 100000000)));
    /* below 2^52: 2^52 + mantissa, less 2^52 */
    const auto number = hn::Sub(hn::BitCast(df, hn::Or(mantissa, hn::Set(d, uint64_t{0x433} << 52))),
                                hn::BitCast(df, hn::Set(d, uint64_t{0x433} << 52)));
    const auto scale = hn::Load(df, block.scale + at);
    M64 bad = hn::Or(hn::Ne(above, hn::Zero(d)), hn::Eq(hn::BitCast(d, scale), hn::Zero(d)));
    M64 halfway = hn::MaskFromVec(hn::Zero(d));
    StoreFloats(hn::Div(number, scale), &halfway, out + i);
    bad = hn::Or(bad, halfway);
    if (kNulls) bad = hn::And(bad, LoadIsValue(status + i));
    if (!hn::AllFalse(d, bad)) refused += RetryLanes(bad, i, status, one_by_one);
  }
  return refused + RetryRest(i, n, status, one_by_one);
}

/* Whether most fields are too long for the 16-byte window even with a minus. */
bool MostlyLong(const uint32_t* len, uint32_t n) {
  uint32_t longer = 0;
  for (uint32_t i = 0; i < n; i++) longer += len[i] > 17;
  return longer > n / 2;
}

template <typename T>
uint32_t Convert(MR_FIELDS, T* out, uint8_t* status) {
  if (MostlyLong(len, n)) {
    return ForEachValue(n, status,
                        [=](uint32_t i) { return ConvertFloatField(base + start[i], len[i], out + i); });
  }
  return AllValues(status, n) ? ConvertBatch<false>(base, start, len, n, out, status)
                              : ConvertBatch<true>(base, start, len, n, out, status);
}

#else

template <typename T>
uint32_t Convert(MR_FIELDS, T* out, uint8_t* status) {
  return ForEachValue(n, status,
                      [=](uint32_t i) { return ConvertFloatField(base + start[i], len[i], out + i); });
}

#endif  // MR_CONVERT_SIMD

uint32_t ConvertFloat4(MR_FIELDS, float* out, uint8_t* status) {
  return Convert(base, start, len, n, out, status);
}
uint32_t ConvertFloat8(MR_FIELDS, double* out, uint8_t* status) {
  return Convert(base, start, len, n, out, status);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace millrace {
HWY_EXPORT(ConvertFloat4);
HWY_EXPORT(ConvertFloat8);
}  // namespace millrace

using namespace millrace;

uint32_t mr_convert_float4(MR_FIELDS, float* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_float4_scalar(base, start, len, n, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertFloat4)(base, start, len, n, out, status);
}

uint32_t mr_convert_float8(MR_FIELDS, double* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_float8_scalar(base, start, len, n, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertFloat8)(base, start, len, n, out, status);
}
#endif  // HWY_ONCE

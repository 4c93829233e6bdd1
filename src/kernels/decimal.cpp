/*
 * decimal.cpp: stored numerics eight at a time, where there is AVX-512.
 *
 * Two digits and less are one word, more are two:
 *
 *   word   the 8 bytes from the one before the value on
 *   head   the 8 bytes that end with the numeric header: varlena header in byte 5, numeric header in 6 and 7
 *   tail   the 8 bytes that end with the value: its last four digits, the last one on top
 */
#include <string.h>

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/decimal.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/decimal.h"
#include "kernels/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/* Tables need eight lanes of 64 bits to be looked up in one step. */
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3

using D = hn::ScalableTag<int64_t>;
using V = hn::Vec<D>;

/* By exponent + 3, which is 0 to 5: how far to shift, what to multiply by, and what undoes both. */
HWY_ALIGN constexpr int64_t kShift[8] = {3, 2, 1, 0, 0, 0, 0, 0};
HWY_ALIGN constexpr uint64_t kTimes[8] = {0x1CAC083126E978D5, 0x8F5C28F5C28F5C29, 0xCCCCCCCCCCCCCCCD, 1, 10, 100, 0, 0};
HWY_ALIGN constexpr int64_t kBack[8] = {1000, 100, 10, 1, 1, 1, 1, 1};

/* What is the same for all numerics of a call. */
struct Constants {
  V shift, times, back, scale_bits, exponent;
};

HWY_INLINE Constants MakeConstants(int scale) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  return {hn::Load(d, kShift), hn::BitCast(d, hn::Load(du, kTimes)), hn::Load(d, kBack), hn::Set(d, 0x8000 | scale << 7),
          hn::Set(d, 10 + scale)};
}

/* One-byte header of 3 to `most` bytes, an odd number; short, with that scale. */
HWY_INLINE bool Fit(const Constants& c, V first, V header, int64_t most) {
  const D d;
  const auto odd = hn::Eq(hn::And(first, hn::Set(d, 3)), hn::Set(d, 3));
  const auto short_enough = hn::And(hn::Gt(first, hn::Set(d, 5)), hn::Lt(first, hn::Set(d, 2 * most + 2)));
  return hn::AllTrue(d, hn::And(hn::And(odd, short_enough), hn::Eq(hn::And(header, hn::Set(d, 0xDF80)), c.scale_bits)));
}

/* Of lanes below 2^32. */
HWY_INLINE V Times10000(V v) {
  const hn::Repartition<uint32_t, D> d32;
  return hn::BitCast(D(), hn::MulEven(hn::BitCast(d32, v), hn::Set(d32, 10000)));
}

/* From the digits, as one integer, to the value; false when it does not come out even. */
HWY_INLINE bool Finish(const Constants& c, V all, V header, V bytes, int64_t* out) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const auto set = [d](int64_t x) HWY_ATTR { return hn::Set(d, x); };
  /* 4 * (weight - n + 1) + scale, with n = (bytes - 3) / 2; n = 0 is zero, whatever the weight. */
  const V weight = hn::Sub(hn::And(header, set(0x3F)), hn::And(header, set(0x40)));
  const V exponent = hn::Add(hn::Sub(hn::ShiftLeft<2>(weight), hn::ShiftLeft<1>(bytes)), c.exponent);
  const V index = hn::IfThenElse(hn::Eq(bytes, set(3)), set(3), hn::Add(exponent, set(3)));
  if (HWY_UNLIKELY(!hn::AllTrue(du, hn::Lt(hn::BitCast(du, index), hn::Set(du, 6))))) return false;
  const auto lookup = hn::IndicesFromVec(d, index);
  const auto by = hn::BitCast(du, hn::TableLookupLanes(c.shift, lookup));
  const V value = hn::Mul(hn::BitCast(d, hn::Shr(hn::BitCast(du, all), by)), hn::TableLookupLanes(c.times, lookup));
  /* What is not divisible gives a quotient that is right modulo 2^64 only, and far too large. */
  const auto divides = hn::And(hn::Eq(hn::Mul(value, hn::TableLookupLanes(c.back, lookup)), all),
                               hn::And(hn::Not(hn::Gt(value, all)), hn::Not(hn::Lt(value, hn::Zero(d)))));
  if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Or(hn::Gt(index, set(3)), divides)))) return false;
  const auto negative = hn::Ne(hn::And(header, set(0x2000)), hn::Zero(d));
  hn::StoreU(hn::IfThenElse(negative, hn::Neg(value), value), d, out);
  return true;
}

/*
 * Values are loaded into words one by one: that is faster than gathering, as long as these have reached the cache before they
 * are loaded as vectors.
 */
constexpr size_t kChunk = 128;

/* The 8 bytes that end with the numeric header, and those that end with the value. */
HWY_INLINE void HeadsAndTails(const int64_t* pointers, size_t n, int64_t* heads, int64_t* tails) {
  for (size_t i = 0; i < n; i++) {
    const char* p = reinterpret_cast<const char*>(pointers[i]);
    const uint8_t first = static_cast<uint8_t>(*p);
    /* What cannot be such a numeric must not be followed: Fit() sees to it. */
    const size_t bytes = first & 1 && first < 24 ? first >> 1 : 3;
    memcpy(&heads[i], p - 5, sizeof(int64_t));
    memcpy(&tails[i], p + bytes - 8, sizeof(int64_t));
  }
}

/* Up to four digits. Returns how many were done. */
size_t Long(const Constants& c, const int64_t* pointers, size_t n, int64_t* out) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const size_t lanes = hn::Lanes(d);
  const auto set = [d](int64_t x) HWY_ATTR { return hn::Set(d, x); };
  HWY_ALIGN int64_t heads[kChunk];
  HWY_ALIGN int64_t tails[kChunk];
  size_t at = 0;
  for (; n - at >= lanes; at += lanes) {
    if (at % kChunk == 0) HeadsAndTails(pointers + at, HWY_MIN(n - at, kChunk), heads, tails);
    const V head = hn::Load(d, heads + at % kChunk);
    const V tail = hn::Load(d, tails + at % kChunk);
    const V first = hn::And(hn::ShiftRight<40>(head), set(0xFF));
    const V header = hn::And(hn::ShiftRight<48>(head), set(0xFFFF));
    const V bytes = hn::ShiftRight<1>(first);
    if (HWY_UNLIKELY(!Fit(c, first, header, 11))) break;
    /* Bytes in front of the digits: 11 - bytes of them. */
    const V unused = hn::ShiftLeft<3>(hn::Sub(set(11), bytes));
    const V digits = hn::And(tail, hn::IfThenElseZero(hn::Lt(unused, set(64)), hn::Shl(set(-1), unused)));
    const V last = hn::BitCast(d, hn::ShiftRight<48>(hn::BitCast(du, digits)));
    const V third = hn::And(hn::ShiftRight<32>(digits), set(0xFFFF));
    const V second = hn::And(hn::ShiftRight<16>(digits), set(0xFFFF));
    const V top = hn::And(digits, set(0xFFFF));
    const V low = hn::Add(last, Times10000(third));
    const V high = hn::Add(second, Times10000(top));
    if (!Finish(c, hn::Add(low, hn::Mul(high, set(100000000))), header, bytes, out + at)) break;
  }
  return at;
}

/*
 * The 8 bytes from the one before each value on. Before a 4096-byte boundary only the value's own: what lies behind it may not
 * be there.
 */
HWY_INLINE void Words(const int64_t* pointers, size_t n, int64_t* words) {
  for (size_t i = 0; i < n; i++) {
    const char* p = reinterpret_cast<const char*>(pointers[i]);
    if (HWY_LIKELY((pointers[i] & 4095) < 4090)) {
      memcpy(&words[i], p - 1, sizeof(int64_t));
      continue;
    }
    const uint8_t first = static_cast<uint8_t>(*p);
    words[i] = 0;
    memcpy(reinterpret_cast<char*>(&words[i]) + 1, p, first & 1 && first < 16 ? first >> 1 : 1);
  }
}

/*
 * Up to two digits, which the 8 bytes around the header hold: byte 1 is the varlena header, 2 and 3 the numeric header, 4 to 7
 * the digits.
 */
size_t Short(const Constants& c, const int64_t* pointers, size_t n, int64_t* out) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const size_t lanes = hn::Lanes(d);
  const auto set = [d](int64_t x) HWY_ATTR { return hn::Set(d, x); };
  HWY_ALIGN int64_t words[kChunk];
  size_t at = 0;
  for (; n - at >= lanes; at += lanes) {
    if (at % kChunk == 0) Words(pointers + at, HWY_MIN(n - at, kChunk), words);
    const V word = hn::Load(d, words + at % kChunk);
    const V first = hn::And(hn::ShiftRight<8>(word), set(0xFF));
    const V header = hn::And(hn::ShiftRight<16>(word), set(0xFFFF));
    if (HWY_UNLIKELY(!Fit(c, first, header, 7))) break;
    const V bytes = hn::ShiftRight<1>(first);
    const V top = hn::And(hn::ShiftRight<32>(word), set(0xFFFF));
    const V second = hn::BitCast(d, hn::ShiftRight<48>(hn::BitCast(du, word)));
    const V both = hn::Add(second, Times10000(top));
    const V all = hn::IfThenElse(hn::Eq(bytes, set(7)), both, hn::IfThenElseZero(hn::Eq(bytes, set(5)), top));
    if (!Finish(c, all, header, bytes, out + at)) break;
  }
  return at;
}

size_t DecimalColumn(const char* const* values, size_t n, int scale, int64_t* out) {
  const Constants c = MakeConstants(scale);
  const int64_t* pointers = reinterpret_cast<const int64_t*>(values);
  const size_t lanes = hn::Lanes(D());
  size_t at = 0;
  at += Short(c, pointers, n, out);
  if (n - at >= lanes) at += Long(c, pointers + at, n - at, out + at);
  return at + mr_decimal_column_scalar(values + at, n - at, scale, out + at);
}

#else

size_t DecimalColumn(const char* const* values, size_t n, int scale, int64_t* out) {
  return mr_decimal_column_scalar(values, n, scale, out);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(DecimalColumn);
}  // namespace
}  // namespace millrace

using namespace millrace;

size_t mr_decimal_column(const char* const* values, size_t n, int scale, int64_t* out) {
  if (mr_simd_is_scalar()) return mr_decimal_column_scalar(values, n, scale, out);
  return HWY_DYNAMIC_DISPATCH(DecimalColumn)(values, n, scale, out);
}

#endif  // HWY_ONCE

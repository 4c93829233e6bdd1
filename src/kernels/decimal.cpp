/*
 * decimal.cpp: stored numerics eight (or four, or two) at a time.
 *
 *   head   the 8 bytes that end with the numeric header: varlena header in byte 5, numeric header in 6 and 7
 *   tail   the 8 bytes that end with the value: its last four digits, the last one on top
 */
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

size_t DecimalColumn(const char* const* values, size_t n, int scale, int64_t* out) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const size_t lanes = hn::Lanes(d);
  const auto set = [d](int64_t x) HWY_ATTR { return hn::Set(d, x); };
  const auto shift = hn::Load(d, kShift);
  const auto times = hn::BitCast(d, hn::Load(du, kTimes));
  const auto back = hn::Load(d, kBack);
  const auto scale_bits = set(0x8000 | scale << 7);
  const int64_t* pointers = reinterpret_cast<const int64_t*>(values);
  const int64_t* nowhere = nullptr;
  size_t at = 0;
  for (; n - at >= lanes; at += lanes) {
    const V p = hn::LoadU(d, pointers + at);
    const V head = hn::GatherOffset(d, nowhere, hn::Sub(p, set(5)));
    const V first = hn::And(hn::ShiftRight<40>(head), set(0xFF));
    const V header = hn::And(hn::ShiftRight<48>(head), set(0xFFFF));
    const V bytes = hn::ShiftRight<1>(first);
    /* One-byte header of 3, 5, 7, 9 or 11 bytes; short, with that scale. Others must not be followed. */
    const auto fits = hn::And(hn::And(hn::Eq(hn::And(first, set(3)), set(3)),
                                      hn::And(hn::Gt(bytes, set(2)), hn::Lt(bytes, set(12)))),
                              hn::Eq(hn::And(header, set(0xDF80)), scale_bits));
    if (HWY_UNLIKELY(!hn::AllTrue(d, fits))) break;
    const V tail = hn::GatherOffset(d, nowhere, hn::Add(p, hn::Sub(bytes, set(8))));
    /* Bytes in front of the digits: 11 - bytes of them. */
    const V unused = hn::ShiftLeft<3>(hn::Sub(set(11), bytes));
    const V digits = hn::And(tail, hn::IfThenElseZero(hn::Lt(unused, set(64)), hn::Shl(set(-1), unused)));
    const V last = hn::BitCast(d, hn::ShiftRight<48>(hn::BitCast(du, digits)));
    const V third = hn::And(hn::ShiftRight<32>(digits), set(0xFFFF));
    const V second = hn::And(hn::ShiftRight<16>(digits), set(0xFFFF));
    const V top = hn::And(digits, set(0xFFFF));
    const V low = hn::Add(last, hn::Mul(third, set(10000)));
    const V high = hn::Add(second, hn::Mul(top, set(10000)));
    const V all = hn::Add(low, hn::Mul(high, set(100000000)));
    /* 4 * (weight - n + 1) + scale, with n = (bytes - 3) / 2; n = 0 is zero, whatever the weight. */
    const V weight = hn::Sub(hn::And(header, set(0x3F)), hn::And(header, set(0x40)));
    const V exponent = hn::Add(hn::Sub(hn::ShiftLeft<2>(weight), hn::ShiftLeft<1>(bytes)), set(10 + scale));
    const V index = hn::IfThenElse(hn::Eq(bytes, set(3)), set(3), hn::Add(exponent, set(3)));
    if (HWY_UNLIKELY(!hn::AllTrue(du, hn::Lt(hn::BitCast(du, index), hn::Set(du, 6))))) break;
    const auto lookup = hn::IndicesFromVec(d, index);
    const V value = hn::Mul(hn::BitCast(d, hn::Shr(hn::BitCast(du, all), hn::BitCast(du, hn::TableLookupLanes(shift, lookup)))),
                            hn::TableLookupLanes(times, lookup));
    /* What is not divisible gives a quotient that is right modulo 2^64 only, and far too large. */
    const auto divides = hn::And(hn::Eq(hn::Mul(value, hn::TableLookupLanes(back, lookup)), all),
                                 hn::And(hn::Not(hn::Gt(value, all)), hn::Not(hn::Lt(value, hn::Zero(d)))));
    const auto exact = hn::Or(hn::Gt(index, set(3)), divides);
    if (HWY_UNLIKELY(!hn::AllTrue(d, exact))) break;
    const auto negative = hn::Ne(hn::And(header, set(0x2000)), hn::Zero(d));
    hn::StoreU(hn::IfThenElse(negative, hn::Neg(value), value), d, out + at);
  }
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

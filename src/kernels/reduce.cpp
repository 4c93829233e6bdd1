/*
 * reduce.cpp: sums and extremes a vector at a time.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/reduce.h"
#include "kernels/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<int64_t>;
using V = hn::Vec<D>;

HWY_INLINE int64_t SumLanes(V v) {
  /* SumOfLanes of 1.0.3 adds signed integers in plain code, which must not wrap. */
  const D d;
  HWY_ALIGN int64_t lanes[HWY_MAX_BYTES / sizeof(int64_t)];
  hn::Store(v, d, lanes);
  return mr_sum_i64_scalar(lanes, hn::Lanes(d));
}

int64_t SumI64(const int64_t* values, size_t n) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V a = hn::Zero(d);
  V b = hn::Zero(d);
  size_t at = 0;
  for (; n - at >= 2 * lanes; at += 2 * lanes) {
    a = hn::Add(a, hn::LoadU(d, values + at));
    b = hn::Add(b, hn::LoadU(d, values + at + lanes));
  }
  if (n - at >= lanes) {
    a = hn::Add(a, hn::LoadU(d, values + at));
    at += lanes;
  }
  const uint64_t rest = static_cast<uint64_t>(mr_sum_i64_scalar(values + at, n - at));
  return static_cast<int64_t>(static_cast<uint64_t>(SumLanes(hn::Add(a, b))) + rest);
}

void SumI64Wide(const int64_t* values, size_t n, int64_t* high, uint64_t* low) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const size_t lanes = hn::Lanes(d);
  V highs = hn::Zero(d);
  V lows = hn::Zero(d);
  const V mask = hn::Set(d, int64_t{0xFFFFFFFF});
  size_t at = 0;
  for (; n - at >= lanes; at += lanes) {
    const V v = hn::LoadU(d, values + at);
    lows = hn::Add(lows, hn::And(v, mask));
    /* Adding 2^63 first makes a logical shift do for an arithmetic one. */
    const V lifted = hn::Xor(v, hn::Set(d, INT64_MIN));
    highs = hn::Add(highs, hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(du, lifted))));
  }
  int64_t rest_high;
  uint64_t rest_low;
  mr_sum_i64_wide_scalar(values + at, n - at, &rest_high, &rest_low);
  *high = SumLanes(highs) - static_cast<int64_t>(at) * (int64_t{1} << 31) + rest_high;
  *low = static_cast<uint64_t>(SumLanes(lows)) + rest_low;
}

template <class Better>
HWY_INLINE int64_t Extreme(const int64_t* values, size_t n, int64_t (*scalar)(const int64_t*, size_t), Better better) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  if (n < 2 * lanes) return scalar(values, n);
  V a = hn::LoadU(d, values);
  V b = hn::LoadU(d, values + lanes);
  size_t at = 2 * lanes;
  for (; n - at >= 2 * lanes; at += 2 * lanes) {
    a = better(a, hn::LoadU(d, values + at));
    b = better(b, hn::LoadU(d, values + at + lanes));
  }
  a = better(a, b);
  /* The last ones overlap those already seen: harmless here. */
  a = better(a, better(hn::LoadU(d, values + n - lanes), hn::LoadU(d, values + n - 2 * lanes)));
  HWY_ALIGN int64_t last[HWY_MAX_BYTES / sizeof(int64_t)];
  hn::Store(a, d, last);
  return scalar(last, lanes);
}

int64_t MinI64(const int64_t* values, size_t n) {
  return Extreme(values, n, mr_min_i64_scalar, [](V a, V b) HWY_ATTR { return hn::Min(a, b); });
}

int64_t MaxI64(const int64_t* values, size_t n) {
  return Extreme(values, n, mr_max_i64_scalar, [](V a, V b) HWY_ATTR { return hn::Max(a, b); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(SumI64);
HWY_EXPORT(SumI64Wide);
HWY_EXPORT(MinI64);
HWY_EXPORT(MaxI64);
}  // namespace
}  // namespace millrace

using namespace millrace;

int64_t mr_sum_i64(const int64_t* values, size_t n) {
  if (mr_simd_is_scalar()) return mr_sum_i64_scalar(values, n);
  return HWY_DYNAMIC_DISPATCH(SumI64)(values, n);
}

void mr_sum_i64_wide(const int64_t* values, size_t n, int64_t* high, uint64_t* low) {
  if (mr_simd_is_scalar()) return mr_sum_i64_wide_scalar(values, n, high, low);
  return HWY_DYNAMIC_DISPATCH(SumI64Wide)(values, n, high, low);
}

int64_t mr_min_i64(const int64_t* values, size_t n) {
  if (mr_simd_is_scalar()) return mr_min_i64_scalar(values, n);
  return HWY_DYNAMIC_DISPATCH(MinI64)(values, n);
}

int64_t mr_max_i64(const int64_t* values, size_t n) {
  if (mr_simd_is_scalar()) return mr_max_i64_scalar(values, n);
  return HWY_DYNAMIC_DISPATCH(MaxI64)(values, n);
}

#endif  // HWY_ONCE

/*
 * arithmetic.cpp: integers added, subtracted and multiplied a vector at a time.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/arithmetic.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/arithmetic.h"
#include "kernels/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<int64_t>;
using V = hn::Vec<D>;

/* out from op(a, b) for whole vectors. Returns how many rows were done. */
template <class Op>
HWY_INLINE size_t Run(const int64_t* a, const int64_t* b, size_t n, int64_t* out, Op op) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; n - at >= lanes; at += lanes) hn::StoreU(op(hn::LoadU(d, a + at), hn::LoadU(d, b + at)), d, out + at);
  return at;
}

/* The same; the sign of overflow(x, y, result) says that the result does not fit. 0: some do not. */
template <class Op, class Overflow>
HWY_INLINE int RunExact(const int64_t* a, const int64_t* b, size_t n, int64_t* out, Op op, Overflow overflow,
                        int (*scalar)(const int64_t*, const int64_t*, size_t, int64_t*)) {
  const D d;
  V signs = hn::Zero(d);
  const size_t at = Run(a, b, n, out, [&](V x, V y) HWY_ATTR {
    const V r = op(x, y);
    signs = hn::Or(signs, overflow(x, y, r));
    return r;
  });
  const bool fits = hn::AllFalse(d, hn::Lt(signs, hn::Zero(d)));
  return scalar(a + at, b + at, n - at, out + at) & fits;
}

/* A sum overflows when both operands have another sign than it has. */
int AddI64(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
  return RunExact(
      a, b, n, out, [](V x, V y) HWY_ATTR { return hn::Add(x, y); },
      [](V x, V y, V r) HWY_ATTR { return hn::And(hn::Xor(x, r), hn::Xor(y, r)); }, mr_add_i64_scalar);
}

/* A difference overflows when the operands have different signs and it not that of the first. */
int SubtractI64(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
  return RunExact(
      a, b, n, out, [](V x, V y) HWY_ATTR { return hn::Sub(x, y); },
      [](V x, V y, V r) HWY_ATTR { return hn::And(hn::Xor(x, y), hn::Xor(x, r)); }, mr_subtract_i64_scalar);
}

/* All bits that any lane has. */
HWY_INLINE uint64_t OrLanes(V v) {
  const D d;
  HWY_ALIGN int64_t lanes[HWY_MAX_BYTES / sizeof(int64_t)];
  hn::Store(v, d, lanes);
  uint64_t all = 0;
  for (size_t i = 0; i < hn::Lanes(d); i++) all |= static_cast<uint64_t>(lanes[i]);
  return all;
}

int MultiplyI64(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  const D d;
  V all_a = hn::Zero(d);
  V all_b = hn::Zero(d);
  const auto magnitude = [d](V v) HWY_ATTR { return hn::Xor(v, hn::VecFromMask(d, hn::Lt(v, hn::Zero(d)))); };
  const size_t at = Run(a, b, n, out, [&](V x, V y) HWY_ATTR {
    all_a = hn::Or(all_a, magnitude(x));
    all_b = hn::Or(all_b, magnitude(y));
    return hn::Mul(x, y);
  });
  /* The rest, with what the widest of the vectors was beside it. */
  int64_t rest_a[HWY_MAX_BYTES / sizeof(int64_t) + 1];
  int64_t rest_b[HWY_MAX_BYTES / sizeof(int64_t) + 1];
  int64_t rest_out[HWY_MAX_BYTES / sizeof(int64_t) + 1];
  const size_t rest = n - at;
  for (size_t i = 0; i < rest; i++) {
    rest_a[i] = a[at + i];
    rest_b[i] = b[at + i];
  }
  rest_a[rest] = static_cast<int64_t>(OrLanes(all_a));
  rest_b[rest] = static_cast<int64_t>(OrLanes(all_b));
  const int fits = mr_multiply_i64_scalar(rest_a, rest_b, rest + 1, rest_out);
  for (size_t i = 0; i < rest; i++) out[at + i] = rest_out[i];
  return fits;
#else
  /* Other targets have no multiplication of 64-bit lanes in one instruction. */
  return mr_multiply_i64_scalar(a, b, n, out);
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(AddI64);
HWY_EXPORT(SubtractI64);
HWY_EXPORT(MultiplyI64);
}  // namespace
}  // namespace millrace

using namespace millrace;

int mr_add_i64(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
  if (mr_simd_is_scalar()) return mr_add_i64_scalar(a, b, n, out);
  return HWY_DYNAMIC_DISPATCH(AddI64)(a, b, n, out);
}

int mr_subtract_i64(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
  if (mr_simd_is_scalar()) return mr_subtract_i64_scalar(a, b, n, out);
  return HWY_DYNAMIC_DISPATCH(SubtractI64)(a, b, n, out);
}

int mr_multiply_i64(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
  if (mr_simd_is_scalar()) return mr_multiply_i64_scalar(a, b, n, out);
  return HWY_DYNAMIC_DISPATCH(MultiplyI64)(a, b, n, out);
}

#endif  // HWY_ONCE

/*
 * filter.cpp: masks a vector at a time.
 */
#include <string.h>

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/filter.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/filter.h"
#include "kernels/simd_target.h"
#if HWY_ARCH_X86_64
#include <immintrin.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<int64_t>;
using V = hn::Vec<D>;

/* The bits of one mask in the low bits of a word; at most 64 lanes. */
template <class Tag, class Mask>
HWY_INLINE uint64_t MaskBits(Tag d, Mask mask) {
  uint8_t bytes[HWY_MAX_BYTES / 8 + 8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  uint64_t bits;
  memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

template <class Test>
HWY_INLINE void CompareWith(const int64_t* values, size_t n, uint64_t* bits, Test test) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; n - at >= 64; at += 64) {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; i += lanes) word |= MaskBits(d, test(hn::LoadU(d, values + at + i))) << i;
    bits[at / 64] = word;
  }
  if (at == n) return;
  /* The last word: whole vectors, then single rows through a padded copy. */
  uint64_t word = 0;
  size_t i = 0;
  for (; n - at - i >= lanes; i += lanes) word |= MaskBits(d, test(hn::LoadU(d, values + at + i))) << i;
  if (at + i < n) {
    int64_t rest[HWY_MAX_BYTES / sizeof(int64_t)] = {};
    memcpy(rest, values + at + i, (n - at - i) * sizeof(int64_t));
    const uint64_t valid = (uint64_t{1} << (n - at - i)) - 1;
    word |= (MaskBits(d, test(hn::LoadU(d, rest))) & valid) << i;
  }
  bits[at / 64] = word;
}

void CompareI64(const int64_t* values, size_t n, MrCompare op, int64_t with, uint64_t* bits) {
  const D d;
  const V w = hn::Set(d, with);
  switch (op) {
    case kMrEq:
      return CompareWith(values, n, bits, [w](V v) HWY_ATTR { return hn::Eq(v, w); });
    case kMrNe:
      return CompareWith(values, n, bits, [w](V v) HWY_ATTR { return hn::Ne(v, w); });
    case kMrLt:
      return CompareWith(values, n, bits, [w](V v) HWY_ATTR { return hn::Lt(v, w); });
    case kMrLe:
      return CompareWith(values, n, bits, [w](V v) HWY_ATTR { return hn::Not(hn::Gt(v, w)); });
    case kMrGt:
      return CompareWith(values, n, bits, [w](V v) HWY_ATTR { return hn::Gt(v, w); });
    default:
      return CompareWith(values, n, bits, [w](V v) HWY_ATTR { return hn::Not(hn::Lt(v, w)); });
  }
}

template <class Test>
HWY_INLINE void CompareColumns(const int64_t* a, const int64_t* b, size_t n, uint64_t* bits, Test test) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; n - at >= 64; at += 64) {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; i += lanes)
      word |= MaskBits(d, test(hn::LoadU(d, a + at + i), hn::LoadU(d, b + at + i))) << i;
    bits[at / 64] = word;
  }
  if (at == n) return;
  uint64_t word = 0;
  size_t i = 0;
  for (; n - at - i >= lanes; i += lanes)
    word |= MaskBits(d, test(hn::LoadU(d, a + at + i), hn::LoadU(d, b + at + i))) << i;
  if (at + i < n) {
    int64_t rest_a[HWY_MAX_BYTES / sizeof(int64_t)] = {};
    int64_t rest_b[HWY_MAX_BYTES / sizeof(int64_t)] = {};
    memcpy(rest_a, a + at + i, (n - at - i) * sizeof(int64_t));
    memcpy(rest_b, b + at + i, (n - at - i) * sizeof(int64_t));
    const uint64_t valid = (uint64_t{1} << (n - at - i)) - 1;
    word |= (MaskBits(d, test(hn::LoadU(d, rest_a), hn::LoadU(d, rest_b))) & valid) << i;
  }
  bits[at / 64] = word;
}

void CompareColumnsI64(const int64_t* a, const int64_t* b, size_t n, MrCompare op, uint64_t* bits) {
  switch (op) {
    case kMrEq:
      return CompareColumns(a, b, n, bits, [](V v, V w) HWY_ATTR { return hn::Eq(v, w); });
    case kMrNe:
      return CompareColumns(a, b, n, bits, [](V v, V w) HWY_ATTR { return hn::Ne(v, w); });
    case kMrLt:
      return CompareColumns(a, b, n, bits, [](V v, V w) HWY_ATTR { return hn::Lt(v, w); });
    case kMrLe:
      return CompareColumns(a, b, n, bits, [](V v, V w) HWY_ATTR { return hn::Not(hn::Gt(v, w)); });
    case kMrGt:
      return CompareColumns(a, b, n, bits, [](V v, V w) HWY_ATTR { return hn::Gt(v, w); });
    default:
      return CompareColumns(a, b, n, bits, [](V v, V w) HWY_ATTR { return hn::Not(hn::Lt(v, w)); });
  }
}

void BlendI64(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; n - at >= 64; at += 64) {
    const uint64_t word = bits[at / 64];
    if (word == 0) continue;
    for (size_t i = 0; i < 64; i += lanes) {
      const uint64_t part = word >> i;
      const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&part));
      hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, values + at + i), hn::LoadU(d, out + at + i)), d, out + at + i);
    }
  }
  mr_blend_i64_scalar(values + at, bits + at / 64, n - at, out + at);
}

void MaskNonzero(const uint8_t* bytes, size_t n, uint64_t* bits) {
  const hn::CappedTag<uint8_t, 64> d;
  const size_t lanes = hn::Lanes(d);
  size_t at = 0;
  for (; n - at >= 64; at += 64) {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; i += lanes)
      word |= MaskBits(d, hn::Ne(hn::LoadU(d, bytes + at + i), hn::Zero(d))) << i;
    bits[at / 64] = word;
  }
  if (at < n) mr_mask_nonzero_scalar(bytes + at, n - at, bits + at / 64);
}

/* The chosen lanes of v, moved together. Highway 1.0.3 copies a table of 2 kB onto the stack for each call. */
template <class Mask>
HWY_INLINE V Together(V v, Mask mask) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  return V{_mm512_maskz_compress_epi64(mask.raw, v.raw)};
#else
  return hn::Compress(v, mask);
#endif
}

size_t CompressI64(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  size_t m = 0;
  size_t at = 0;
  for (; n - at >= 64; at += 64) {
    const uint64_t word = bits[at / 64];
    if (word == 0) continue;
    if (word == ~uint64_t{0}) {
      if (out + m != values + at)
        for (size_t i = 0; i < 64; i += lanes) hn::StoreU(hn::LoadU(d, values + at + i), d, out + m + i);
      m += 64;
      continue;
    }
    for (size_t i = 0; i < 64; i += lanes) {
      const uint64_t part = word >> i;
      const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&part));
      /*
       * Whole vectors are stored: what they write past the chosen lanes has been loaded already,
       * since m never runs ahead. Storing only those lanes is slow on some processors.
       */
      hn::StoreU(Together(hn::LoadU(d, values + at + i), mask), d, out + m);
      m += hn::CountTrue(d, mask);
    }
  }
  return m + mr_compress_i64_scalar(values + at, bits + at / 64, n - at, out + m);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(CompareI64);
HWY_EXPORT(CompareColumnsI64);
HWY_EXPORT(BlendI64);
HWY_EXPORT(MaskNonzero);
HWY_EXPORT(CompressI64);
}  // namespace
}  // namespace millrace

using namespace millrace;

void mr_compare_i64(const int64_t* values, size_t n, MrCompare op, int64_t with, uint64_t* bits) {
  if (mr_simd_is_scalar()) return mr_compare_i64_scalar(values, n, op, with, bits);
  HWY_DYNAMIC_DISPATCH(CompareI64)(values, n, op, with, bits);
}

void mr_compare_columns_i64(const int64_t* a, const int64_t* b, size_t n, MrCompare op, uint64_t* bits) {
  if (mr_simd_is_scalar()) return mr_compare_columns_i64_scalar(a, b, n, op, bits);
  HWY_DYNAMIC_DISPATCH(CompareColumnsI64)(a, b, n, op, bits);
}

void mr_blend_i64(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out) {
  if (mr_simd_is_scalar()) return mr_blend_i64_scalar(values, bits, n, out);
  HWY_DYNAMIC_DISPATCH(BlendI64)(values, bits, n, out);
}

void mr_mask_nonzero(const uint8_t* bytes, size_t n, uint64_t* bits) {
  if (mr_simd_is_scalar()) return mr_mask_nonzero_scalar(bytes, n, bits);
  HWY_DYNAMIC_DISPATCH(MaskNonzero)(bytes, n, bits);
}

size_t mr_compress_i64(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out) {
  if (mr_simd_is_scalar()) return mr_compress_i64_scalar(values, bits, n, out);
  return HWY_DYNAMIC_DISPATCH(CompressI64)(values, bits, n, out);
}

#endif  // HWY_ONCE

/*
 * line_pointers.cpp: line pointers a vector at a time.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/line_pointers.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/line_pointers.h"
#include "kernels/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

size_t CountNormalPointers(const uint32_t* items, size_t n) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto mask = hn::Set(d, 3u << 15);
  const auto normal = hn::Set(d, 1u << 15);
  const auto is_normal = [&](size_t at) { return hn::Eq(hn::And(hn::LoadU(d, items + at), mask), normal); };
  size_t count = 0;
  size_t at = 0;
  for (; n - at >= 2 * lanes; at += 2 * lanes)
    count += hn::CountTrue(d, is_normal(at)) + hn::CountTrue(d, is_normal(at + lanes));
  return count + mr_count_normal_pointers_scalar(items + at, n - at);
}

/* lp_off: 15 bits, the first ones of the bit field. */
constexpr int kOffsetShift = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 17 : 0;

size_t NormalItems(const uint32_t* items, size_t n, char* page, char** out) {
  const hn::ScalableTag<uint64_t> d64;
  const hn::Rebind<uint32_t, decltype(d64)> d;
  const size_t lanes = hn::Lanes(d);
  const auto mask = hn::Set(d, 3u << 15);
  const auto normal = hn::Set(d, 1u << 15);
  const auto base = hn::Set(d64, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(page)));
  size_t at = 0;
  size_t found = 0;
  for (; n - at >= lanes; at += lanes) {
    const auto word = hn::LoadU(d, items + at);
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Eq(hn::And(word, mask), normal)))) {
      found += mr_normal_items_scalar(items + at, lanes, page, out + found);
      continue;
    }
    const auto offset = hn::And(hn::ShiftRight<kOffsetShift>(word), hn::Set(d, 0x7FFF));
    hn::StoreU(hn::Add(hn::PromoteTo(d64, offset), base), d64, reinterpret_cast<uint64_t*>(out + found));
    found += lanes;
  }
  return found + mr_normal_items_scalar(items + at, n - at, page, out + found);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(CountNormalPointers);
HWY_EXPORT(NormalItems);
}  // namespace
}  // namespace millrace

using namespace millrace;

size_t mr_count_normal_pointers(const uint32_t* items, size_t n) {
  if (mr_simd_is_scalar()) return mr_count_normal_pointers_scalar(items, n);
  return HWY_DYNAMIC_DISPATCH(CountNormalPointers)(items, n);
}

size_t mr_normal_items(const uint32_t* items, size_t n, char* page, char** out) {
  if (mr_simd_is_scalar()) return mr_normal_items_scalar(items, n, page, out);
  return HWY_DYNAMIC_DISPATCH(NormalItems)(items, n, page, out);
}

#endif  // HWY_ONCE

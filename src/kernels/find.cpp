/*
 * find.cpp: a string within a string: places where both its first and its last byte are.
 */
#include <string.h>

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/find.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/find.h"
#include "kernels/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE uint64_t Places(D d, const char* text, size_t last, hn::Vec<D> first_byte, hn::Vec<D> last_byte) {
  const auto first = hn::LoadU(d, reinterpret_cast<const uint8_t*>(text));
  const auto end = hn::LoadU(d, reinterpret_cast<const uint8_t*>(text + last));
  uint8_t bytes[HWY_MAX_BYTES / 8 + 8] = {};
  hn::StoreMaskBits(d, hn::And(hn::Eq(first, first_byte), hn::Eq(end, last_byte)), bytes);
  uint64_t bits;
  memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

size_t FindBytes(const char* text, size_t n, const char* needle, size_t m) {
  /* Most texts are short: vectors longer than 16 bytes would seldom be filled. */
  const hn::CappedTag<uint8_t, 16> d;
  const size_t lanes = hn::Lanes(d);
  if (n < m) return n;
  const size_t places = n - m + 1;
  if (places < lanes) return mr_find_bytes_scalar(text, n, needle, m);
  const auto first_byte = hn::Set(d, static_cast<uint8_t>(needle[0]));
  const auto last_byte = hn::Set(d, static_cast<uint8_t>(needle[m - 1]));
  for (size_t at = 0;; at += lanes) {
    /* The last vector overlaps the one before. */
    if (at + lanes > places) at = places - lanes;
    for (uint64_t bits = Places(d, text + at, m - 1, first_byte, last_byte); bits != 0; bits &= bits - 1) {
      const size_t place = at + static_cast<size_t>(__builtin_ctzll(bits));
      if (memcmp(text + place, needle, m) == 0) return place;
    }
    if (at + lanes == places) return n;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(FindBytes);
}  // namespace
}  // namespace millrace

using namespace millrace;

size_t mr_find_bytes(const char* text, size_t n, const char* needle, size_t m) {
  if (mr_simd_is_scalar()) return mr_find_bytes_scalar(text, n, needle, m);
  return HWY_DYNAMIC_DISPATCH(FindBytes)(text, n, needle, m);
}

#endif  // HWY_ONCE

/*
 * convert-inl.h: steps that the SIMD converters share.
 *
 * The converters work on one field a 64-bit lane: a field's bytes are gathered
 * into 8-byte windows, and then checked and multiplied across the fields.
 */
#if defined(MILLRACE_KERNELS_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MILLRACE_KERNELS_CONVERT_INL_H_
#undef MILLRACE_KERNELS_CONVERT_INL_H_
#else
#define MILLRACE_KERNELS_CONVERT_INL_H_
#endif

#include <string.h>

#include "base/plain.h"
#include "hwy/highway.h"

/* 0 for Highway's fallbacks, which the plain twins serve better; digits are joined in little-endian lanes. */
#undef MR_CONVERT_SIMD
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#define MR_CONVERT_SIMD 0
#else
#define MR_CONVERT_SIMD 1
#endif

#if MR_CONVERT_SIMD

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<uint64_t>;
using D8 = hn::Repartition<uint8_t, D64>;
using D16 = hn::Repartition<uint16_t, D64>;
using D32 = hn::Repartition<uint32_t, D64>;
using DI8 = hn::RebindToSigned<D8>;
using DI64 = hn::RebindToSigned<D64>;
using DI32 = hn::RebindToSigned<D32>;
using DI16 = hn::RebindToSigned<D16>;
using DHalf32 = hn::Rebind<uint32_t, D64>; /* as many lanes as D64 */
using DEighth8 = hn::Rebind<uint8_t, D64>;
using V64 = hn::VFromD<D64>;
using V8 = hn::VFromD<D8>;
using M64 = hn::Mask<D64>;

/* Whether every status is MR_VALUE, so that no field needs a look at it. */
HWY_INLINE bool AllValues(const uint8_t* status, uint32_t n) {
  const hn::ScalableTag<uint8_t> d;
  const uint32_t step = static_cast<uint32_t>(hn::Lanes(d));
  auto other = hn::Zero(d);
  uint32_t i = 0;
  for (; i + step <= n; i += step) {
    other = hn::Or(other, hn::Xor(hn::LoadU(d, status + i), hn::Set(d, MR_VALUE)));
  }
  bool all = hn::AllTrue(d, hn::Eq(other, hn::Zero(d)));
  for (; i < n; i++) all &= status[i] == MR_VALUE;
  return all;
}

/* Bytes of the longest field; may be more when fields that are not MR_VALUE have lengths. */
HWY_INLINE uint32_t LongestField(const uint32_t* len, uint32_t n) {
  const hn::ScalableTag<uint32_t> d;
  const uint32_t step = static_cast<uint32_t>(hn::Lanes(d));
  auto longest = hn::Zero(d);
  uint32_t i = 0;
  for (; i + step <= n; i += step) longest = hn::Max(longest, hn::LoadU(d, len + i));
  uint32_t result = hn::GetLane(hn::MaxOfLanes(d, longest));
  for (; i < n; i++) result = len[i] > result ? len[i] : result;
  return result;
}

/* Fields are copied out of the text this many at a time. */
constexpr uint32_t kBlock = 64;

/*
 * Copies kWindows windows of 8 bytes of each field: window[w][i] ends 8 * w bytes
 * before field i's end. Plain loads and stores are twice as fast as gathers here
 * (Zen 5: 0.4 against 1.2 ns a window). With kNulls the fields that are not
 * MR_VALUE, whose positions mean nothing, are read in the slack before the buffer.
 */
template <int kWindows, bool kNulls>
HWY_INLINE void StageEnds(const char* base, const uint32_t* start, const uint32_t* len, const uint8_t* status,
                          uint32_t count, uint64_t (*window)[kBlock]) {
  for (uint32_t i = 0; i < count; i++) {
    size_t end = size_t{start[i]} + len[i];
    if (kNulls) end = status[i] == MR_VALUE ? end : 0;
    __asm__("" : "+r"(end)); /* keep compilers from building vectors out of eight-byte pieces */
    for (int w = 0; w < kWindows; w++) memcpy(&window[w][i], base + end - 8 * (w + 1), 8);
  }
}

/* The same for windows that begin kAt bytes after the start of the field: window[w] for the w-th kAt. */
template <bool kNulls, int... kAt>
HWY_INLINE void StageStarts(const char* base, const uint32_t* start, const uint8_t* status, uint32_t count,
                            uint64_t (*window)[kBlock]) {
  for (uint32_t i = 0; i < count; i++) {
    size_t at = start[i];
    if (kNulls) at = status[i] == MR_VALUE ? at : 0;
    __asm__("" : "+r"(at));
    int w = 0;
    (memcpy(&window[w++][i], base + at + kAt, 8), ...);
  }
}

/* Lengths of the N fields at len, one a lane. */
HWY_INLINE V64 LoadLengths(const uint32_t* len) { return hn::PromoteTo(D64(), hn::LoadU(DHalf32(), len)); }

/* The lanes whose status is MR_VALUE. */
HWY_INLINE M64 LoadIsValue(const uint8_t* status) {
  const D64 d;
  return hn::Eq(hn::PromoteTo(d, hn::PromoteTo(DHalf32(), hn::LoadU(DEighth8(), status))),
                hn::Set(d, MR_VALUE));
}

/* Every byte of a lane becomes the lane's lowest byte. */
HWY_INLINE V8 SpreadLowByte(V64 v) {
  const D8 d8;
  alignas(16) static constexpr uint8_t kIndex[16] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};
  return hn::TableLookupBytes(hn::BitCast(d8, v), hn::LoadDup128(d8, kIndex));
}

/* a * even + b * odd for neighbouring 16-bit lanes (a, b), all small enough for int16_t; a 32-bit sum. */
template <class V16>
HWY_INLINE hn::VFromD<D32> MulAddPairs(V16 v, V16 by) {
  const D32 d32;
#if HWY_ARCH_X86
  const DI16 di16;
  const DI32 di32;
  auto unused = hn::Zero(di32);
  return hn::BitCast(
      d32, hn::ReorderWidenMulAccumulate(di32, hn::BitCast(di16, v), hn::BitCast(di16, by), hn::Zero(di32),
                                         unused)); /* pmaddwd: pairs stay together */
#else
  const auto product = hn::BitCast(d32, hn::Mul(v, by));
  return hn::Add(hn::ShiftRight<16>(product), hn::And(product, hn::Set(d32, 0xffff)));
#endif
}

/* Eight digit values (0 to 9), the first in the lowest byte, to four numbers below 100. */
HWY_INLINE hn::VFromD<D16> DigitsTo2(V64 digits) {
  const D16 d16;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
  /* Not in Highway 1.0.3, and GCC turns the multiplication below into four shifts and adds. */
  const auto by = hn::Set(d16, 1 << 8 | 10);
#if HWY_TARGET <= HWY_AVX3
  return hn::VFromD<D16>{_mm512_maddubs_epi16(digits.raw, by.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::VFromD<D16>{_mm256_maddubs_epi16(digits.raw, by.raw)};
#else
  return hn::VFromD<D16>{_mm_maddubs_epi16(digits.raw, by.raw)};
#endif
#else
  return hn::ShiftRight<8>(hn::Mul(hn::BitCast(d16, digits), hn::Set(d16, 10 * 256 + 1)));
#endif
}

/* Eight digit values to two numbers below 10000, in the low and high half of the lane. */
HWY_INLINE hn::VFromD<D32> DigitsTo4(V64 digits) {
  const D16 d16;
  return MulAddPairs(DigitsTo2(digits), hn::BitCast(d16, hn::Set(D32(), 1 << 16 | 100)));
}

/* Eight digit values to one number. */
HWY_INLINE V64 DigitsTo8(V64 digits) {
  const D64 d;
  const hn::VFromD<D32> pair = DigitsTo4(digits);
  return hn::Add(hn::MulEven(pair, hn::Set(D32(), 10000)), hn::ShiftRight<32>(hn::BitCast(d, pair)));
}

/* The low 16, 32 or all bits of each lane to out. */
template <class D>
HWY_INLINE void StoreLow(V64 v, D d, uint32_t* out) {
  hn::StoreU(hn::TruncateTo(d, v), d, out);
}
template <class D>
HWY_INLINE void StoreLow(V64 v, D d, uint16_t* out) {
  hn::StoreU(hn::TruncateTo(d, v), d, out);
}
template <class D>
HWY_INLINE void StoreLow(V64 v, D d, uint64_t* out) {
  hn::StoreU(v, d, out);
}

/*
 * Gives the lanes in `bad`, all MR_VALUE, one more try by convert(i), with i
 * counted from `first`; those it refuses are marked. Returns how many. Rare.
 */
template <class F>
HWY_NOINLINE uint32_t RetryLanes(M64 bad, uint32_t first, uint8_t* status, const F& convert) {
  const D64 d;
  uint8_t bits[HWY_MAX_BYTES / 64 < 8 ? 8 : HWY_MAX_BYTES / 64] = {0};
  hn::StoreMaskBits(d, bad, bits);
  uint32_t refused = 0;
  for (uint32_t i = 0; i < hn::Lanes(d); i++) {
    if ((bits[i / 8] >> (i % 8) & 1) == 0 || convert(first + i)) continue;
    status[first + i] = MR_REFUSED;
    refused++;
  }
  return refused;
}

/* The last fields of a batch, fewer than a vector, one by one. */
template <class F>
HWY_INLINE uint32_t RetryRest(uint32_t first, uint32_t n, uint8_t* status, const F& convert) {
  uint32_t refused = 0;
  for (uint32_t i = first; i < n; i++) {
    if (status[i] != MR_VALUE || convert(i)) continue;
    status[i] = MR_REFUSED;
    refused++;
  }
  return refused;
}

}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();
#endif  // MR_CONVERT_SIMD

#endif  // toggle guard

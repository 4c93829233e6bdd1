/*
 * block64-inl.h: 64 bytes of text to 64-bit masks and masks to positions, for
 * each SIMD target. Masks of a block are plain integers, so that the logic above
 * them is written once and the compiler keeps everything in registers.
 */
#if defined(MR_KERNELS_BLOCK64_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MR_KERNELS_BLOCK64_INL_H
#undef MR_KERNELS_BLOCK64_INL_H
#else
#define MR_KERNELS_BLOCK64_INL_H
#endif

#include "hwy/highway.h"
#include "kernels/block64.h"

/*
 * Highway's own fallbacks have no vectors worth the name, and our masks assume
 * the byte order of all SIMD machines met so far: elsewhere kernels run as their
 * scalar twins.
 */
#undef MR_HAVE_SIMD
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#define MR_HAVE_SIMD 0
#else
#define MR_HAVE_SIMD 1
#endif

/* One instruction compresses 64 bytes, and pext is fast wherever these exist. */
#undef MR_HAVE_VBMI2
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3_DL
#define MR_HAVE_VBMI2 1
#else
#define MR_HAVE_VBMI2 0
#endif

#if HWY_ARCH_X86_64
#include <immintrin.h>
#endif

#if MR_HAVE_SIMD
HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::CappedTag<uint8_t, 64>;

/* The mask of one vector as an integer. */
template <class M>
HWY_INLINE uint64_t MaskToBits(Bytes d, M mask) {
#if HWY_HAVE_SCALABLE
  uint64_t bits = 0;
#elif HWY_MAX_BYTES >= 64
  uint64_t bits;
#elif HWY_MAX_BYTES == 32
  uint32_t bits; /* as wide as what is stored, else the store stalls the load */
#else
  uint16_t bits;
#endif
  hn::StoreMaskBits(d, mask, reinterpret_cast<uint8_t*>(&bits));
#if MR_HAVE_VBMI2
  /* Else GCC moves the mask anew for every use, or works on in mask registers: both on the busiest port. */
  __asm__("" : "+r"(bits));
#endif
  return bits;
}

/* Bit i tells whether p[i] == c, for 64 bytes. */
HWY_INLINE uint64_t EqualBits(const uint8_t* HWY_RESTRICT p, uint8_t c) {
  const Bytes d;
  const auto wanted = hn::Set(d, c);
  uint64_t bits = 0;
  for (size_t i = 0; i < 64; i += hn::Lanes(d))
    bits |= MaskToBits(d, hn::Eq(hn::LoadU(d, p + i), wanted)) << i;
  return bits;
}

/* Is no byte of the 64 * kBlocks at p one of the two? The vectors are folded first, as masks are dear. */
template <size_t kBlocks>
HWY_INLINE bool HasNeither(const uint8_t* HWY_RESTRICT p, uint8_t a, uint8_t b) {
  const Bytes d;
  const auto va = hn::Set(d, a);
  const auto vb = hn::Set(d, b);
  auto least = hn::Set(d, 0xFF); /* 0 where a byte was met */
  for (size_t i = 0; i < 64 * kBlocks; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, p + i);
    least = hn::Min(least, hn::Min(hn::Xor(v, va), hn::Xor(v, vb)));
  }
  return hn::AllFalse(d, hn::Eq(least, hn::Zero(d)));
}

/* Does the byte occur in the 64 * kBlocks bytes at p? */
template <size_t kBlocks>
HWY_INLINE bool Has(const uint8_t* HWY_RESTRICT p, uint8_t c) {
  return !HasNeither<kBlocks>(p, c, c);
}

/*
 * A block's mask where it was made: with 64-byte vectors in a mask register, from
 * which it need not move to be emitted; else an integer.
 */
#if MR_HAVE_VBMI2
using BlockMask = hn::Mask<Bytes>;
HWY_INLINE BlockMask EqualMask(const uint8_t* HWY_RESTRICT p, uint8_t c) {
  const Bytes d;
  return hn::Eq(hn::LoadU(d, p), hn::Set(d, c));
}
HWY_INLINE BlockMask OrMasks(BlockMask a, BlockMask b) { return hn::Or(a, b); }
HWY_INLINE uint64_t ToBits(BlockMask mask) { return MaskToBits(Bytes(), mask); }
HWY_INLINE BlockMask FromBits(uint64_t bits) {
  return hn::LoadMaskBits(Bytes(), reinterpret_cast<const uint8_t*>(&bits));
}
#else
using BlockMask = uint64_t;
HWY_INLINE BlockMask EqualMask(const uint8_t* HWY_RESTRICT p, uint8_t c) { return EqualBits(p, c); }
HWY_INLINE BlockMask OrMasks(BlockMask a, BlockMask b) { return a | b; }
HWY_INLINE uint64_t ToBits(BlockMask mask) { return mask; }
HWY_INLINE BlockMask FromBits(uint64_t bits) { return bits; }
#endif

/* Bit i is the exclusive or of the bits 0 to i: inside or outside, from a mask of toggles. */
HWY_INLINE uint64_t PrefixXor(uint64_t bits) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_SSE4
  const hn::FixedTag<uint64_t, 2> d;
  return hn::GetLane(hn::CLMulLower(hn::Set(d, bits), hn::Set(d, ~uint64_t{0})));
#else
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
#endif
}

/*
 * With an escape that is not the quote: which quotes open or close. `escaped` are
 * the bytes after an odd run of escapes, `in_quote` is all ones when the block
 * starts inside quotes. A quote after an even run is a toggle; after an odd run
 * it opens outside quotes, where escapes mean nothing, and is data inside.
 */
HWY_INLINE uint64_t ToggleQuotes(uint64_t quotes, uint64_t escaped, uint64_t in_quote) {
  uint64_t toggles = quotes & ~escaped;
  for (uint64_t rest = quotes & escaped; rest != 0; rest &= rest - 1) {
    const uint64_t bit = rest & -rest;
    const bool inside = (PopCount64(toggles & (bit - 1)) ^ static_cast<uint32_t>(in_quote)) & 1;
    if (!inside) toggles |= bit;
  }
  return toggles;
}

/*
 * Writes base + i for every set bit i of the mask, of which there are n, ascending
 * to out. May write up to 64 entries in all.
 */
HWY_INLINE void EmitMask(BlockMask mask, uint32_t n, uint32_t base, uint32_t* HWY_RESTRICT out) {
#if MR_HAVE_VBMI2
  const hn::FixedTag<uint8_t, 16> d16;
  const hn::FixedTag<uint32_t, 16> d32;
  const auto positions = hn::Compress(hn::Iota(Bytes(), 0), mask);
  const auto vbase = hn::Set(d32, base);
  const auto first = hn::LowerHalf(hn::LowerHalf(positions));
  hn::StoreU(hn::Add(hn::PromoteTo(d32, first), vbase), d32, out);
  if (HWY_UNLIKELY(n > 16)) {
    HWY_ALIGN uint8_t all[64];
    hn::Store(positions, Bytes(), all);
    for (uint32_t i = 16; i < n; i += 16)
      hn::StoreU(hn::Add(hn::PromoteTo(d32, hn::Load(d16, all + i)), vbase), d32, out + i);
  }
#elif HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  const hn::FixedTag<uint32_t, 16> d32;
  (void)n;
  for (uint32_t i = 0; i < 64; i += 16) {
    const uint16_t part = static_cast<uint16_t>(mask >> i);
    const auto lanes = hn::LoadMaskBits(d32, reinterpret_cast<const uint8_t*>(&part));
    hn::StoreU(hn::Compress(hn::Iota(d32, base + i), lanes), d32, out);
    out += PopCount64(part);
  }
#else
  if (n == 0) return;
  const hn::CappedTag<uint32_t, 8> d32;
  const hn::Rebind<uint8_t, decltype(d32)> d8;
  for (uint32_t i = 0; i < 64; i += 8) {
    const uint8_t part = static_cast<uint8_t>(mask >> i);
    const auto vbase = hn::Set(d32, base + i);
    for (size_t lane = 0; lane < 8; lane += hn::Lanes(d32))
      hn::StoreU(hn::Add(hn::PromoteTo(d32, hn::LoadU(d8, kBitPositions.at[part] + lane)), vbase), d32,
                 out + lane);
    out += PopCount64(part);
  }
#endif
}

/* The same from an integer; returns how many were written. */
HWY_INLINE uint32_t EmitPositions(uint64_t bits, uint32_t base, uint32_t* HWY_RESTRICT out) {
  const uint32_t n = PopCount64(bits);
  EmitMask(FromBits(bits), n, base, out);
  return n;
}

/* The same for a mask of at most two bits: the integer units are idle where vectors have much to do. */
HWY_INLINE void EmitTwo(uint64_t bits, uint32_t base, uint32_t* HWY_RESTRICT out) {
  constexpr uint64_t kEnd = uint64_t{1} << 63; /* so that there is a bit to be found */
  out[0] = base + LowestBit(bits | kEnd);
  out[1] = base + LowestBit((bits & (bits - 1)) | kEnd);
}
HWY_INLINE bool AtMostTwo(uint64_t bits) {
  const uint64_t less = bits & (bits - 1);
  return (less & (less - 1)) == 0;
}

/*
 * For each set bit of `some`, a subset of `all`, writes base plus how many bits
 * of `all` are below it; returns how many were written. May write 64 entries.
 */
HWY_INLINE uint32_t EmitRanks(uint64_t some, uint64_t all, uint32_t base, uint32_t* HWY_RESTRICT out) {
#if MR_HAVE_VBMI2
  return EmitPositions(_pext_u64(some, all), base, out);
#else
  uint32_t n = 0;
  for (; some != 0; some &= some - 1) out[n++] = base + PopCount64(all & ((some & -some) - 1));
  return n;
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();
#endif  // MR_HAVE_SIMD

#endif  // MR_KERNELS_BLOCK64_INL_H

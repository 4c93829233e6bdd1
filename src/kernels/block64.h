/*
 * block64.h: arithmetic on 64-bit masks that stand for 64 bytes, bit i for byte i.
 * Nothing here depends on the SIMD target; block64-inl.h has what does.
 */
#pragma once
#include "base/plain.h"

/* Always, so that each is compiled with the instructions of the target it is used by. */
#define MR_ALWAYS_INLINE inline __attribute__((always_inline))

namespace millrace {

MR_ALWAYS_INLINE uint32_t PopCount64(uint64_t bits) {
  return static_cast<uint32_t>(__builtin_popcountll(bits));
}
MR_ALWAYS_INLINE uint32_t LowestBit(uint64_t bits) { return static_cast<uint32_t>(__builtin_ctzll(bits)); }

/* Mask of the n lowest bits, n from 0 to 64. */
MR_ALWAYS_INLINE uint64_t FirstBits(size_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

/* Mask of the bits below the lowest one in `bits`; all bits when there is none. */
MR_ALWAYS_INLINE uint64_t BelowLowest(uint64_t bits) { return bits == 0 ? ~uint64_t{0} : (bits & -bits) - 1; }

/*
 * Pairs escapes with the bytes they escape. *carry is 1 when the byte before the
 * block escapes the block's first byte, and is left so for the next block.
 * Returns the escaped bytes; *escaping are the escape bytes that are not
 * themselves escaped. In a run of escapes every other one is escaping, so the
 * borrow of one subtraction finds the odd-length runs. Source: simdjson
 * (json_escape_scanner.h), after Langdale and Lemire, "Parsing gigabytes of JSON
 * per second".
 */
MR_ALWAYS_INLINE uint64_t PairEscapes(uint64_t escapes, uint64_t* carry, uint64_t* escaping) {
  constexpr uint64_t kOdd = 0xAAAAAAAAAAAAAAAAu;
  const uint64_t candidates = escapes & ~*carry;
  const uint64_t series = ((candidates << 1) | kOdd) - candidates;
  const uint64_t codes = series ^ kOdd;
  const uint64_t escaped = codes ^ (escapes | *carry);
  *escaping = codes & escapes;
  *carry = *escaping >> 63;
  return escaped;
}

/* Of a byte's set bits the positions in ascending order, the rest zero: entry i serves the byte i. */
struct BitPositions {
  uint8_t at[256][8];
};
constexpr BitPositions MakeBitPositions() {
  BitPositions table{};
  for (int byte = 0; byte < 256; byte++) {
    int n = 0;
    for (int bit = 0; bit < 8; bit++)
      if ((byte >> bit) & 1) table.at[byte][n++] = static_cast<uint8_t>(bit);
  }
  return table;
}
alignas(64) inline constexpr BitPositions kBitPositions = MakeBitPositions();

}  // namespace millrace

/*
 * convert_numeric.cpp: numeric, straight to PostgreSQL's base-10000 digits.
 *
 * For each block of fields:
 * 1. Stage: the 16 bytes that end where a field ends become digit values, bytes
 *    outside the field 0. The place of the point picks a shuffle that drops it
 *    and moves the digits so that the point falls between groups of four.
 * 2. Multiply-add makes four base-10000 digits of the sixteen decimal ones.
 * 3. Emit: leading and trailing zero groups go, the header is put in front.
 * Fields of more than 16 bytes, of more integral digits than fit before the
 * point, or odd in any way are left to convert_field.h.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert_numeric.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/decimal_stage-inl.h"
#include "kernels/convert.h"
#include "kernels/convert_field.h"
#include "kernels/simd_target.h"

#ifndef MILLRACE_KERNELS_CONVERT_NUMERIC_TABLES_
#define MILLRACE_KERNELS_CONVERT_NUMERIC_TABLES_
namespace millrace {
namespace {

constexpr uint32_t FractionDigits(uint32_t place) { return place == 0 ? 0 : 16 - place; }
constexpr uint32_t FractionSlots(uint32_t place) { return (FractionDigits(place) + 3) / 4 * 4; }

struct Shuffles {
  uint8_t from[kPlaces][16]; /* slot of 16 decimal digits to byte of the window; 0x80 gives 0 */
  constexpr Shuffles() : from() {
    for (uint32_t place = 0; place < kPlaces; place++) {
      const uint32_t fraction = FractionDigits(place),
                     point = 16 - FractionSlots(place);      /* the slot after it */
      const uint32_t integral = place == 0 ? 16 : place - 1; /* window bytes before the point */
      for (uint32_t slot = 0; slot < 16; slot++) {
        const bool before = slot < point;
        const uint32_t distance = before ? point - slot : slot - point; /* 1.. before, 0.. after the point */
        const bool empty = before ? distance > integral : distance >= fraction;
        const uint32_t byte = before ? integral - distance : place + distance;
        from[place][slot] = empty ? 0x80 : static_cast<uint8_t>(byte);
      }
    }
  }
};
alignas(64) constexpr Shuffles kShuffles;

/* What a column allows with the point in some place, and what its header then says. */
struct Place {
  uint16_t header; /* with the weight of the first of the four base-10000 digits */
  uint8_t min_len; /* bytes of the field without its sign: min_len to min_len + span */
  uint8_t span;
};

void MakePlaces(const NumericRules& rules, Place* places) {
  for (uint32_t place = 0; place < kPlaces; place++) {
    const uint32_t fraction = FractionDigits(place), point = place != 0;
    uint32_t integral = 16 - FractionSlots(place); /* slots before the point */
    const uint32_t top_weight = integral / 4 - 1;  /* wraps below zero */
    if (integral > rules.max_integral) integral = rules.max_integral;
    uint32_t max_len = integral + point + fraction;
    if (max_len > 16) max_len = 16;
    /* One digit at least. (Leading zeros beyond max_integral are convert_field.h's business.) */
    uint32_t min_len = 1 + point;
    if (fraction > rules.max_fraction || max_len < min_len) min_len = max_len = 17; /* none is */
    places[place] = {
        static_cast<uint16_t>(kNumericShort | rules.DisplayScale(fraction) << kNumericScaleShift |
                              (top_weight & kNumericWeightMask)),
        static_cast<uint8_t>(min_len), static_cast<uint8_t>(max_len - min_len)};
  }
}

}  // namespace
}  // namespace millrace
#endif

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

#if MR_CONVERT_SIMD

/* Fields of a block between the stages. */
struct Block {
  alignas(HWY_MAX_BYTES) uint8_t digits[kBlock * 16]; /* 16 decimal digits a field */
  alignas(HWY_MAX_BYTES) uint64_t groups[kBlock]; /* 4 base-10000 digits a field, the first in the low bits */
  uint16_t header[kBlock]; /* sign, display scale, weight of the first group; 0 for an odd length */
  uint8_t bytes[kBlock];
};

/* Stage 1. Returns nonzero when a field is odd. */
template <bool kNulls>
HWY_INLINE uint32_t Stage(const char* base, const uint32_t* start, const uint32_t* len, const uint8_t* status,
                          uint32_t count, const Place* places, Block* block) {
  return StageDecimals<kNulls>(
      base, start, len, status, count, kShuffles.from, block->digits,
      [=](uint32_t i, uint32_t place, uint32_t length, uint32_t negative) {
        const bool odd = length - places[place].min_len > places[place].span;
        block->header[i] =
            static_cast<uint16_t>(odd ? 0 : places[place].header + negative * kNumericNegative);
        return odd;
      });
}

/* Stage 2, for whole vectors: fields past the block's end give values nobody reads. Returns false for bytes
 * that were no digits. */
HWY_INLINE bool MakeGroups(uint32_t count, Block* block) {
  const D64 d;
  const D8 d8;
  const D16 d16;
  const D32 d32;
  const hn::Rebind<uint16_t, D32> d_out;
  const auto by100 = hn::BitCast(d16, hn::Set(d32, 1 << 16 | 100));
  auto above = hn::Zero(d8);
  const uint32_t step = static_cast<uint32_t>(hn::Lanes(d8) / 16);
  auto* const out = reinterpret_cast<uint16_t*>(block->groups);
  for (uint32_t i = 0; i < count; i += step) {
    const auto v = hn::Load(d8, block->digits + 16 * i);
    above = hn::Or(above, hn::SaturatedSub(v, hn::Set(d8, 9)));
    hn::StoreU(hn::TruncateTo(d_out, MulAddPairs(DigitsTo2(hn::BitCast(d, v)), by100)), d_out, out + 4 * i);
  }
  return hn::AllTrue(d8, hn::Eq(above, hn::Zero(d8)));
}

/* Stage 3. A nibble says which of a field's four groups are not zero. Writes 16 bytes for each field. */
HWY_INLINE void EmitBlock(uint32_t count, Block* block, uint8_t* out, uint8_t* out_len) {
  const D64 d;
  const D8 d8;
  const D16 d16;
  const hn::Rebind<uint16_t, D64> d_header;
  const DEighth8 d_len;
  const uint32_t step = static_cast<uint32_t>(hn::Lanes(d));
  alignas(16) static constexpr uint8_t kLeading[16] = {0, 0, 16, 0, 32, 0, 16, 0, 48, 0, 16, 0, 32, 0, 16, 0};
  alignas(16) static constexpr uint8_t kBytes[16] = {2, 4, 4, 6, 4, 8, 6, 8, 4, 10, 8, 10, 6, 10, 8, 10};
  const V64 low = hn::Set(d, 0xff), weight = hn::Set(d, kNumericWeightMask);
  const V64 unless_zero = hn::Set(d, kNumericWeightMask | kNumericNegative);
  const auto bits = hn::BitCast(d16, hn::Set(d, 0x0008000400020001));
  alignas(HWY_MAX_BYTES) uint64_t value[2 * kBlock + HWY_MAX_BYTES / 8];
  for (uint32_t i = 0; i < count; i += step) {
    const V64 groups = hn::Load(d, block->groups + i);
    const auto present = hn::Min(hn::BitCast(d16, groups), hn::Set(d16, 1));
    const V64 nibble = hn::SumsOf8(hn::BitCast(d8, hn::Mul(present, bits)));
    const auto index = hn::BitCast(d8, nibble);
    const V64 shift = hn::And(low, hn::BitCast(d, hn::TableLookupBytes(hn::LoadDup128(d8, kLeading), index)));
    const V64 bytes = hn::And(low, hn::BitCast(d, hn::TableLookupBytes(hn::LoadDup128(d8, kBytes), index)));
    const V64 rest = hn::Shr(groups, shift);

    const V64 header = hn::PromoteTo(d, hn::PromoteTo(DHalf32(), hn::LoadU(d_header, block->header + i)));
    const V64 leading = hn::ShiftRight<4>(shift);
    const V64 stored = hn::Or(hn::AndNot(weight, header), hn::And(weight, hn::Sub(header, leading)));
    const V64 zero = hn::VecFromMask(d, hn::Eq(nibble, hn::Zero(d)));
    const V64 final_header = hn::AndNot(hn::And(zero, unless_zero), stored);
    hn::StoreU(hn::TruncateTo(d_len, bytes), d_len, block->bytes + i);
    hn::StoreInterleaved2(hn::Or(final_header, hn::ShiftLeft<16>(rest)), hn::ShiftRight<48>(rest), d,
                          value + 2 * i);
  }
  memcpy(out_len, block->bytes, count);
  for (uint32_t i = 0; i < count; i++) memcpy(out + size_t{32} * i, value + 2 * i, 16);
}

template <bool kNulls>
uint32_t ConvertBatch(MR_FIELDS, const NumericRules& rules, uint8_t* out, uint8_t* out_len, uint8_t* status) {
  const DBytes d;
  Place places[kPlaces];
  Block block;
  MakePlaces(rules, places);
  memset(&block, 0, sizeof(block)); /* whole vectors are worked on, also of a short block */
  uint32_t refused = 0;
  for (uint32_t first = 0; first < n; first += kBlock) {
    const uint32_t count = n - first < kBlock ? n - first : kBlock;
    const bool odd =
        Stage<kNulls>(base, start + first, len + first, status + first, count, places, &block) != 0;
    const bool digits_only = MakeGroups(count, &block);
    EmitBlock(count, &block, out + size_t{32} * first, out_len + first);
    if (HWY_LIKELY(digits_only && !odd)) continue;
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t at = first + i;
      const auto digits = hn::Load(d, block.digits + 16 * i);
      const bool good = hn::AllTrue(d, hn::Eq(hn::SaturatedSub(digits, hn::Set(d, 9)), hn::Zero(d)));
      if ((good && block.header[i] != 0) || status[at] != MR_VALUE) continue;
      out_len[at] =
          static_cast<uint8_t>(FieldNumeric(base + start[at], len[at], rules, out + size_t{32} * at));
      if (out_len[at] == 0) {
        status[at] = MR_REFUSED;
        refused++;
      }
    }
  }
  return refused;
}

uint32_t ConvertNumeric(MR_FIELDS, int precision, int scale, uint8_t* out, uint8_t* out_len,
                        uint8_t* status) {
  const NumericRules rules(precision, scale);
  if (!rules.usable)
    return mr_convert_numeric_scalar(base, start, len, n, precision, scale, out, out_len, status);
  return AllValues(status, n) ? ConvertBatch<false>(base, start, len, n, rules, out, out_len, status)
                              : ConvertBatch<true>(base, start, len, n, rules, out, out_len, status);
}

#else

uint32_t ConvertNumeric(MR_FIELDS, int precision, int scale, uint8_t* out, uint8_t* out_len,
                        uint8_t* status) {
  return mr_convert_numeric_scalar(base, start, len, n, precision, scale, out, out_len, status);
}

#endif  // MR_CONVERT_SIMD

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace millrace {
HWY_EXPORT(ConvertNumeric);
}

using namespace millrace;

uint32_t mr_convert_numeric(MR_FIELDS, int precision, int scale, uint8_t* out, uint8_t* out_len,
                            uint8_t* status) {
  if (mr_simd_is_scalar()) {
    return mr_convert_numeric_scalar(base, start, len, n, precision, scale, out, out_len, status);
  }
  return HWY_DYNAMIC_DISPATCH(ConvertNumeric)(base, start, len, n, precision, scale, out, out_len, status);
}
#endif  // HWY_ONCE

/*
 * decimal_stage-inl.h: the first stage of converting decimal spellings, for numeric and the floats.
 *
 * A field's last 16 bytes are taken as one window; the place of the point in it chooses a shuffle that
 * puts the digits into 16 slots as the type wants them.
 */
#ifndef MILLRACE_KERNELS_DECIMAL_STAGE_TABLES_
#define MILLRACE_KERNELS_DECIMAL_STAGE_TABLES_
#include "base/plain.h"
namespace millrace {
namespace {

/*
 * Tables by the point's place: entry 0 is for no point, entry p + 1 for a point
 * at byte p of the 16-byte window, that is 15 - p digits after it.
 */
constexpr uint32_t kPlaces = 17;

/* kKeep.bytes + len: a mask of a window's last len bytes. */
struct Keep {
  uint8_t bytes[32];
  constexpr Keep() : bytes() {
    for (int i = 16; i < 32; i++) bytes[i] = 0xff;
  }
};
alignas(64) constexpr Keep kKeep;

}  // namespace
}  // namespace millrace
#endif

#if defined(MILLRACE_KERNELS_DECIMAL_STAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MILLRACE_KERNELS_DECIMAL_STAGE_INL_H_
#undef MILLRACE_KERNELS_DECIMAL_STAGE_INL_H_
#else
#define MILLRACE_KERNELS_DECIMAL_STAGE_INL_H_
#endif

#include "kernels/convert-inl.h"

#if MR_CONVERT_SIMD

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {

using DBytes = hn::FixedTag<uint8_t, 16>;

/*
 * Writes 16 digit slots a field to `digits`, each field's shuffled by from[place], and calls
 * each(i, place, len, negative) with the field's bytes without its sign (0 if they are more than the
 * window); it returns whether the field is odd. Fields that are not MR_VALUE count as a zero. Returns nonzero
 * when some field is odd.
 */
template <bool kNulls, class Each>
HWY_INLINE uint32_t StageDecimals(const char* base, const uint32_t* start, const uint32_t* len,
                                  const uint8_t* status, uint32_t count, const uint8_t (*from)[16],
                                  uint8_t* digits, Each each) {
  const DBytes d;
  const auto zeros = hn::Set(d, '0'), point = hn::Set(d, '.' ^ '0');
  uint32_t any_odd = 0;
  for (uint32_t i = 0; i < count; i++) {
    const bool value = !kNulls || status[i] == MR_VALUE;
    const size_t at = value ? start[i] : 0;
    const uint32_t length = value ? len[i] : 0;
    const uint32_t negative = base[at] == '-' && length != 0;
    uint32_t unsigned_length = length - negative;
    unsigned_length = unsigned_length > 16 ? 0 : unsigned_length;
    const auto window = hn::LoadU(d, reinterpret_cast<const uint8_t*>(base) + (at + length) - 16);
    const auto kept = hn::And(hn::Xor(window, zeros), hn::LoadU(d, kKeep.bytes + unsigned_length));
    const uint32_t place = static_cast<uint32_t>(hn::FindFirstTrue(d, hn::Eq(kept, point)) + 1);
    hn::Store(hn::TableLookupBytesOr0(kept, hn::Load(d, from[place])), d, digits + 16 * i);
    if (kNulls) unsigned_length = value ? unsigned_length : 1; /* a zero: not odd */
    any_odd |= each(i, place, unsigned_length, negative);
  }
  return any_odd;
}

}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#endif  // MR_CONVERT_SIMD
#endif  // toggle

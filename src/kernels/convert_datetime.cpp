/*
 * convert_datetime.cpp: date, time, timestamp and timestamptz in ISO form.
 *
 * 1. Every part of such a field has its place, so 8-byte windows are copied from
 *    fixed offsets, one field a 64-bit lane; the zone's window ends with the field.
 * 2. A window xor its picture ("0000-00-") leaves digit values and zeros; what
 *    exceeds the picture's limits is bad. Badness is collected as nonzero bits.
 * 3. Pairs of digits become numbers, checked against the calendar, and summed.
 * Fields that are bad get another try in convert_field.h, which refuses them.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert_datetime.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/convert-inl.h"
#include "kernels/convert.h"
#include "kernels/convert_field.h"
#include "kernels/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

#if MR_CONVERT_SIMD

/* Eight characters, the first in the low byte, as they lie in a window. */
constexpr uint64_t Picture(const char (&s)[9]) {
  uint64_t v = 0;
  for (int i = 0; i < 8; i++) v |= uint64_t{static_cast<uint8_t>(s[i])} << (8 * i);
  return v;
}

/* Four 16-bit numbers, the first in the low bits. */
constexpr uint64_t Four(uint64_t a, uint64_t b, uint64_t c, uint64_t e) {
  return a | b << 16 | c << 32 | e << 48;
}

constexpr uint64_t kNines = 0x0909090909090909;

HWY_INLINE V64 Constant(uint64_t v) { return hn::Set(D64(), v); }

/* Nonzero where a byte, or a 16-bit number, is above its limit. */
HWY_INLINE V64 BytesAbove(V64 v, V64 limit) {
  const D8 d8;
  return hn::BitCast(D64(), hn::SaturatedSub(hn::BitCast(d8, v), hn::BitCast(d8, limit)));
}
HWY_INLINE V64 NumbersAbove(V64 v, V64 limit) {
  const D16 d16;
  return hn::BitCast(D64(), hn::SaturatedSub(hn::BitCast(d16, v), hn::BitCast(d16, limit)));
}

HWY_INLINE V64 Pairs(V64 digits) { return hn::BitCast(D64(), DigitsTo2(digits)); }

/* Numbers a, b, c, d to a * by.a + b * by.b in the low and c * by.c + d * by.d in the high half of the lane.
 */
HWY_INLINE V64 MulAddFour(V64 numbers, uint64_t by) {
  const D16 d16;
  return hn::BitCast(D64(), MulAddPairs(hn::BitCast(d16, numbers), hn::BitCast(d16, Constant(by))));
}

/* x * by for x below 2^32. */
HWY_INLINE V64 Times(V64 x, uint32_t by) { return hn::MulEven(hn::BitCast(D32(), x), hn::Set(D32(), by)); }

/* x * 10^6 for x below 2^44. */
HWY_INLINE V64 TimesMillion(V64 x) {
  return hn::Add(hn::ShiftLeft<32>(Times(hn::ShiftRight<32>(x), 1000000)), Times(x, 1000000));
}

HWY_INLINE V64 SumOfHalves(V64 v) { return hn::Add(hn::And(v, Constant(0xffffffff)), hn::ShiftRight<32>(v)); }

/* Days from 0000-01-01 (of the proleptic calendar, whose year 0 is leap) to 2000-01-01. */
constexpr uint64_t kEpoch = 730485;

/*
 * Digits YYYYMMDD to days since 0000-01-01. A year 100 c + y is preceded by
 * 24 c + c / 4 + y / 4 leap days, its own counted; so the own one is taken back
 * in January and February.
 */
HWY_INLINE V64 Days(V64 digits, V64* bad) {
  const D64 d;
  const D8 d8;
  const D16 d16;
  /* by month, 0 and 13 to 15 having no days: days; days before it, less 30 (m - 1), plus 1 */
  alignas(16) static constexpr uint8_t kDays[16] = {0,  31, 28, 31, 30, 31, 30, 31,
                                                    31, 30, 31, 30, 31, 0,  0,  0};
  alignas(16) static constexpr uint8_t kBefore[16] = {0, 1, 2, 0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 0, 0, 0};
  const V64 n = Pairs(digits); /* c, y, m, d */
  const auto n16 = hn::BitCast(d16, n);

  const V64 month_byte = Constant(Four(0, 0, 0xff, 0));
  const auto month = hn::BitCast(d8, hn::Min(n16, hn::BitCast(d16, Constant(Four(0, 0, 13, 0)))));
  const V64 days =
      hn::And(month_byte, hn::BitCast(d, hn::TableLookupBytes(hn::LoadDup128(d8, kDays), month)));
  const V64 before =
      hn::And(month_byte, hn::BitCast(d, hn::TableLookupBytes(hn::LoadDup128(d8, kBefore), month)));

  /* leap: y, or c in years that end in 00, is divisible by 4; all ones in the place of m */
  const V64 century = hn::And(n, Constant(0xffff));
  const V64 no_y = hn::BitCast(d, hn::VecFromMask(d16, hn::Eq(n16, hn::Zero(d16))));
  const V64 four = hn::Or(n, hn::And(no_y, hn::ShiftLeft<16>(century)));
  const V64 by_four = hn::BitCast(
      d, hn::VecFromMask(d16, hn::Eq(hn::And(hn::BitCast(d16, four), hn::Set(d16, 3)), hn::Zero(d16))));
  const V64 leap = hn::And(hn::ShiftLeft<16>(by_four), Constant(Four(0, 0, 0xffff, 0)));
  const V64 february = hn::BitCast(d, hn::VecFromMask(d16, hn::Eq(n16, hn::Set(d16, 2))));
  const V64 till_february =
      hn::BitCast(d, hn::VecFromMask(d16, hn::Eq(hn::Max(n16, hn::Set(d16, 2)), hn::Set(d16, 2))));

  /* the day is 1 to the month's last; no month's last is 0; year 0 is no year here */
  const V64 last = hn::Sub(hn::ShiftLeft<16>(days), hn::ShiftLeft<16>(hn::And(leap, february)));
  const V64 high_limit =
      hn::Or(hn::And(last, Constant(Four(0, 0, 0, 0xffff))), Constant(Four(99, 99, 99, 0)));
  const V64 year = hn::And(hn::Or(n, hn::ShiftLeft<16>(century)), Constant(Four(0, 0xffff, 0, 0)));
  *bad = hn::Or(*bad, NumbersAbove(n, high_limit));
  *bad = hn::Or(*bad, NumbersAbove(Constant(Four(0, 1, 0, 1)),
                                   hn::Or(year, hn::And(n, Constant(Four(0, 0, 0, 0xffff))))));

  const V64 quarters = hn::And(hn::BitCast(d, hn::ShiftRight<2>(n16)), Constant(Four(0xffff, 0xffff, 0, 0)));
  V64 sum = SumOfHalves(hn::Add(MulAddFour(n, Four(24, 365, 30, 1)), MulAddFour(quarters, Four(1, 1, 0, 0))));
  sum = hn::Add(sum, Times(century, 36500));
  sum = hn::Add(sum, hn::ShiftRight<32>(before));
  const V64 own = hn::ShiftRight<63>(hn::ShiftLeft<16>(hn::And(leap, till_february)));
  return hn::Sub(hn::Sub(sum, own),
                 Constant(31)); /* 30 for the month, 1 for the day, 1 for kBefore, less year 0's leap day */
}

/* Marks the fields that have no zone. */
HWY_INLINE void MarkLocal(M64 local, uint8_t* status) {
  const D64 d;
  const DEighth8 d8;
  const V64 old = hn::PromoteTo(d, hn::PromoteTo(DHalf32(), hn::LoadU(d8, status)));
  hn::StoreU(hn::TruncateTo(d8, hn::IfThenElse(local, Constant(MR_LOCAL), old)), d8, status);
}

/* A window HH:MM:SS to seconds. */
HWY_INLINE V64 Seconds(V64 window, V64* bad) {
  const V64 v = hn::Xor(window, Constant(Picture("00:00:00")));
  *bad = hn::Or(*bad, BytesAbove(v, Constant(0x0909000909000909)));
  const V64 digits =
      hn::Or(hn::And(v, Constant(0xffff)), hn::Or(hn::And(hn::ShiftRight<8>(v), Constant(0xffff0000)),
                                                  hn::And(hn::ShiftRight<16>(v), Constant(0xffff00000000))));
  const V64 n = Pairs(digits);
  *bad = hn::Or(*bad, NumbersAbove(n, Constant(Four(23, 59, 59, 0))));
  return SumOfHalves(MulAddFour(n, Four(3600, 60, 1, 0)));
}

/* A window that begins with a fraction of `length` bytes: none, or a point and its digits. To microseconds.
 */
HWY_INLINE V64 Micros(V64 window, V64 length, uint32_t max_fraction, V64* bad) {
  const D64 d;
  const D8 d8;
  const DI8 di8;
  alignas(16) static constexpr uint8_t kOrder[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const auto inside =
      hn::Gt(hn::BitCast(di8, SpreadLowByte(length)), hn::BitCast(di8, hn::LoadDup128(d8, kOrder)));
  const auto v8 = hn::BitCast(d8, hn::Xor(window, Constant(Picture(".0000000"))));
  const V64 v = hn::BitCast(d, hn::IfThenElseZero(hn::RebindMask(d8, inside), v8));
  *bad = hn::Or(*bad, BytesAbove(v, Constant(0x0009090909090900)));
  const auto allowed = hn::Lt(hn::Sub(length, Constant(2)), Constant(max_fraction));
  *bad = hn::Or(*bad, hn::VecFromMask(d, hn::AndNot(allowed, hn::Ne(length, hn::Zero(d)))));
  const V64 halves = MulAddFour(Pairs(hn::ShiftRight<8>(v)), Four(100, 1, 1, 0));
  return hn::Add(Times(halves, 100), hn::ShiftRight<32>(halves));
}

/* What the last 8 bytes of a timestamptz say of its zone. */
struct Zone {
  V64 length;  /* bytes; 0 when there is none */
  V64 seconds; /* east of Greenwich, two's complement */
};

/* A sign can stand nowhere but before a zone, so its place tells the zone's length. */
HWY_INLINE Zone ZoneOf(V64 window, V64* bad) {
  const D64 d;
  const D8 d8;
  const auto chars = hn::BitCast(d8, window);
  const V64 minus = hn::BitCast(d, hn::VecFromMask(d8, hn::Eq(chars, hn::Set(d8, '-'))));
  const V64 plus = hn::BitCast(d, hn::VecFromMask(d8, hn::Eq(chars, hn::Set(d8, '+'))));
  const V64 sign = hn::Or(minus, plus);
  const V64 zero = hn::Zero(d);
  const V64 at3 = Constant(uint64_t{0xff} << 40), at5 = Constant(uint64_t{0xff} << 24),
            at6 = Constant(0xff0000);
  const V64 any = hn::Or(at3, hn::Or(at5, at6));

  const V64 z = hn::VecFromMask(d, hn::Eq(hn::ShiftRight<56>(window), Constant('Z')));
  const V64 is3 = hn::VecFromMask(d, hn::Ne(hn::And(sign, at3), zero));
  const V64 is5 = hn::AndNot(is3, hn::VecFromMask(d, hn::Ne(hn::And(sign, at5), zero)));
  const V64 is6 = hn::AndNot(hn::Or(is3, is5), hn::VecFromMask(d, hn::Ne(hn::And(sign, at6), zero)));
  /* Z after a sign: the length of Z leaves a fraction that has a sign in it, which is bad */
  const V64 length = hn::IfThenElse(
      hn::MaskFromVec(z), Constant(1),
      hn::Or(hn::And(is3, Constant(3)), hn::Or(hn::And(is5, Constant(5)), hn::And(is6, Constant(6)))));

  const V64 v = hn::Xor(window, Constant(Picture("00000000")));
  const V64 hours = hn::Or(hn::And(is3, hn::ShiftRight<48>(v)),
                           hn::Or(hn::And(is5, hn::ShiftRight<32>(v)), hn::And(is6, hn::ShiftRight<24>(v))));
  const V64 minutes = hn::And(hn::Or(is5, is6), hn::ShiftRight<48>(v));
  const V64 digits = hn::AndNot(
      z, hn::Or(hn::And(hours, Constant(0xffff)), hn::ShiftLeft<16>(hn::And(minutes, Constant(0xffff)))));
  const V64 colon =
      hn::And(is6, hn::And(Constant(uint64_t{0xff} << 40), hn::Xor(v, Constant(uint64_t{':' ^ '0'} << 40))));
  *bad = hn::Or(*bad, hn::Or(colon, BytesAbove(digits, Constant(kNines))));
  const V64 n = Pairs(digits);
  *bad = hn::Or(*bad, NumbersAbove(n, Constant(Four(15, 59, 0, 0))));
  const V64 seconds = MulAddFour(n, Four(3600, 60, 0, 0));
  const V64 west = hn::VecFromMask(d, hn::Ne(hn::And(minus, any), zero));
  return {length, hn::Sub(hn::Xor(seconds, west), west)};
}

enum class Kind { kDate, kTime, kTimestamp, kTimestamptz };

/* The window at the start of a date to the digits YYYYMMDD; `day` has those of the day in its high bytes. */
HWY_INLINE V64 DateDigits(V64 window, V64 day, V64* bad) {
  const V64 v = hn::Xor(window, Constant(Picture("0000-00-")));
  *bad = hn::Or(*bad, hn::Or(BytesAbove(v, Constant(0x0009090009090909)), BytesAbove(day, Constant(kNines))));
  return hn::Or(hn::And(v, Constant(0xffffffff)),
                hn::Or(hn::And(hn::ShiftRight<8>(v), Constant(uint64_t{0xffff} << 32)), day));
}

/* N fields of a block, from its windows. `local` is set where a timestamptz has no zone. */
template <Kind kKind>
HWY_INLINE V64 ConvertLanes(const uint64_t (*window)[kBlock], uint32_t at, V64 length, uint32_t max_fraction,
                            V64* bad, M64* local) {
  const D64 d;
  const V64 first = hn::Load(d, window[0] + at), second = hn::Load(d, window[1] + at);
  if constexpr (kKind == Kind::kDate) {
    const V64 day = hn::And(hn::Xor(second, Constant(Picture("00000000"))), Constant(uint64_t{0xffff} << 48));
    *bad = hn::Xor(length, Constant(10));
    return hn::Sub(Days(DateDigits(first, day, bad), bad), Constant(kEpoch));
  } else if constexpr (kKind == Kind::kTime) {
    *bad = hn::Zero(d);
    const V64 micros = Micros(second, hn::Sub(length, Constant(8)), max_fraction, bad);
    return hn::Add(TimesMillion(Seconds(first, bad)), micros);
  } else {
    *bad = hn::Zero(d);
    const V64 v =
        hn::Xor(second, Constant(Picture("0-00-00 "))); /* from the year's last digit to the separator */
    const V64 day = hn::And(hn::ShiftLeft<8>(v), Constant(uint64_t{0xffff} << 48));
    const V64 separator = hn::ShiftRight<56>(v);
    *bad = hn::IfThenZeroElse(hn::Eq(separator, Constant('T' ^ ' ')), separator);
    const V64 days = Days(DateDigits(first, day, bad), bad);
    V64 seconds = hn::Add(Times(days, 86400), Seconds(hn::Load(d, window[2] + at), bad));
    V64 fraction = hn::Sub(length, Constant(19));
    if constexpr (kKind == Kind::kTimestamptz) {
      const Zone zone = ZoneOf(hn::Load(d, window[4] + at), bad);
      fraction = hn::Sub(fraction, zone.length);
      seconds = hn::Sub(seconds, zone.seconds);
      *local = hn::Eq(zone.length, hn::Zero(d));
    }
    const V64 micros = Micros(hn::Load(d, window[3] + at), fraction, max_fraction, bad);
    return hn::Sub(hn::Add(TimesMillion(seconds), micros), Constant(kEpoch * kMicrosPerDay));
  }
}

/* `one_by_one` converts field i and may set its status to MR_LOCAL. */
template <Kind kKind, bool kNulls, typename T, class F>
uint32_t ConvertBatch(MR_FIELDS, uint32_t max_fraction, T* out, uint8_t* status, const F& one_by_one) {
  const D64 d;
  const hn::Rebind<T, D64> d_out;
  const uint32_t step = static_cast<uint32_t>(hn::Lanes(d));
  alignas(HWY_MAX_BYTES) uint64_t window[5][kBlock];
  uint32_t refused = 0, i = 0;
  for (; i + step <= n; i += step) {
    const uint32_t at = i % kBlock;
    if (at == 0) {
      const uint32_t count = n - i < kBlock ? n - i : kBlock;
      if (kKind == Kind::kDate) StageStarts<kNulls, 0, 2>(base, start + i, status + i, count, window);
      if (kKind == Kind::kTime) StageStarts<kNulls, 0, 8>(base, start + i, status + i, count, window);
      if (kKind == Kind::kTimestamp || kKind == Kind::kTimestamptz) {
        StageStarts<kNulls, 0, 3, 11, 19>(base, start + i, status + i, count, window);
      }
      if (kKind == Kind::kTimestamptz) {
        StageEnds<1, kNulls>(base, start + i, len + i, status + i, count, window + 4);
      }
    }
    V64 bad;
    M64 local;
    const V64 value = ConvertLanes<kKind>(window, at, LoadLengths(len + i), max_fraction, &bad, &local);
    StoreLow(value, d_out, out + i);
    M64 is_bad = hn::Ne(bad, hn::Zero(d));
    if (kNulls) is_bad = hn::And(is_bad, LoadIsValue(status + i));
    if constexpr (kKind == Kind::kTimestamptz) {
      if (kNulls) local = hn::And(local, LoadIsValue(status + i));
      local = hn::AndNot(is_bad, local);
      if (!hn::AllFalse(d, local)) MarkLocal(local, status + i);
    }
    if (HWY_UNLIKELY(!hn::AllFalse(d, is_bad))) refused += RetryLanes(is_bad, i, status, one_by_one);
  }
  return refused + RetryRest(i, n, status, one_by_one);
}

template <Kind kKind, typename T, class F>
HWY_INLINE uint32_t Convert(MR_FIELDS, uint32_t max_fraction, T* out, uint8_t* status, const F& one_by_one) {
  if (AllValues(status, n)) {
    return ConvertBatch<kKind, false>(base, start, len, n, max_fraction, out, status, one_by_one);
  }
  return ConvertBatch<kKind, true>(base, start, len, n, max_fraction, out, status, one_by_one);
}

uint32_t ConvertDate(MR_FIELDS, int32_t* out, uint8_t* status) {
  return Convert<Kind::kDate>(base, start, len, n, 0, reinterpret_cast<uint32_t*>(out), status,
                              [=](uint32_t i) { return FieldDate(base + start[i], len[i], out + i); });
}
uint32_t ConvertTimestamp(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  const uint32_t max = MaxFraction(fraction_digits);
  return Convert<Kind::kTimestamp>(
      base, start, len, n, max, reinterpret_cast<uint64_t*>(out), status,
      [=](uint32_t i) { return FieldTimestamp(base + start[i], len[i], max, out + i); });
}
uint32_t ConvertTimestamptz(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  const uint32_t max = MaxFraction(fraction_digits);
  return Convert<Kind::kTimestamptz>(base, start, len, n, max, reinterpret_cast<uint64_t*>(out), status,
                                     [=](uint32_t i) {
                                       bool local;
                                       if (!FieldTimestamptz(base + start[i], len[i], max, out + i, &local))
                                         return false;
                                       if (local) status[i] = MR_LOCAL;
                                       return true;
                                     });
}
uint32_t ConvertTime(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  const uint32_t max = MaxFraction(fraction_digits);
  return Convert<Kind::kTime>(base, start, len, n, max, reinterpret_cast<uint64_t*>(out), status,
                              [=](uint32_t i) { return FieldTime(base + start[i], len[i], max, out + i); });
}

#else

uint32_t ConvertDate(MR_FIELDS, int32_t* out, uint8_t* status) {
  return mr_convert_date_scalar(base, start, len, n, out, status);
}
uint32_t ConvertTimestamp(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  return mr_convert_timestamp_scalar(base, start, len, n, fraction_digits, out, status);
}
uint32_t ConvertTimestamptz(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  return mr_convert_timestamptz_scalar(base, start, len, n, fraction_digits, out, status);
}
uint32_t ConvertTime(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  return mr_convert_time_scalar(base, start, len, n, fraction_digits, out, status);
}

#endif  // MR_CONVERT_SIMD

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace millrace {
HWY_EXPORT(ConvertDate);
HWY_EXPORT(ConvertTimestamp);
HWY_EXPORT(ConvertTimestamptz);
HWY_EXPORT(ConvertTime);
}  // namespace millrace

using namespace millrace;

uint32_t mr_convert_date(MR_FIELDS, int32_t* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_date_scalar(base, start, len, n, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertDate)(base, start, len, n, out, status);
}

uint32_t mr_convert_timestamp(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  if (mr_simd_is_scalar())
    return mr_convert_timestamp_scalar(base, start, len, n, fraction_digits, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertTimestamp)(base, start, len, n, fraction_digits, out, status);
}

uint32_t mr_convert_timestamptz(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  if (mr_simd_is_scalar())
    return mr_convert_timestamptz_scalar(base, start, len, n, fraction_digits, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertTimestamptz)(base, start, len, n, fraction_digits, out, status);
}

uint32_t mr_convert_time(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_time_scalar(base, start, len, n, fraction_digits, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertTime)(base, start, len, n, fraction_digits, out, status);
}
#endif  // HWY_ONCE

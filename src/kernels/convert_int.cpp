/*
 * convert_int.cpp: int2, int4, int8 and oid.
 *
 * 1. The batch's longest field chooses between windows of 8 and of 16 bytes.
 * 2. Windows that end where the fields end are gathered, one field a 64-bit lane
 *    (two lanes' worth for 16 bytes), so that digits of equal weight line up.
 * 3. Bytes outside the field become 0, digits 0 to 9, a leading minus 0.
 * 4. Three multiply-adds make one number; range and sign follow.
 * Fields that do not fit (longer, or the last few of a batch) are left to
 * convert_field.h.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert_int.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/convert-inl.h"
#include "kernels/convert.h"
#include "kernels/convert_field.h"
#include "kernels/simd_target.h"

#ifndef MILLRACE_KERNELS_CONVERT_INT_TYPES_
#define MILLRACE_KERNELS_CONVERT_INT_TYPES_
namespace millrace {
namespace {

/* What the integer types differ in. */
struct Int2 {
  using T = int16_t;
  static constexpr uint32_t kMaxDigits = 5;
  static constexpr uint64_t kMax = INT16_MAX;
  static constexpr bool kSigned = true;
  static constexpr auto* kTwin = mr_convert_int2_scalar;
};
struct Int4 {
  using T = int32_t;
  static constexpr uint32_t kMaxDigits = 10;
  static constexpr uint64_t kMax = INT32_MAX;
  static constexpr bool kSigned = true;
  static constexpr auto* kTwin = mr_convert_int4_scalar;
};
struct Int8 {
  using T = int64_t;
  static constexpr uint32_t kMaxDigits = 19;
  static constexpr uint64_t kMax = INT64_MAX;
  static constexpr bool kSigned = true;
  static constexpr auto* kTwin = mr_convert_int8_scalar;
};
struct Oid {
  using T = uint32_t;
  static constexpr uint32_t kMaxDigits = 10;
  static constexpr uint64_t kMax = UINT32_MAX;
  static constexpr bool kSigned = false;
  static constexpr auto* kTwin = mr_convert_oid_scalar;
};

}  // namespace
}  // namespace millrace
#endif

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

#if MR_CONVERT_SIMD

template <class Type>
bool ConvertField(const char* s, uint32_t len, typename Type::T* out) {
  if (Type::kSigned) {
    int64_t v;
    if (!FieldInt(s, len, Type::kMaxDigits, Type::kMax, &v)) return false;
    *out = static_cast<typename Type::T>(v);
  } else {
    uint64_t v;
    if (!FieldDigits(s, len, Type::kMaxDigits, &v) || v > Type::kMax) return false;
    *out = static_cast<typename Type::T>(v);
  }
  return true;
}

template <typename T>
using MakeUnsigned = hwy::MakeUnsigned<T>;

/* Window bytes as digit values; bytes outside the field, and a leading minus, are 0. */
struct Digits {
  V8 value;
  V8 minus; /* nonzero where the minus was */
};

/* `before` is the distance, in bytes, from the window's end to the field's end. */
template <class Type>
HWY_INLINE Digits ToDigits(V64 window, V8 spread_len, uint8_t before) {
  const D8 d8;
  const DI8 di8;
  alignas(16) static constexpr uint8_t kToEnd[16] = {8, 7, 6, 5, 4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1};
  const V8 to_end = hn::Add(hn::LoadDup128(d8, kToEnd), hn::Set(d8, before));
  const V8 v = hn::Xor(hn::BitCast(d8, window), hn::Set(d8, '0'));
  const auto outside = hn::Gt(hn::BitCast(di8, to_end), hn::BitCast(di8, spread_len));
  const V8 inside = hn::IfThenZeroElse(hn::RebindMask(d8, outside), v);
  if (!Type::kSigned) return {inside, hn::Zero(d8)};
  const auto minus = hn::And(hn::Eq(to_end, spread_len), hn::Eq(v, hn::Set(d8, '-' ^ '0')));
  return {hn::IfThenZeroElse(minus, inside), hn::VecFromMask(d8, minus)};
}

/* x * 10^8 for x below 2^42. */
HWY_INLINE V64 TimesHundredMillion(V64 x) {
  const auto by = hn::Set(D32(), 100000000);
  const V64 high = hn::MulEven(hn::BitCast(D32(), hn::ShiftRight<32>(x)), by);
  return hn::Add(hn::ShiftLeft<32>(high), hn::MulEven(hn::BitCast(D32(), x), by));
}

/* The fields in kWindows windows of 8 bytes each; the leftovers of any kind are converted one by one. */
template <class Type, int kWindows, bool kNulls>
uint32_t ConvertBatch(MR_FIELDS, typename Type::T* out, uint8_t* status) {
  const D64 d;
  const D8 d8;
  const hn::Rebind<MakeUnsigned<typename Type::T>, D64> d_out;
  auto* const unsigned_out = reinterpret_cast<MakeUnsigned<typename Type::T>*>(out);
  const auto one_by_one = [=](uint32_t i) { return ConvertField<Type>(base + start[i], len[i], out + i); };
  const uint32_t step = static_cast<uint32_t>(hn::Lanes(d));
  alignas(HWY_MAX_BYTES) uint64_t window[kWindows][kBlock];
  uint32_t refused = 0, i = 0;
  for (; i + step <= n; i += step) {
    const uint32_t at = i % kBlock;
    if (at == 0) {
      const uint32_t count = n - i < kBlock ? n - i : kBlock;
      StageEnds<kWindows, kNulls>(base, start + i, len + i, status + i, count, window);
    }
    const V64 length = LoadLengths(len + i);
    const V8 spread = SpreadLowByte(length);

    const Digits low = ToDigits<Type>(hn::Load(d, window[0] + at), spread, 0);
    V64 value = DigitsTo8(hn::BitCast(d, low.value));
    V8 minus = low.minus, above = hn::SaturatedSub(low.value, hn::Set(d8, 9));
    if constexpr (kWindows > 1) {
      const Digits mid = ToDigits<Type>(hn::Load(d, window[1] + at), spread, 8);
      V64 millions = DigitsTo8(hn::BitCast(d, mid.value));
      minus = hn::Or(minus, mid.minus);
      above = hn::Or(above, hn::SaturatedSub(mid.value, hn::Set(d8, 9)));
      if constexpr (kWindows > 2) {
        const Digits high = ToDigits<Type>(hn::Load(d, window[2] + at), spread, 16);
        const V64 top = DigitsTo8(hn::BitCast(d, high.value));
        minus = hn::Or(minus, high.minus);
        above = hn::Or(above, hn::SaturatedSub(high.value, hn::Set(d8, 9)));
        millions = hn::Add(millions, hn::MulEven(hn::BitCast(D32(), top), hn::Set(D32(), 100000000)));
        value = hn::Add(value, TimesHundredMillion(millions));
      } else {
        value = hn::Add(value, hn::MulEven(hn::BitCast(D32(), millions), hn::Set(D32(), 100000000)));
      }
    }

    const M64 negative = hn::Ne(hn::BitCast(d, minus), hn::Zero(d));
    const V64 sign = hn::VecFromMask(d, negative); /* 0 or -1 */
    const V64 n_digits = hn::Add(length, sign);
    const uint32_t max_digits = Type::kMaxDigits < 8 * kWindows ? Type::kMaxDigits : 8 * kWindows;
    /* no digit, too many of them, or a minus that leaves none of the window's bytes for the first digit */
    M64 bad = hn::Gt(hn::Sub(n_digits, hn::Set(d, 1)), hn::Set(d, max_digits - 1));
    bad = hn::Or(bad, hn::Gt(length, hn::Set(d, 8 * kWindows)));
    bad = hn::Or(bad, hn::Ne(hn::BitCast(d, above), hn::Zero(d)));
    if (Type::kMaxDigits <= 8 || kWindows > 1)
      bad = hn::Or(bad, hn::Gt(value, hn::Sub(hn::Set(d, Type::kMax), sign)));
    if (kNulls) bad = hn::And(bad, LoadIsValue(status + i));

    value = hn::Sub(hn::Xor(value, sign), sign);
    StoreLow(value, d_out, unsigned_out + i);
    if (HWY_UNLIKELY(!hn::AllFalse(d, bad))) {
      refused += RetryLanes(bad, i, status, one_by_one);
    }
  }
  return refused + RetryRest(i, n, status, one_by_one);
}

template <class Type, int kWindows>
HWY_INLINE uint32_t ConvertIn(bool all_values, MR_FIELDS, typename Type::T* out, uint8_t* status) {
  return all_values ? ConvertBatch<Type, kWindows, false>(base, start, len, n, out, status)
                    : ConvertBatch<Type, kWindows, true>(base, start, len, n, out, status);
}

template <class Type>
uint32_t Convert(MR_FIELDS, typename Type::T* out, uint8_t* status) {
  const uint32_t longest = LongestField(len, n);
  const bool all_values = AllValues(status, n);
  if (longest <= 8) return ConvertIn<Type, 1>(all_values, base, start, len, n, out, status);
  if constexpr (Type::kMaxDigits > 15) {
    if (longest > 16) return ConvertIn<Type, 3>(all_values, base, start, len, n, out, status);
  }
  return ConvertIn<Type, 2>(all_values, base, start, len, n, out, status);
}

#else

template <class Type>
uint32_t Convert(MR_FIELDS, typename Type::T* out, uint8_t* status) {
  return Type::kTwin(base, start, len, n, out, status);
}

#endif  // MR_CONVERT_SIMD

uint32_t ConvertInt2(MR_FIELDS, int16_t* out, uint8_t* status) {
  return Convert<Int2>(base, start, len, n, out, status);
}
uint32_t ConvertInt4(MR_FIELDS, int32_t* out, uint8_t* status) {
  return Convert<Int4>(base, start, len, n, out, status);
}
uint32_t ConvertInt8(MR_FIELDS, int64_t* out, uint8_t* status) {
  return Convert<Int8>(base, start, len, n, out, status);
}
uint32_t ConvertOid(MR_FIELDS, uint32_t* out, uint8_t* status) {
  return Convert<Oid>(base, start, len, n, out, status);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace millrace {
HWY_EXPORT(ConvertInt2);
HWY_EXPORT(ConvertInt4);
HWY_EXPORT(ConvertInt8);
HWY_EXPORT(ConvertOid);
}  // namespace millrace

using namespace millrace;

uint32_t mr_convert_int2(MR_FIELDS, int16_t* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_int2_scalar(base, start, len, n, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertInt2)(base, start, len, n, out, status);
}

uint32_t mr_convert_int4(MR_FIELDS, int32_t* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_int4_scalar(base, start, len, n, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertInt4)(base, start, len, n, out, status);
}

uint32_t mr_convert_int8(MR_FIELDS, int64_t* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_int8_scalar(base, start, len, n, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertInt8)(base, start, len, n, out, status);
}

uint32_t mr_convert_oid(MR_FIELDS, uint32_t* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_oid_scalar(base, start, len, n, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertOid)(base, start, len, n, out, status);
}
#endif  // HWY_ONCE

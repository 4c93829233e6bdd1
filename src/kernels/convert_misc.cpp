/*
 * convert_misc.cpp: bool, uuid and bytea.
 *
 * bool   a word of up to 5 bytes and its length are one 64-bit key, looked up in
 *        a perfect hash table; plain code, for there is nothing to do in parallel.
 * uuid   the digits of a block of fields are staged without hyphens, 32 bytes a
 *        field, and turned into bytes whole vectors at a time.
 * bytea  each field's digits are turned into bytes up to 64 at a time.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/convert_misc.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/convert-inl.h"
#include "kernels/convert.h"
#include "kernels/convert_field.h"
#include "kernels/simd_target.h"

#ifndef MILLRACE_KERNELS_CONVERT_MISC_TABLES_
#define MILLRACE_KERNELS_CONVERT_MISC_TABLES_
namespace millrace {
namespace {

/* The words of bool, hashed without collision by the top bits of a product; the multiplier was found by
 * trial. */
struct BoolWords {
  static constexpr uint64_t kMultiplier = 0xfcd58c0f7e21b8ab;
  uint64_t key[16];
  uint8_t value[16];
  static constexpr uint64_t Key(const char* word) {
    uint64_t bytes = 0, n = 0;
    for (; word[n] != 0; n++) bytes |= uint64_t{static_cast<uint8_t>(word[n])} << (8 * n);
    return bytes | n << 56;
  }
  static constexpr uint32_t Slot(uint64_t key) { return static_cast<uint32_t>((key * kMultiplier) >> 60); }
  constexpr BoolWords() : key(), value() {
    const char* const words[] = {"t", "true", "1", "y", "yes", "on", "f", "false", "0", "n", "no", "off"};
    for (int i = 0; i < 12; i++) {
      key[Slot(Key(words[i]))] = Key(words[i]);
      value[Slot(Key(words[i]))] = i < 6;
    }
  }
  constexpr int Used() const {
    int used = 0;
    for (uint64_t k : key) used += k != 0;
    return used;
  }
};
constexpr BoolWords kBoolWords;
static_assert(kBoolWords.Used() == 12, "two words share a slot");

}  // namespace
}  // namespace millrace
#endif

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

#if MR_CONVERT_SIMD

using DBytes = hn::FixedTag<uint8_t, 16>;
using DHex = hn::CappedTag<uint8_t, 64>; /* no more than the slack */
using VHex = hn::VFromD<DHex>;
using DHexPair = hn::Repartition<uint16_t, DHex>;
using DHexOut = hn::Rebind<uint8_t, DHexPair>;

/* Hexadecimal digits to values 0 to 15; what is none sets bits of *bad. */
HWY_INLINE VHex HexValues(VHex chars, VHex* bad) {
  const DHex d;
  const VHex decimal = hn::Sub(chars, hn::Set(d, '0'));
  const VHex letter = hn::Sub(hn::Or(chars, hn::Set(d, 0x20)), hn::Set(d, 'a'));
  const auto is_decimal = hn::Eq(hn::Min(decimal, hn::Set(d, 9)), decimal);
  const VHex value =
      hn::IfThenElse(is_decimal, decimal, hn::Add(hn::Min(letter, hn::Set(d, 100)), hn::Set(d, 10)));
  *bad = hn::SaturatedSub(value, hn::Set(d, 15));
  return value;
}

/* Pairs of values, the high nibble first, to bytes. */
HWY_INLINE void StorePairs(VHex values, uint8_t* out) {
  const DHexPair d16;
  const DHexOut d_out;
  const auto v = hn::BitCast(d16, values);
  hn::StoreU(hn::TruncateTo(d_out, hn::Or(hn::ShiftLeft<4>(v), hn::ShiftRight<8>(v))), d_out, out);
}

/* The 32 digits of a uuid to `digits`; something that is no digit when the field has not the form of one. */
HWY_INLINE void StageUuid(const uint8_t* s, uint32_t len, uint8_t* digits) {
  const DBytes d;
  alignas(16) static constexpr uint8_t kFrom0[16] = {0, 1,  2,  3,  4,    5,    6,    7,
                                                     9, 10, 11, 12, 0x80, 0x80, 0x80, 0x80};
  alignas(16) static constexpr uint8_t kFrom2[16] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                                     0x80, 0x80, 0x80, 0x80, 12,   13,   14,   15};
  alignas(16) static constexpr uint8_t kFrom16[16] = {3,  4,  5,  6,  8,    9,    10,   11,
                                                      12, 13, 14, 15, 0x80, 0x80, 0x80, 0x80};
  alignas(16) static constexpr uint8_t kHyphens0[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0xff, 0, 0};
  alignas(16) static constexpr uint8_t kHyphens16[16] = {0, 0, 0xff, 0, 0, 0, 0, 0xff,
                                                         0, 0, 0,    0, 0, 0, 0, 0};
  auto first = hn::LoadU(d, s), second = hn::LoadU(d, s + 16);
  if (HWY_LIKELY(len == 36)) {
    const auto hyphen = hn::Set(d, '-');
    const auto wrong = hn::Or(hn::And(hn::Xor(first, hyphen), hn::Load(d, kHyphens0)),
                              hn::And(hn::Xor(second, hyphen), hn::Load(d, kHyphens16)));
    first = hn::Or(hn::TableLookupBytesOr0(first, hn::Load(d, kFrom0)),
                   hn::TableLookupBytesOr0(hn::LoadU(d, s + 2), hn::Load(d, kFrom2)));
    second = hn::Or(hn::TableLookupBytesOr0(second, hn::Load(d, kFrom16)),
                    hn::TableLookupBytesOr0(hn::LoadU(d, s + 20), hn::Load(d, kFrom2)));
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d))))) first = hn::Zero(d);
  } else if (len != 32) {
    first = hn::Zero(d);
  }
  hn::Store(first, d, digits);
  hn::Store(second, d, digits + 16);
}

template <bool kNulls>
uint32_t ConvertUuidBatch(MR_FIELDS, uint8_t* out, uint8_t* status) {
  constexpr uint32_t kFields = 32; /* of a block */
  const DHex d;
  const uint32_t lanes = static_cast<uint32_t>(hn::Lanes(d));
  const auto one_by_one = [=](uint32_t i) {
    return FieldUuid(base + start[i], len[i], out + size_t{16} * i);
  };
  alignas(HWY_MAX_BYTES) uint8_t digits[kFields * 32];
  uint32_t refused = 0;
  for (uint32_t first = 0; first < n; first += kFields) {
    const uint32_t count = n - first < kFields ? n - first : kFields;
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t at = first + i;
      if (kNulls && status[at] != MR_VALUE) {
        memset(digits + 32 * i, '0', 32);
      } else {
        StageUuid(reinterpret_cast<const uint8_t*>(base) + start[at], len[at], digits + 32 * i);
      }
    }
    VHex any_bad = hn::Zero(d);
    uint32_t done = 0; /* digits */
    for (; done + lanes <= count * 32; done += lanes) {
      VHex bad;
      const VHex values = HexValues(hn::Load(d, digits + done), &bad);
      any_bad = hn::Or(any_bad, bad);
      StorePairs(values, out + size_t{16} * first + done / 2);
    }
    const bool good = hn::AllTrue(d, hn::Eq(any_bad, hn::Zero(d)));
    refused += RetryRest(good ? first + done / 32 : first, first + count, status, one_by_one);
  }
  return refused;
}

uint32_t ConvertUuid(MR_FIELDS, uint8_t* out, uint8_t* status) {
  return AllValues(status, n) ? ConvertUuidBatch<false>(base, start, len, n, out, status)
                              : ConvertUuidBatch<true>(base, start, len, n, out, status);
}

/* n_digits hexadecimal digits at s to bytes at out; both may be overrun within their slack. */
HWY_INLINE bool HexField(const uint8_t* s, uint32_t n_digits, uint8_t* out) {
  const DHex d;
  const uint32_t lanes = static_cast<uint32_t>(hn::Lanes(d));
  VHex any_bad = hn::Zero(d), bad;
  uint32_t i = 0;
  for (; i + lanes <= n_digits; i += lanes) {
    const VHex values = HexValues(hn::LoadU(d, s + i), &bad);
    any_bad = hn::Or(any_bad, bad);
    StorePairs(values, out + i / 2);
  }
  if (i < n_digits) {
    const VHex values = HexValues(hn::LoadU(d, s + i), &bad);
    any_bad = hn::Or(any_bad, hn::IfThenElseZero(hn::FirstN(d, n_digits - i), bad));
    StorePairs(values, out + i / 2);
  }
  return hn::AllTrue(d, hn::Eq(any_bad, hn::Zero(d)));
}

uint32_t ConvertByteaHex(MR_FIELDS, uint8_t* out, uint32_t* out_pos, uint32_t* out_len, uint8_t* status) {
  uint32_t pos = 0;
  return ForEachValue(n, status, [=, &pos](uint32_t i) HWY_ATTR {
    const uint8_t* const s = reinterpret_cast<const uint8_t*>(base) + start[i];
    if (len[i] < 2 || len[i] % 2 != 0 || s[0] != '\\' || s[1] != 'x') return false;
    if (!HexField(s + 2, len[i] - 2, out + pos)) return false;
    out_pos[i] = pos;
    out_len[i] = (len[i] - 2) / 2;
    pos += out_len[i];
    return true;
  });
}

#else

uint32_t ConvertUuid(MR_FIELDS, uint8_t* out, uint8_t* status) {
  return mr_convert_uuid_scalar(base, start, len, n, out, status);
}
uint32_t ConvertByteaHex(MR_FIELDS, uint8_t* out, uint32_t* out_pos, uint32_t* out_len, uint8_t* status) {
  return mr_convert_bytea_hex_scalar(base, start, len, n, out, out_pos, out_len, status);
}

#endif  // MR_CONVERT_SIMD

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace millrace {
HWY_EXPORT(ConvertUuid);
HWY_EXPORT(ConvertByteaHex);
}  // namespace millrace

using namespace millrace;

uint32_t mr_convert_bool(MR_FIELDS, uint8_t* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_bool_scalar(base, start, len, n, out, status);
  return ForEachValue(n, status, [=](uint32_t i) {
    if (len[i] > 5) return false;
    uint64_t key = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&key, base + start[i], 8);
    key &= (uint64_t{1} << (8 * len[i])) - 1;
#else
    for (uint32_t k = 0; k < len[i]; k++) key |= uint64_t{static_cast<uint8_t>(base[start[i] + k])} << (8 * k);
#endif
    key |= uint64_t{len[i]} << 56;
    const uint32_t slot = BoolWords::Slot(key);
    out[i] = kBoolWords.value[slot];
    return key != 0 && kBoolWords.key[slot] == key;
  });
}

uint32_t mr_convert_uuid(MR_FIELDS, uint8_t* out, uint8_t* status) {
  if (mr_simd_is_scalar()) return mr_convert_uuid_scalar(base, start, len, n, out, status);
  return HWY_DYNAMIC_DISPATCH(ConvertUuid)(base, start, len, n, out, status);
}

uint32_t mr_convert_bytea_hex(MR_FIELDS, uint8_t* out, uint32_t* out_pos, uint32_t* out_len,
                              uint8_t* status) {
  if (mr_simd_is_scalar()) {
    return mr_convert_bytea_hex_scalar(base, start, len, n, out, out_pos, out_len, status);
  }
  return HWY_DYNAMIC_DISPATCH(ConvertByteaHex)(base, start, len, n, out, out_pos, out_len, status);
}
#endif  // HWY_ONCE

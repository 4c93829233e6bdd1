/*
 * utf8.cpp: UTF-8 with SIMD.
 *
 * Source: John Keiser and Daniel Lemire, "Validating UTF-8 in less than one
 * instruction per byte", Software: Practice and Experience 51 (5), 2021. Three
 * 16-entry tables, looked up by the nibbles of a byte and of the one before it,
 * each give a set of possible errors; an error is what all three agree on. A
 * fourth test wants a continuation two and three bytes after a long lead byte.
 *
 * The SIMD pass only says in which block the first error is: the scalar twin,
 * started at a character boundary shortly before, says where.
 */
#include <string.h>

#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/utf8.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/block64-inl.h"
#include "kernels/simd_target.h"
#include "kernels/utf8.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

#if MR_HAVE_SIMD

using Vec = hn::Vec<Bytes>;

/* Kinds of error that two bytes in a row can show. */
enum : uint8_t {
  kTooShort = 1 << 0,     /* lead byte, then no continuation */
  kTooLong = 1 << 1,      /* ASCII, then a continuation */
  kOverlong3 = 1 << 2,    /* E0, then 80 to 9F */
  kTooLarge = 1 << 3,     /* F4, then 90 to BF; F5 and more, then a continuation */
  kSurrogate = 1 << 4,    /* ED, then A0 to BF */
  kOverlong2 = 1 << 5,    /* C0 or C1, then a continuation */
  kTooLarge1000 = 1 << 6, /* F5 and more, then 80 to 8F */
  kOverlong4 = 1 << 6,    /* F0, then 80 to 8F */
  kTwoConts = 1 << 7,     /* two continuations: right only late in a long character */
  kCarry = kTooShort | kTooLong | kTwoConts
};

/* The possible errors by the high nibble of the first byte, its low nibble, and the high nibble of the
 * second. */
HWY_ALIGN constexpr uint8_t kFirstHigh[16] = {kTooLong,
                                              kTooLong,
                                              kTooLong,
                                              kTooLong,
                                              kTooLong,
                                              kTooLong,
                                              kTooLong,
                                              kTooLong,
                                              kTwoConts,
                                              kTwoConts,
                                              kTwoConts,
                                              kTwoConts,
                                              kTooShort | kOverlong2,
                                              kTooShort,
                                              kTooShort | kOverlong3 | kSurrogate,
                                              kTooShort | kTooLarge | kTooLarge1000 | kOverlong4};
HWY_ALIGN constexpr uint8_t kFirstLow[16] = {kCarry | kOverlong3 | kOverlong2 | kOverlong4,
                                             kCarry | kOverlong2,
                                             kCarry,
                                             kCarry,
                                             kCarry | kTooLarge,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000 | kSurrogate,
                                             kCarry | kTooLarge | kTooLarge1000,
                                             kCarry | kTooLarge | kTooLarge1000};
HWY_ALIGN constexpr uint8_t kSecondHigh[16] = {
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooLong | kOverlong2 | kTwoConts | kOverlong3 | kTooLarge1000 | kOverlong4,
    kTooLong | kOverlong2 | kTwoConts | kOverlong3 | kTooLarge,
    kTooLong | kOverlong2 | kTwoConts | kSurrogate | kTooLarge,
    kTooLong | kOverlong2 | kTwoConts | kSurrogate | kTooLarge,
    kTooShort,
    kTooShort,
    kTooShort,
    kTooShort};

/* Nonzero where v is wrong after the bytes one, two and three before it. NUL is not looked for. */
HWY_INLINE Vec Errors(Vec v, Vec before1, Vec before2, Vec before3) {
  const Bytes d;
  const Vec low = hn::Set(d, 0x0F);
  const auto high_nibbles = [&](Vec x) {
    return hn::And(hn::BitCast(d, hn::ShiftRight<4>(hn::BitCast(hn::Repartition<uint16_t, Bytes>(), x))),
                   low);
  };
  const Vec first_high = hn::TableLookupBytes(hn::LoadDup128(d, kFirstHigh), high_nibbles(before1));
  const Vec first_low = hn::TableLookupBytes(hn::LoadDup128(d, kFirstLow), hn::And(before1, low));
  const Vec second_high = hn::TableLookupBytes(hn::LoadDup128(d, kSecondHigh), high_nibbles(v));
  const Vec pairs = hn::And(hn::And(first_high, first_low), second_high);
  /* High bit set where a lead byte of three or four lies two before, or one of four three before. */
  const Vec third = hn::SaturatedSub(before2, hn::Set(d, 0xE0 - 0x80));
  const Vec fourth = hn::SaturatedSub(before3, hn::Set(d, 0xF0 - 0x80));
  const Vec must_continue = hn::And(hn::Or(third, fourth), hn::Set(d, 0x80));
  return hn::Xor(must_continue, pairs);
}

/* Does a character that began before p reach into p? The bytes before p are valid up to it. */
HWY_INLINE bool Unfinished(const uint8_t* p) { return p[-1] >= 0xC0 || p[-2] >= 0xE0 || p[-3] >= 0xF0; }

/*
 * Is all well in the kBytes bytes at p, given the three before them? An
 * unfinished character at their end is not an error yet. *reaches_in tells that
 * a character begun before p may have bytes here, and is left so for what follows.
 */
template <size_t kBytes>
HWY_INLINE bool ValidStride(const uint8_t* HWY_RESTRICT p, bool* reaches_in) {
  const Bytes d;
  const hn::RebindToSigned<Bytes> ds;
  const size_t lanes = hn::Lanes(d);
  /* As signed numbers NUL and everything beyond ASCII are the bytes that are not positive. */
  auto least = hn::BitCast(ds, hn::LoadU(d, p));
  for (size_t i = lanes; i < kBytes; i += lanes) least = hn::Min(least, hn::BitCast(ds, hn::LoadU(d, p + i)));
  if (HWY_LIKELY(hn::AllTrue(ds, hn::Gt(least, hn::Zero(ds))))) {
    const bool valid = !*reaches_in || !Unfinished(p);
    *reaches_in = false;
    return valid;
  }
  *reaches_in = true;
  Vec errors = hn::Zero(d);
  Vec lowest = hn::Set(d, 0xFF);
  for (size_t i = 0; i < kBytes; i += lanes) {
    const Vec v = hn::LoadU(d, p + i);
    lowest = hn::Min(lowest, v);
    errors =
        hn::Or(errors, Errors(v, hn::LoadU(d, p + i - 1), hn::LoadU(d, p + i - 2), hn::LoadU(d, p + i - 3)));
  }
  return hn::AllTrue(d, hn::And(hn::Eq(errors, hn::Zero(d)), hn::Ne(lowest, hn::Zero(d))));
}

/*
 * The same for up to 64 bytes at s + at, the first or the last of all: nothing
 * outside s[0, n) is read. With fewer than 64, an unfinished end is an error.
 */
HWY_INLINE bool ValidEdge(const char* s, size_t at, size_t n, bool* reaches_in) {
  uint8_t edge[3 + 64]; /* what lies outside is as good as ASCII */
  const size_t before = at < 3 ? at : 3;
  const size_t here = n - at < 64 ? n - at : 64;
  memset(edge, ' ', sizeof(edge));
  memcpy(edge + 3 - before, s + at - before, before + here);
  return ValidStride<64>(edge + 3, reaches_in);
}

size_t Utf8ValidPrefix(const char* s, size_t n) {
  const uint8_t* p = reinterpret_cast<const uint8_t*>(s);
  size_t at = 0;
  bool reaches_in = false;
  bool valid = n == 0 || ValidEdge(s, 0, n, &reaches_in);
  if (valid && n > 64) {
    at = 64;
    for (; valid && n - at >= 256; at += 256) valid = ValidStride<256>(p + at, &reaches_in);
    if (!valid) at -= 256;
    while (valid && n - at >= 64) {
      valid = ValidStride<64>(p + at, &reaches_in);
      if (valid) at += 64;
    }
    if (valid && at < n) valid = ValidEdge(s, at, n, &reaches_in);
  }
  if (HWY_LIKELY(valid && !(reaches_in && n >= 3 && Unfinished(p + n)))) return n;

  /* The first error is at `at` or later, or in a character begun shortly before; or only the end is
   * unfinished. */
  if (valid) at = n;
  for (int back = 0; at > 0 && back < 4; back++)
    if ((p[--at] & 0xC0) != 0x80) break;
  return at + mr_utf8_valid_prefix_scalar(s + at, n - at);
}

size_t Utf8Count(const char* s, size_t n) {
  const uint8_t* p = reinterpret_cast<const uint8_t*>(s);
  const Bytes d;
  const hn::RebindToSigned<Bytes> ds;
  const size_t lanes = hn::Lanes(d);
  size_t count = 0;
  size_t at = 0;
  /* Continuation bytes are those below -64 as signed numbers. */
  const auto starts = [&](const uint8_t* from) {
    return hn::Gt(hn::BitCast(ds, hn::LoadU(d, from)), hn::Set(ds, int8_t{-65}));
  };
  for (; n - at >= lanes; at += lanes) count += hn::CountTrue(ds, starts(p + at));
  if (at < n) count += hn::CountTrue(ds, hn::And(starts(p + at), hn::FirstN(ds, n - at)));
  return count;
}

size_t NulFreePrefix(const char* s, size_t n) {
  const uint8_t* p = reinterpret_cast<const uint8_t*>(s);
  const Bytes d;
  const size_t lanes = hn::Lanes(d);
  const Vec zero = hn::Zero(d);
  size_t at = 0;
  for (; n - at >= 4 * lanes; at += 4 * lanes) {
    const Vec a = hn::Min(hn::LoadU(d, p + at), hn::LoadU(d, p + at + lanes));
    const Vec b = hn::Min(hn::LoadU(d, p + at + 2 * lanes), hn::LoadU(d, p + at + 3 * lanes));
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Eq(hn::Min(a, b), zero)))) break;
  }
  for (; at < n; at += lanes) {
    const intptr_t found = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, p + at), zero));
    if (found < 0) continue;
    at += static_cast<size_t>(found);
    break;
  }
  return at < n ? at : n;
}

#else

size_t Utf8ValidPrefix(const char* s, size_t n) { return mr_utf8_valid_prefix_scalar(s, n); }
size_t Utf8Count(const char* s, size_t n) { return mr_utf8_count_scalar(s, n); }
size_t NulFreePrefix(const char* s, size_t n) { return mr_nul_free_prefix_scalar(s, n); }

#endif  // MR_HAVE_SIMD

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(Utf8ValidPrefix);
HWY_EXPORT(Utf8Count);
HWY_EXPORT(NulFreePrefix);
}  // namespace
}  // namespace millrace

using namespace millrace;

size_t mr_utf8_valid_prefix(const char* s, size_t n) {
  if (mr_simd_is_scalar()) return mr_utf8_valid_prefix_scalar(s, n);
  return HWY_DYNAMIC_DISPATCH(Utf8ValidPrefix)(s, n);
}

size_t mr_utf8_count(const char* s, size_t n) {
  if (mr_simd_is_scalar()) return mr_utf8_count_scalar(s, n);
  return HWY_DYNAMIC_DISPATCH(Utf8Count)(s, n);
}

size_t mr_nul_free_prefix(const char* s, size_t n) {
  if (mr_simd_is_scalar()) return mr_nul_free_prefix_scalar(s, n);
  return HWY_DYNAMIC_DISPATCH(NulFreePrefix)(s, n);
}

#endif  // HWY_ONCE

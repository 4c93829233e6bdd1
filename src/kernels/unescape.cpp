/*
 * unescape.cpp: field values with SIMD.
 *
 * Where one instruction compresses 64 bytes, a block is translated and squeezed
 * whole, however many escapes it has. Elsewhere vectors are copied up to the
 * next special byte, which is then handled by itself.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unescape.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "kernels/unescape.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/block64-inl.h"
#include "kernels/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

#if !MR_HAVE_SIMD

int64_t UnescapeText(const char* src, size_t src_len, char* dst) {
  return mr_unescape_text_scalar(src, src_len, dst);
}

int64_t UnquoteCsv(const char* src, size_t src_len, char quote, char escape, char* dst, int* was_quoted) {
  return mr_unquote_csv_scalar(src, src_len, quote, escape, dst, was_quoted);
}

#elif MR_HAVE_VBMI2

using Block = hn::FixedTag<uint8_t, 64>;

HWY_INLINE hn::Mask<Block> BitsToMask(uint64_t bits) {
  return hn::LoadMaskBits(Block(), reinterpret_cast<const uint8_t*>(&bits));
}

/* The bytes of v at the set bits of `keep` to dst; returns their number. Writes 64 bytes. */
template <class V>
HWY_INLINE size_t Squeeze(V v, uint64_t keep, uint8_t* HWY_RESTRICT dst) {
  hn::StoreU(hn::Compress(v, BitsToMask(keep)), Block(), dst);
  return PopCount64(keep);
}

/*
 * What a backslash makes of the byte after it, for every byte of v. The six
 * letters lie in 0x60 to 0x7F, and no two of one half share a low nibble.
 */
template <class V>
HWY_INLINE V TranslateEscaped(V v) {
  HWY_ALIGN static constexpr uint8_t kLetters6[16] = {0, 0, 'b', 0, 0, 0, 'f', 0, 0, 0, 0, 0, 0, 0, 'n', 0};
  HWY_ALIGN static constexpr uint8_t kControl6[16] = {0, 0, '\b', 0, 0, 0, '\f', 0,
                                                      0, 0, 0,    0, 0, 0, '\n', 0};
  HWY_ALIGN static constexpr uint8_t kLetters7[16] = {0, 0, 'r', 0, 't', 0, 'v', 0, 0, 0, 0, 0, 0, 0, 0, 0};
  HWY_ALIGN static constexpr uint8_t kControl7[16] = {0, 0, '\r', 0, '\t', 0, '\v', 0,
                                                      0, 0, 0,    0, 0,    0, 0,    0};
  const Block d;
  const V low = hn::And(v, hn::Set(d, 0x0F));
  const auto letter = [&](const uint8_t* table) {
    return hn::Eq(hn::TableLookupBytes(hn::LoadDup128(d, table), low), v);
  };
  const V in6 = hn::TableLookupBytes(hn::LoadDup128(d, kControl6), low);
  const V in7 = hn::TableLookupBytes(hn::LoadDup128(d, kControl7), low);
  return hn::IfThenElse(letter(kLetters6), in6, hn::IfThenElse(letter(kLetters7), in7, v));
}

int64_t UnescapeText(const char* src, size_t src_len, char* dst) {
  const Block d;
  const uint8_t* HWY_RESTRICT from = reinterpret_cast<const uint8_t*>(src);
  uint8_t* HWY_RESTRICT to = reinterpret_cast<uint8_t*>(dst);
  uint64_t carry = 0;
  for (size_t at = 0; at < src_len; at += 64) {
    const auto v = hn::LoadU(d, from + at);
    const uint64_t valid = FirstBits(src_len - at);
    const uint64_t backslashes = MaskToBits(d, hn::Eq(v, hn::Set(d, '\\'))) & valid;
    uint64_t escaping;
    const uint64_t escaped = PairEscapes(backslashes, &carry, &escaping) & valid;
    /* '0' to '7' are the bytes that differ from '0' in the low three bits only. */
    const auto octal = hn::Eq(hn::And(v, hn::Set(d, 0xF8)), hn::Set(d, '0'));
    const auto undecided = hn::Or(octal, hn::Eq(v, hn::Set(d, 'x')));
    if (HWY_UNLIKELY((MaskToBits(d, undecided) & escaped) != 0)) return -1;
    const auto value = hn::IfThenElse(BitsToMask(escaped), TranslateEscaped(v), v);
    to += Squeeze(value, valid & ~escaping, to);
    /* In the last block a backslash without a byte after it is the topmost valid one. */
    if (src_len - at < 64) carry = (escaping >> (src_len - at - 1)) & 1;
  }
  return carry ? -1 : to - reinterpret_cast<uint8_t*>(dst);
}

int64_t UnquoteCsv(const char* src, size_t src_len, char quote, char escape, char* dst, int* was_quoted) {
  const Block d;
  const uint8_t* HWY_RESTRICT from = reinterpret_cast<const uint8_t*>(src);
  uint8_t* HWY_RESTRICT to = reinterpret_cast<uint8_t*>(dst);
  const auto vquote = hn::Set(d, static_cast<uint8_t>(quote));
  const auto vescape = hn::Set(d, static_cast<uint8_t>(escape));
  const bool has_escape = quote != escape;
  uint64_t carry = 0;
  uint64_t in_quote = 0;
  uint64_t close_carry = 0;
  uint64_t any_quote = 0;
  for (size_t at = 0; at < src_len; at += 64) {
    const auto v = hn::LoadU(d, from + at);
    const uint64_t valid = FirstBits(src_len - at);
    const uint64_t quotes = MaskToBits(d, hn::Eq(v, vquote)) & valid;
    uint64_t toggles = quotes;
    uint64_t escaping = 0;
    if (has_escape) {
      const uint64_t escapes = MaskToBits(d, hn::Eq(v, vescape)) & valid;
      toggles = ToggleQuotes(quotes, PairEscapes(escapes, &carry, &escaping), in_quote);
    }
    const uint64_t inside = PrefixXor(toggles) ^ in_quote;
    in_quote = static_cast<uint64_t>(static_cast<int64_t>(inside) >> 63);
    uint64_t drop = toggles;
    if (has_escape) {
      const auto next = hn::LoadU(d, from + at + 1);
      const uint64_t protects = MaskToBits(d, hn::Or(hn::Eq(next, vquote), hn::Eq(next, vescape)));
      drop |= escaping & inside & protects & FirstBits(src_len - at - 1);
    } else {
      /* A quote that opens right after one that closed is the second of a pair: one of the two is data. */
      const uint64_t closes = toggles & ~inside;
      drop &= ~(toggles & inside & ((closes << 1) | close_carry));
      close_carry = closes >> 63;
    }
    any_quote |= toggles;
    to += Squeeze(v, valid & ~drop, to);
  }
  *was_quoted = any_quote != 0;
  return in_quote ? -1 : to - reinterpret_cast<uint8_t*>(dst);
}

#else

/* What a backslash makes of c; octal and hexadecimal digits are the caller's. */
HWY_INLINE uint8_t TextEscape(uint8_t c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return c;
  }
}

/* How far from p, at most n, the first byte is that equals a or b; copies what lies before it (and slack) to
 * dst. */
HWY_INLINE size_t CopyUntil(const uint8_t* HWY_RESTRICT p, size_t n, uint8_t a, uint8_t b,
                            uint8_t* HWY_RESTRICT dst) {
  const Bytes d;
  const auto va = hn::Set(d, a);
  const auto vb = hn::Set(d, b);
  for (size_t at = 0; at < n; at += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, p + at);
    hn::StoreU(v, d, dst + at);
    const intptr_t found = hn::FindFirstTrue(d, hn::Or(hn::Eq(v, va), hn::Eq(v, vb)));
    if (found >= 0) {
      const size_t stop = at + static_cast<size_t>(found);
      return stop < n ? stop : n;
    }
  }
  return n;
}

int64_t UnescapeText(const char* src, size_t src_len, char* dst) {
  const uint8_t* HWY_RESTRICT from = reinterpret_cast<const uint8_t*>(src);
  uint8_t* HWY_RESTRICT to = reinterpret_cast<uint8_t*>(dst);
  size_t left = src_len;
  while (left != 0) {
    const size_t plain = CopyUntil(from, left, '\\', '\\', to);
    from += plain, to += plain, left -= plain;
    if (left == 0) break;
    if (left == 1) return -1;
    const uint8_t c = from[1];
    if ((c & 0xF8) == '0' || c == 'x') return -1;
    *to++ = TextEscape(c);
    from += 2, left -= 2;
  }
  return to - reinterpret_cast<uint8_t*>(dst);
}

int64_t UnquoteCsv(const char* src, size_t src_len, char quote, char escape, char* dst, int* was_quoted) {
  const uint8_t* HWY_RESTRICT from = reinterpret_cast<const uint8_t*>(src);
  uint8_t* HWY_RESTRICT to = reinterpret_cast<uint8_t*>(dst);
  const uint8_t q = static_cast<uint8_t>(quote);
  const uint8_t e = static_cast<uint8_t>(escape);
  size_t left = src_len;
  bool in_quote = false;
  *was_quoted = 0;
  while (left != 0) {
    const size_t plain = CopyUntil(from, left, q, in_quote ? e : q, to);
    from += plain, to += plain, left -= plain;
    if (left == 0) break;
    const uint8_t c = *from++;
    left--;
    if (!in_quote) {
      in_quote = true;
      *was_quoted = 1;
    } else if (c == e && left != 0 && (*from == e || *from == q)) {
      *to++ = *from++;
      left--;
    } else if (c == q) {
      in_quote = false;
    } else {
      *to++ = c;
    }
  }
  return in_quote ? -1 : to - reinterpret_cast<uint8_t*>(dst);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(UnescapeText);
HWY_EXPORT(UnquoteCsv);
}  // namespace
}  // namespace millrace

using namespace millrace;

int64_t mr_unescape_text(const char* src, size_t src_len, char* dst) {
  if (mr_simd_is_scalar()) return mr_unescape_text_scalar(src, src_len, dst);
  return HWY_DYNAMIC_DISPATCH(UnescapeText)(src, src_len, dst);
}

int64_t mr_unquote_csv(const char* src, size_t src_len, char quote, char escape, char* dst, int* was_quoted) {
  if (mr_simd_is_scalar()) return mr_unquote_csv_scalar(src, src_len, quote, escape, dst, was_quoted);
  return HWY_DYNAMIC_DISPATCH(UnquoteCsv)(src, src_len, quote, escape, dst, was_quoted);
}

#endif  // HWY_ONCE

/*
 * line_index.cpp: the structural index, 64 bytes at a time.
 *
 *   bytes --EqualBits--> masks of delimiters, terminators, quotes, escapes
 *         --PairEscapes, PrefixXor--> masks of what is escaped or inside quotes
 *         --EmitPositions, EmitRanks--> seps, row_end, odd
 *
 * The loop carries from block to block only a few bits and the three counts. It
 * takes four blocks at a time, which share the tests for what is rare and the
 * writing of row_end. Format and terminator are template parameters: one loop
 * per kind of file.
 */
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/line_index.cpp"
// foreach_target.h must come first: it includes this file once per target
#include "kernels/line_index.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/block64-inl.h"
#include "kernels/simd_target.h"

HWY_BEFORE_NAMESPACE();
namespace millrace {
namespace HWY_NAMESPACE {
namespace {

#if MR_HAVE_SIMD

/* Where the result goes. Held by value in the loops, so that the counts stay in registers. */
struct Sink {
  uint32_t* HWY_RESTRICT seps;
  uint32_t* HWY_RESTRICT row_end;
  uint32_t* HWY_RESTRICT odd;
  uint32_t n_seps;
  uint32_t n_rows;
  uint32_t n_odd;
};

/* What was found in 64 bytes. */
struct Masks {
  BlockMask seps_mask; /* the same as seps */
  uint64_t seps;
  uint64_t rows; /* a subset of seps: first bytes of row terminators */
  uint64_t odd;
  uint64_t judge;   /* bytes at which the scan stops */
  uint64_t special; /* nonzero when Plain() would not have done */
};

/*
 * Which bytes of a block exist, and which have a next byte in the chunk. Blocks
 * before the last are whole, and whatever looks one byte ahead may.
 */
struct Extent {
  uint64_t valid;
  uint64_t has_next;
};
constexpr Extent kWhole = {~uint64_t{0}, ~uint64_t{0}};

/*
 * Row terminators among the `live` bytes, those not escaped and not in quotes.
 * Without `look` there is known to be no other kind of terminator than kEol.
 */
template <int kEol>
struct Terminators {
  uint64_t rows; /* first bytes */
  uint64_t last_bytes;
  uint64_t judge;

  /* *carry is 1 when the block's first byte is the LF of a CRNL, and is left so for the next block. */
  HWY_INLINE Terminators(const uint8_t* p, uint64_t live, Extent extent, bool look, uint64_t* carry) {
    const uint64_t lf = kEol == MR_EOL_CR && !look ? 0 : EqualBits(p, '\n') & live;
    const uint64_t cr = kEol == MR_EOL_NL && !look ? 0 : EqualBits(p, '\r') & live;
    if (kEol == MR_EOL_CRNL) {
      const uint64_t lf_next = EqualBits(p + 1, '\n') & extent.has_next;
      rows = cr & lf_next;
      last_bytes = (rows << 1) | *carry;
      *carry = rows >> 63;
      judge = (cr & ~lf_next & extent.has_next) | (lf & ~last_bytes);
    } else {
      rows = last_bytes = kEol == MR_EOL_NL ? lf : cr;
      judge = kEol == MR_EOL_NL ? cr : lf;
    }
  }
};

/* The masks of a whole block with nothing escaped, quoted or, but for CRNL, to be judged. */
template <int kEol>
HWY_INLINE Masks PlainMasks(const uint8_t* HWY_RESTRICT p, uint8_t delim, uint64_t* crnl_carry,
                            uint64_t* last_bytes) {
  const BlockMask delims = EqualMask(p, delim);
  if (kEol == MR_EOL_CRNL) {
    const Terminators<kEol> ends(p, ~uint64_t{0}, kWhole, true, crnl_carry);
    const uint64_t seps = ToBits(delims) | ends.rows;
    *last_bytes = ends.last_bytes;
    return {FromBits(seps), seps, ends.rows, 0, ends.judge, 0};
  }
  const BlockMask rows = EqualMask(p, kEol == MR_EOL_NL ? '\n' : '\r');
  const BlockMask seps = OrMasks(delims, rows);
  *last_bytes = ToBits(rows);
  return {seps, ToBits(seps), ToBits(rows), 0, 0, 0};
}

template <int kEol>
struct TextScanner {
  uint8_t delim;
  uint64_t crnl_carry = 0;
  uint64_t escape_carry = 0;

  explicit TextScanner(const MrFormat& f) : delim(static_cast<uint8_t>(f.delim)) {}

  /* Would Plain() do for these 256 bytes? */
  HWY_INLINE bool IsPlain(const uint8_t* HWY_RESTRICT p) const {
    return escape_carry == 0 && HasNeither<4>(p, '\\',
                                              kEol == MR_EOL_NL   ? '\r'
                                              : kEol == MR_EOL_CR ? '\n'
                                                                  : '\\');
  }

  /* The masks of a block without backslashes. */
  HWY_INLINE Masks Plain(const uint8_t* HWY_RESTRICT p) {
    uint64_t last_bytes;
    return PlainMasks<kEol>(p, delim, &crnl_carry, &last_bytes);
  }

  HWY_INLINE Masks Block(const uint8_t* HWY_RESTRICT p, Extent extent, bool look) {
    uint64_t escaping;
    const uint64_t escaped = PairEscapes(EqualBits(p, '\\') & extent.valid, &escape_carry, &escaping);
    const uint64_t live = extent.valid & ~escaped;
    const Terminators<kEol> ends(p, live, extent, look, &crnl_carry);
    const uint64_t dot_next = EqualBits(p + 1, '.') & extent.has_next;
    const uint64_t seps = (EqualBits(p, delim) & live) | ends.rows;
    return {FromBits(seps), seps, ends.rows, escaping, ends.judge | (escaping & dot_next), escaping};
  }
};

template <int kEol, bool kHasEscape>
struct CsvScanner {
  uint8_t delim, quote, escape;
  uint64_t crnl_carry = 0;
  uint64_t escape_carry = 0;
  uint64_t in_quote = 0;    /* all ones when the byte before the block is inside quotes */
  uint64_t close_carry = 0; /* 1 when the byte before the block closes a quote */
  uint64_t start_carry = 1; /* 1 when a field starts at the block's first byte */

  explicit CsvScanner(const MrFormat& f)
      : delim(static_cast<uint8_t>(f.delim)),
        quote(static_cast<uint8_t>(f.quote)),
        escape(static_cast<uint8_t>(f.escape)) {}

  /* Without quotes, escapes are data; but a quote may open right after a run of them, whose parity is then
   * wanted. */
  HWY_INLINE bool IsPlain(const uint8_t* HWY_RESTRICT p) const {
    if ((in_quote | close_carry | escape_carry) != 0 || (kHasEscape && p[255] == escape)) return false;
    return HasNeither<4>(p, quote, kEol == MR_EOL_NL ? '\r' : kEol == MR_EOL_CR ? '\n' : quote);
  }

  HWY_INLINE Masks Plain(const uint8_t* HWY_RESTRICT p) {
    uint64_t last_bytes;
    const Masks masks = PlainMasks<kEol>(p, delim, &crnl_carry, &last_bytes);
    start_carry = (masks.seps & ~masks.rows) >> 63 | last_bytes >> 63;
    return masks;
  }

  HWY_INLINE Masks Block(const uint8_t* HWY_RESTRICT p, Extent extent, bool look) {
    uint64_t toggles = EqualBits(p, quote) & extent.valid;
    uint64_t escapes = 0;
    if (kHasEscape) {
      escapes = EqualBits(p, escape) & extent.valid;
      uint64_t escaping;
      toggles = ToggleQuotes(toggles, PairEscapes(escapes, &escape_carry, &escaping), in_quote);
    }
    const uint64_t inside = PrefixXor(toggles) ^ in_quote; /* bit i: after byte i we are inside quotes */
    in_quote = static_cast<uint64_t>(static_cast<int64_t>(inside) >> 63);
    const uint64_t live = extent.valid & ~inside;

    const Terminators<kEol> ends(p, live, extent, look, &crnl_carry);
    const uint64_t delims = EqualBits(p, delim) & live;
    const uint64_t seps = delims | ends.rows;
    const uint64_t field_ends = delims | ends.last_bytes;
    const uint64_t field_starts = (field_ends << 1) | start_carry;
    start_carry = field_ends >> 63;

    const uint64_t closes = toggles & ~inside;
    const uint64_t after_close = ((closes << 1) | close_carry) & extent.valid;
    close_carry = closes >> 63;
    const uint64_t odd = (toggles & inside & ~field_starts) | (after_close & ~seps) | (escapes & inside);
    return {FromBits(seps), seps, ends.rows, odd, ends.judge, toggles | inside};
  }
};

/*
 * Rows found but not yet written, as a mask of their ranks among the separators
 * since the last Flush(): the rows of many blocks are then written at once. Only
 * where pext is quick; elsewhere rows are written as they come.
 */
struct RowRanks {
#if MR_HAVE_VBMI2
  uint64_t ranks = 0;
  uint32_t n = 0; /* separators since the last Flush(): fewer than 64, or none */
  /* sink counts the block's separators only after this. */
  HWY_INLINE void Add(uint64_t rows, uint64_t seps, uint32_t n_seps, Sink& sink) {
    if (HWY_UNLIKELY(n + n_seps >= 64)) Flush(sink);
    ranks |= _pext_u64(rows, seps) << n;
    n += n_seps;
  }
  HWY_INLINE void Flush(Sink& sink) {
    sink.n_rows += EmitPositions(ranks, sink.n_seps - n, sink.row_end + sink.n_rows);
    n = 0;
    ranks = 0;
  }
  /* After a group: well before the mask is full, but not for every group of long fields. */
  HWY_INLINE void FlushIfMany(Sink& sink) {
    if (n >= 24) Flush(sink);
  }
#else
  HWY_INLINE void Add(uint64_t rows, uint64_t seps, uint32_t, Sink& sink) {
    sink.n_rows += EmitRanks(rows, seps, sink.n_seps, sink.row_end + sink.n_rows);
  }
  HWY_INLINE void Flush(Sink&) {}
  HWY_INLINE void FlushIfMany(Sink&) {}
#endif
};

HWY_INLINE void EmitBlock(const Masks& masks, uint32_t at, RowRanks& rows, Sink& sink) {
  const uint32_t n = PopCount64(masks.seps);
  rows.Add(masks.rows, masks.seps, n, sink);
  EmitMask(masks.seps_mask, n, at, sink.seps + sink.n_seps);
  sink.n_seps += n;
}

/* The same for a block that likely has no more than two separators. */
HWY_INLINE void EmitSparseBlock(const Masks& masks, uint32_t at, RowRanks& rows, Sink& sink) {
  const uint32_t n = PopCount64(masks.seps);
  rows.Add(masks.rows, masks.seps, n, sink);
  EmitTwo(masks.seps, at, sink.seps + sink.n_seps);
  if (HWY_UNLIKELY(n > 2)) EmitMask(masks.seps_mask, n, at, sink.seps + sink.n_seps);
  sink.n_seps += n;
}

/* A scan on its way: copied into locals by each loop, so that the compiler keeps it in registers. */
template <class Scanner>
struct Progress {
  Scanner scanner;
  Sink sink;
  RowRanks rows;
  uint32_t at;
};

/*
 * Takes groups of four blocks, until many in a row were plain, or a block has a
 * byte to be judged, or the last group begins. (Going to and fro between the two
 * loops would cost more than it saves where some rows are quoted and some not.)
 * Returns false when a byte must be judged in the block at progress->at, of which
 * nothing has been taken.
 */
template <int kEol, class Scanner>
HWY_NOINLINE bool ScanSpecial(const uint8_t* HWY_RESTRICT bytes, uint32_t end, Progress<Scanner>* progress) {
  constexpr int kPatience = 8; /* groups */
  Progress<Scanner> now = *progress;
  for (int plain = 0; plain < kPatience && end - now.at > 256; plain++) {
    const bool look = kEol == MR_EOL_CRNL || Has<4>(bytes + now.at, kEol == MR_EOL_NL ? '\r' : '\n');
    uint64_t special = 0;
    for (int block = 0; block < 4; block++, now.at += 64) {
      Scanner next = now.scanner;
      const Masks masks = next.Block(bytes + now.at, kWhole, look);
      if (HWY_UNLIKELY(masks.judge != 0)) {
        *progress = now;
        return false;
      }
      now.scanner = next;
      special |= masks.special;
      EmitBlock(masks, now.at, now.rows, now.sink);
      if (masks.odd != 0) now.sink.n_odd += EmitPositions(masks.odd, now.at, now.sink.odd + now.sink.n_odd);
    }
    now.rows.FlushIfMany(now.sink);
    if (special != 0) plain = -1;
  }
  *progress = now;
  return true;
}

/* The same for groups that are plain, until one is not. */
template <int kEol, class Scanner>
HWY_NOINLINE bool ScanPlain(const uint8_t* HWY_RESTRICT bytes, uint32_t end, Progress<Scanner>* progress) {
  Progress<Scanner> now = *progress;
  bool sparse = false; /* the last group had few separators: the next likely has, too */
  while (end - now.at > 256 && now.scanner.IsPlain(bytes + now.at)) {
    const uint32_t n_before = now.sink.n_seps;
    /* One block after the other: there are too few registers for the masks of four. */
    for (int block = 0; block < 4; block++, now.at += 64) {
      Scanner next = now.scanner;
      const Masks masks = next.Plain(bytes + now.at);
      if (HWY_UNLIKELY(masks.judge != 0)) {
        *progress = now;
        return false;
      }
      now.scanner = next;
      if (sparse)
        EmitSparseBlock(masks, now.at, now.rows, now.sink);
      else
        EmitBlock(masks, now.at, now.rows, now.sink);
    }
    sparse = now.sink.n_seps - n_before <= 4;
    now.rows.FlushIfMany(now.sink);
  }
  *progress = now;
  return true;
}

template <int kEol, class Scanner>
uint32_t Scan(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, MrIndex* out) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(base);
  Progress<Scanner> now = {Scanner(*format), Sink{out->seps, out->row_end, out->odd, 0, 0, 0}, RowRanks(),
                           begin};

  /* Groups of four blocks, each with bytes after it. */
  while (end - now.at > 256)
    if (!ScanPlain<kEol>(bytes, end, &now) || !ScanSpecial<kEol>(bytes, end, &now)) break;
  now.rows.Flush(now.sink);

  /* The rest block by block: the last may be short, and one may hold the byte to stop at. */
  uint32_t stop = end;
  while (now.at < end) {
    Sink& sink = now.sink;
    const uint32_t rest = end - now.at;
    const Masks masks = now.scanner.Block(bytes + now.at, Extent{FirstBits(rest), FirstBits(rest - 1)}, true);
    const uint64_t before = BelowLowest(masks.judge);
    sink.n_rows += EmitRanks(masks.rows & before, masks.seps, sink.n_seps, sink.row_end + sink.n_rows);
    sink.n_seps += EmitPositions(masks.seps & before, now.at, sink.seps + sink.n_seps);
    sink.n_odd += EmitPositions(masks.odd & before, now.at, sink.odd + sink.n_odd);
    if (masks.judge != 0) {
      stop = now.at + LowestBit(masks.judge);
      break;
    }
    if (rest <= 64) break;
    now.at += 64;
  }
  out->n_seps = now.sink.n_seps;
  out->n_rows = now.sink.n_rows;
  out->n_odd = now.sink.n_odd;
  return stop;
}

template <int kEol>
uint32_t ScanEol(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, MrIndex* out) {
  if (!format->csv) return Scan<kEol, TextScanner<kEol>>(format, base, begin, end, out);
  if (format->escape == format->quote)
    return Scan<kEol, CsvScanner<kEol, false>>(format, base, begin, end, out);
  return Scan<kEol, CsvScanner<kEol, true>>(format, base, begin, end, out);
}

uint32_t IndexRows(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, MrIndex* out) {
  switch (format->eol) {
    case MR_EOL_NL:
      return ScanEol<MR_EOL_NL>(format, base, begin, end, out);
    case MR_EOL_CR:
      return ScanEol<MR_EOL_CR>(format, base, begin, end, out);
    default:
      return ScanEol<MR_EOL_CRNL>(format, base, begin, end, out);
  }
}

#else

uint32_t IndexRows(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, MrIndex* out) {
  return mr_index_rows_scalar(format, base, begin, end, out);
}

#endif  // MR_HAVE_SIMD

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace millrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace millrace {
namespace {
HWY_EXPORT(IndexRows);
}  // namespace
}  // namespace millrace

uint32_t mr_index_rows(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, MrIndex* out) {
  using namespace millrace;
  if (mr_simd_is_scalar()) return mr_index_rows_scalar(format, base, begin, end, out);
  return HWY_DYNAMIC_DISPATCH(IndexRows)(format, base, begin, end, out);
}

#endif  // HWY_ONCE

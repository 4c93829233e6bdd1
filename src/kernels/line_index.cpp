/*
 * line_index.cpp: the structural index, 64 bytes at a time.
 *
 *   bytes --EqualBits--> masks of delimiters, terminators, quotes, escapes
 *         --PairEscapes, PrefixXor--> masks of what is escaped or inside quotes
 *         --EmitPositions, EmitRanks--> seps, row_end, odd
 *
 * The loop carries from block to block only a few bits and the three counts.
 * Format and terminator are template parameters: one loop per kind of file.
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

constexpr uint32_t kNoStop = UINT32_MAX;

/* What the blocks of one chunk share: the format's bytes, where to write, and the counts. */
struct Sink {
  uint32_t* HWY_RESTRICT seps;
  uint32_t* HWY_RESTRICT row_end;
  uint32_t* HWY_RESTRICT odd;
  uint32_t n_seps;
  uint32_t n_rows;
  uint32_t n_odd;
};

/*
 * Row terminators of a block. `lf` and `cr` are those not escaped and not in
 * quotes, valid where `valid` has bits. Two bytes of one CRNL may lie in two
 * blocks: `carry` is 1 when the byte before the block is a CR whose LF is due.
 */
template <int kEol>
struct Terminators {
  uint64_t start;    /* first bytes of terminators: separators */
  uint64_t last;     /* last bytes of terminators: rows are complete there */
  uint64_t judge;    /* bytes left to PostgreSQL */
  bool judge_before; /* so is the byte before the block, a CR without LF */

  HWY_INLINE Terminators(uint64_t lf, uint64_t cr, uint64_t valid, uint64_t* carry) {
    judge_before = false;
    if (kEol == MR_EOL_CRNL) {
      const uint64_t due = ((cr << 1) | *carry) & valid;
      judge_before = (*carry & ~lf & valid) != 0;
      judge = (lf & ~due) | ((due & ~lf) >> 1);
      start = cr;
      last = lf & due;
      *carry = cr >> 63;
    } else {
      start = last = kEol == MR_EOL_NL ? lf : cr;
      judge = kEol == MR_EOL_NL ? cr : lf;
    }
  }
};

template <int kEol>
HWY_INLINE void Emit(uint64_t seps, uint64_t rows, uint32_t at, Sink& sink) {
  if (kEol == MR_EOL_CRNL) {
    /* Rows are counted at the LF, whose CR is the separator before it, perhaps in the block before. */
    for (uint64_t rest = rows; rest != 0; rest &= rest - 1)
      sink.row_end[sink.n_rows++] = sink.n_seps + PopCount64(seps & BelowLowest(rest)) - 1;
  } else {
    sink.n_rows += EmitRanks(rows, seps, sink.n_seps, sink.row_end + sink.n_rows);
  }
  sink.n_seps += EmitPositions(seps, at, sink.seps + sink.n_seps);
}

/* The rare end of a scan: what comes before the judged byte is written. */
template <int kEol>
HWY_NOINLINE uint32_t Stop(uint64_t judge, bool judge_before, uint64_t seps, uint64_t rows, uint64_t odd,
                           uint32_t at, Sink* sink) {
  if (judge_before) return at - 1;
  const uint64_t before = BelowLowest(judge);
  Emit<kEol>(seps & before, rows & before, at, *sink);
  sink->n_odd += EmitPositions(odd & before, at, sink->odd + sink->n_odd);
  return at + LowestBit(judge);
}

template <int kEol>
struct TextScanner {
  uint8_t delim;
  uint64_t cr_carry = 0;
  uint64_t escape_carry = 0;

  explicit TextScanner(const MrFormat& f) : delim(static_cast<uint8_t>(f.delim)) {}

  /* Indexes the block p at offset `at`; returns the offset to stop at, or kNoStop. */
  HWY_INLINE uint32_t Block(const uint8_t* HWY_RESTRICT p, uint32_t at, uint64_t valid, Sink& sink) {
    const uint64_t delims = EqualBits(p, delim) & valid;
    const uint64_t lf = EqualBits(p, '\n') & valid;
    const uint64_t cr = EqualBits(p, '\r') & valid;
    const uint64_t backslashes = EqualBits(p, '\\') & valid;
    if (HWY_UNLIKELY((backslashes | escape_carry) != 0))
      return EscapedBlock(p, at, valid, delims, lf, cr, backslashes, sink);
    const Terminators<kEol> ends(lf, cr, valid, &cr_carry);
    if (HWY_UNLIKELY(ends.judge != 0 || ends.judge_before))
      return StopText(ends.judge, ends.judge_before, delims | ends.start, ends.last, 0, at, sink);
    Emit<kEol>(delims | ends.start, ends.last, at, sink);
    return kNoStop;
  }

  HWY_INLINE uint32_t EscapedBlock(const uint8_t* HWY_RESTRICT p, uint32_t at, uint64_t valid,
                                   uint64_t delims, uint64_t lf, uint64_t cr, uint64_t backslashes,
                                   Sink& sink) {
    const uint64_t carried = escape_carry;
    uint64_t escaping;
    const uint64_t escaped = PairEscapes(backslashes, &escape_carry, &escaping);
    const uint64_t dots = EqualBits(p, '.') & escaped & valid;
    const Terminators<kEol> ends(lf & ~escaped, cr & ~escaped, valid, &cr_carry);
    const uint64_t seps = (delims & ~escaped) | ends.start;
    const uint64_t judge = ends.judge | (dots >> 1);
    if (HWY_UNLIKELY(judge != 0 || ends.judge_before || (dots & carried) != 0)) {
      if (dots & carried) {
        sink.n_odd--; /* the backslash before this block is not ours to read */
        return at - 1;
      }
      return StopText(judge, ends.judge_before, seps, ends.last, escaping, at, sink);
    }
    Emit<kEol>(seps, ends.last, at, sink);
    sink.n_odd += EmitPositions(escaping, at, sink.odd + sink.n_odd);
    return kNoStop;
  }

  HWY_INLINE uint32_t StopText(uint64_t judge, bool judge_before, uint64_t seps, uint64_t rows, uint64_t odd,
                               uint32_t at, Sink& sink) {
    if (judge_before) sink.n_seps--; /* a CR that ends no row */
    return Stop<kEol>(judge, judge_before, seps, rows, odd, at, &sink);
  }
};

template <int kEol, bool kHasEscape>
struct CsvScanner {
  uint8_t delim, quote, escape;
  uint64_t cr_carry = 0;
  uint64_t escape_carry = 0;
  uint64_t in_quote = 0;    /* all ones when the byte before the block is inside quotes */
  uint64_t close_carry = 0; /* 1 when the byte before the block closes a quote */
  uint64_t start_carry = 1; /* 1 when a field starts at the block's first byte */

  explicit CsvScanner(const MrFormat& f)
      : delim(static_cast<uint8_t>(f.delim)),
        quote(static_cast<uint8_t>(f.quote)),
        escape(static_cast<uint8_t>(f.escape)) {}

  HWY_INLINE uint32_t Block(const uint8_t* HWY_RESTRICT p, uint32_t at, uint64_t valid, Sink& sink) {
    const uint64_t delims = EqualBits(p, delim) & valid;
    const uint64_t lf = EqualBits(p, '\n') & valid;
    const uint64_t cr = EqualBits(p, '\r') & valid;
    const uint64_t quotes = EqualBits(p, quote) & valid;

    uint64_t inside = 0; /* bit i: after byte i we are inside quotes */
    uint64_t odd = 0;
    uint64_t opens = 0;
    uint64_t after_close = 0;
    const bool quoted = (quotes | in_quote | close_carry) != 0;
    if (quoted) {
      uint64_t toggles = quotes;
      uint64_t escapes = 0;
      if (kHasEscape) {
        escapes = EqualBits(p, escape) & valid;
        uint64_t escaping;
        const uint64_t escaped = PairEscapes(escapes, &escape_carry, &escaping);
        toggles = ToggleQuotes(quotes, escaped, in_quote);
      }
      inside = PrefixXor(toggles) ^ in_quote;
      in_quote = static_cast<uint64_t>(static_cast<int64_t>(inside) >> 63);
      const uint64_t closes = toggles & ~inside;
      after_close = ((closes << 1) | close_carry) & valid;
      close_carry = closes >> 63;
      opens = toggles & inside;
      odd = escapes & inside;
    } else if (kHasEscape) {
      /* Escapes outside quotes are data, but a quote may open right after them: keep their parity. */
      const uint64_t escapes = EqualBits(p, escape) & valid;
      uint64_t escaping;
      PairEscapes(escapes, &escape_carry, &escaping);
    }

    const Terminators<kEol> ends(lf & ~inside, cr & ~inside, valid, &cr_carry);
    const uint64_t unquoted_delims = delims & ~inside;
    const uint64_t seps = unquoted_delims | ends.start;
    const uint64_t field_ends = unquoted_delims | ends.last;
    const uint64_t starts = (field_ends << 1) | start_carry;
    start_carry = field_ends >> 63;
    if (quoted) odd |= (opens & ~starts) | (after_close & ~seps);

    if (HWY_UNLIKELY(ends.judge != 0 || ends.judge_before)) {
      if (ends.judge_before) sink.n_seps--;
      return Stop<kEol>(ends.judge, ends.judge_before, seps, ends.last, odd, at, &sink);
    }
    Emit<kEol>(seps, ends.last, at, sink);
    if (HWY_UNLIKELY(odd != 0)) sink.n_odd += EmitPositions(odd, at, sink.odd + sink.n_odd);
    return kNoStop;
  }
};

template <int kEol, class Scanner>
uint32_t Scan(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, MrIndex* out) {
  Scanner scanner(*format);
  Sink sink = {out->seps, out->row_end, out->odd, 0, 0, 0};
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(base);
  uint32_t stop = kNoStop;
  uint32_t at = begin;
  for (; end - at >= 64; at += 64) {
    stop = scanner.Block(bytes + at, at, ~uint64_t{0}, sink);
    if (HWY_UNLIKELY(stop != kNoStop)) break;
  }
  if (stop == kNoStop) {
    const uint32_t rest = end - at;
    bool cr_last = scanner.cr_carry != 0;
    if (rest != 0) {
      stop = scanner.Block(bytes + at, at, FirstBits(rest), sink);
      cr_last = sink.n_seps != 0 && sink.seps[sink.n_seps - 1] == end - 1 && base[end - 1] == '\r';
    }
    /* A CR at the very end may or may not have its LF in the next chunk. */
    if (kEol == MR_EOL_CRNL && stop == kNoStop && cr_last) sink.n_seps--;
  }
  out->n_seps = sink.n_seps;
  out->n_rows = sink.n_rows;
  out->n_odd = sink.n_odd;
  return stop == kNoStop ? end : stop;
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

/*
 * line_index_scalar.cpp: the structural index a byte at a time.
 *
 * Follows CopyReadLineText() of PostgreSQL's copyfromparse.c: the same state
 * (in_quote, last_was_esc), looked at in the same order.
 */
#include "kernels/line_index.h"

namespace {

struct Writer {
  MrIndex* out;
  void Separator(uint32_t at) { out->seps[out->n_seps++] = at; }
  void Row() { out->row_end[out->n_rows++] = out->n_seps - 1; }
  void Odd(uint32_t at) { out->odd[out->n_odd++] = at; }
};

enum RowEnd { kNoRowEnd, kRowEnd, kJudge, kUnfinished };

/* Is base[at], a byte outside quotes and not escaped, the start of a row terminator? */
RowEnd RowEndAt(uint8_t eol, const char* base, uint32_t at, uint32_t end) {
  const char c = base[at];
  if (c != '\r' && c != '\n') return kNoRowEnd;
  if (eol == MR_EOL_NL) return c == '\n' ? kRowEnd : kJudge;
  if (eol == MR_EOL_CR) return c == '\r' ? kRowEnd : kJudge;
  if (c == '\n') return kJudge;
  if (at + 1 == end) return kUnfinished;
  return base[at + 1] == '\n' ? kRowEnd : kJudge;
}

uint32_t IndexText(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, Writer w) {
  for (uint32_t at = begin; at < end; at++) {
    const char c = base[at];
    if (c == '\\') {
      if (at + 1 < end && base[at + 1] == '.') return at;
      w.Odd(at);
      at++; /* whatever it is, the next byte is data */
    } else if (c == format->delim) {
      w.Separator(at);
    } else {
      switch (RowEndAt(format->eol, base, at, end)) {
        case kNoRowEnd:
          break;
        case kJudge:
          return at;
        case kUnfinished:
          return end;
        case kRowEnd:
          w.Separator(at);
          w.Row();
          if (format->eol == MR_EOL_CRNL) at++;
      }
    }
  }
  return end;
}

uint32_t IndexCsv(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, Writer w) {
  const bool has_escape = format->escape != format->quote;
  bool in_quote = false;
  bool last_was_escape = false;
  bool field_start = true;
  bool after_close = false; /* the byte before closed a quote */
  for (uint32_t at = begin; at < end; at++) {
    const char c = base[at];
    const bool was_in_quote = in_quote;
    bool odd = false;

    if (has_escape && in_quote && c == format->escape) {
      last_was_escape = !last_was_escape;
      odd = true;
    }
    if (c == format->quote && !last_was_escape) in_quote = !in_quote;
    if (!has_escape || c != format->escape) last_was_escape = false;

    bool separator = false;
    bool row = false;
    if (!in_quote) {
      const RowEnd what = RowEndAt(format->eol, base, at, end);
      if (what == kJudge) return at;
      if (what == kUnfinished) {
        if (after_close) w.Odd(at);
        return end;
      }
      row = what == kRowEnd;
      separator = row || (c == format->delim && !was_in_quote);
    }

    if (in_quote && !was_in_quote && !field_start) odd = true;
    if (after_close && !separator) odd = true;
    if (odd) w.Odd(at);

    after_close = was_in_quote && !in_quote;
    field_start = separator;
    if (separator) w.Separator(at);
    if (row) {
      w.Row();
      if (format->eol == MR_EOL_CRNL) at++;
    }
  }
  return end;
}

}  // namespace

uint32_t mr_index_rows_scalar(const MrFormat* format, const char* base, uint32_t begin, uint32_t end,
                              MrIndex* out) {
  out->n_seps = out->n_rows = out->n_odd = 0;
  return format->csv ? IndexCsv(format, base, begin, end, Writer{out})
                     : IndexText(format, base, begin, end, Writer{out});
}

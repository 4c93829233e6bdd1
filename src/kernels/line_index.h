/*
 * line_index.h: the structural index of COPY input, one SIMD pass over a chunk.
 *
 * The pass finds where fields and rows end; plain code interprets what lies
 * between (the split simdjson calls stage 1 and stage 2). A chunk must start at
 * the beginning of a row. Positions are byte offsets from `base`.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

enum MrEol { MR_EOL_NL = 0, MR_EOL_CR = 1, MR_EOL_CRNL = 2 };

/*
 * How the input is written; all characters are single bytes, as COPY demands.
 * None of them may be a CR or LF: core allows that for quote and escape, and the
 * caller leaves it to core.
 */
typedef struct MrFormat {
  uint8_t csv;    /* 1: CSV, 0: text */
  uint8_t eol;    /* enum MrEol: the terminator the first row ended with */
  char delim;     /* field delimiter */
  char quote;     /* CSV only */
  char escape;    /* CSV only; may equal quote */
} MrFormat;

/*
 * Result arrays, owned by the caller; each needs room for (end - begin) + 64
 * entries of 4 bytes.
 *
 * seps     every separator: an unquoted (CSV) or unescaped (text) delimiter, or
 *          the first byte of a row terminator (the CR of CRNL). Ascending.
 * row_end  for each complete row, the index in seps of its terminator. The next
 *          row starts at seps[row_end[i]] + (eol == MR_EOL_CRNL ? 2 : 1).
 * odd      positions, ascending, that make the field around them need more than
 *          taking its bytes as they are:
 *            text  each backslash that escapes the byte after it
 *            CSV   a quote that opens anywhere but at the first byte of a field,
 *                  the byte after a quote that closes before the end of its
 *                  field, and, when escape != quote, each escape byte inside
 *                  quotes. A field `"..."` with nothing odd in it is exactly
 *                  its bytes between the first and the last quote. (The doubled
 *                  quote inside `"a""b"` is odd.)
 */
typedef struct MrIndex {
  uint32_t* seps;
  uint32_t* row_end;
  uint32_t* odd;
  uint32_t n_seps;
  uint32_t n_rows;
  uint32_t n_odd;
} MrIndex;

/*
 * Index base[begin, end). Returns the offset of the first byte that PostgreSQL's
 * own reader must judge, or `end` when there is none; rows that end before that
 * offset are complete and right, and n_rows counts only those (seps and odd hold
 * what comes before that offset, so also of the unfinished row). Such bytes are:
 *   - a row terminator of another kind than `eol` outside quotes (text:
 *     unescaped): a CR in NL files, an LF in CR files, a CR without LF or an LF
 *     without CR in CRNL files (a CR that is the last byte of the chunk is not
 *     judged: its row is simply unfinished, and it is no separator either);
 *   - text only: a backslash followed by a period. (A backslash that is the last
 *     byte of the chunk is not judged either, but it is odd.)
 * A CSV row starting with `\.` is not looked for: the caller checks row starts.
 * In CSV with escape == quote, quoting is a plain toggle at every quote; with
 * escape != quote an escape inside quotes protects a quote or escape right after
 * it. Quotes open and close anywhere in a field, as in PostgreSQL.
 * 0 <= begin <= end < 2^31. Reads up to MR_SLACK bytes past end.
 */
uint32_t mr_index_rows(const MrFormat* format, const char* base, uint32_t begin, uint32_t end, MrIndex* out);

/* The plain byte-at-a-time twin: same contract, same results; the oracle of tests. */
uint32_t mr_index_rows_scalar(const MrFormat* format, const char* base, uint32_t begin, uint32_t end,
                              MrIndex* out);

#ifdef __cplusplus
}
#endif

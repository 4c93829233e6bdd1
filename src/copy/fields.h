/*
 * fields.h: from the structural index to the fields of a batch of rows.
 *
 *   rows of the index -> spans of a column -> NULLs -> unquoted, unescaped spans
 */
#pragma once
#include "copy/batch.h"
#include "copy/text_buffer.h"
#include "kernels/line_index.h"

namespace mr {

/* A field that is not simply its bytes: an index entry of MrIndex::odd lies in it. */
struct OddField {
  uint32 row;
  int32 next; /* next odd field of the same column, or -1 */
};

struct FieldReader {
  TextBuffer* buffer;
  MrFormat format;
  MrIndex index;
  uint32 index_capacity;

  /* Position in the index. */
  uint32 next_row;  /* first row not yet given out */
  uint32 next_sep;  /* its first separator */
  uint32 next_odd;  /* first odd position not yet given out */

  const char* null_print;
  uint32 null_len;

  OddField* odd_fields; /* of the current batch, grown as needed */
  uint32 odd_used, odd_capacity;
  int32* odd_head; /* per field */
};

FieldReader* field_reader_create(TextBuffer* buffer, int nfields);

/*
 * Indexes the unread text. `*stopped` tells that the row after the last whole one must
 * go to PostgreSQL's reader.
 */
void field_reader_index(FieldReader* reader, bool* stopped);

/* Rows indexed and not yet given out. */
static inline uint32 field_reader_rows(const FieldReader* reader) { return reader->index.n_rows - reader->next_row; }

/* Forgets the rows not yet given out: the text goes on elsewhere than the index has it. */
static inline void field_reader_forget(FieldReader* reader) { reader->next_row = reader->index.n_rows; }

/*
 * Fills the batch with the next rows, at most max_rows and no more than bring the
 * sum of line lengths to max_bytes. Advances buffer->begin behind them. Rows
 * with another number of fields than the batch has, or that core's reader must
 * judge, are marked misshaped.
 */
void field_reader_take(FieldReader* reader, Batch* batch, uint32 max_rows, int64 max_bytes);

/* Sets start, len and state of one column (Origin::kField) for every row of the batch. */
void field_reader_spans(FieldReader* reader, Batch* batch, Column* column);

}  // namespace mr

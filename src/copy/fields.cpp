#include "copy/fields.h"

extern "C" {
#include "utils/memutils.h"
}

#include "kernels/unescape.h"
#include "pg/compat.h"

namespace mr {

/* Entries that the index kernel wants beyond one a byte. */
constexpr uint32 kIndexSlack = 64;

FieldReader* field_reader_create(TextBuffer* buffer, int nfields) {
  CopyFromState cstate = buffer->cstate;
  MemoryContext old = MemoryContextSwitchTo(cstate->copycontext);
  FieldReader* reader = static_cast<FieldReader*>(palloc0(sizeof(FieldReader)));
  reader->buffer = buffer;
  reader->format.csv = mr_is_csv(&cstate->opts);
  reader->format.delim = cstate->opts.delim[0];
  if (mr_is_csv(&cstate->opts)) {
    reader->format.quote = cstate->opts.quote[0];
    reader->format.escape = cstate->opts.escape[0];
  }
  reader->null_print = cstate->opts.null_print;
  reader->null_len = cstate->opts.null_print_len;
  reader->odd_head = static_cast<int32*>(palloc(Max(nfields, 1) * sizeof(int32)));
  reader->odd_capacity = 64;
  reader->odd_fields = static_cast<OddField*>(palloc(reader->odd_capacity * sizeof(OddField)));
  MemoryContextSwitchTo(old);
  return reader;
}

/* Makes the index arrays fit the unread text. */
static void fit_index(FieldReader* reader) {
  const TextBuffer* buffer = reader->buffer;
  uint32 needed = buffer->valid - buffer->begin;
  if (reader->index_capacity >= needed) return;
  MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(reader));
  reader->index_capacity = Max(needed, Min(2 * reader->index_capacity, buffer->capacity));
  Size bytes = (reader->index_capacity + kIndexSlack) * sizeof(uint32);
  if (reader->index.seps != nullptr) {
    pfree(reader->index.seps);
    pfree(reader->index.row_end);
    pfree(reader->index.odd);
  }
  reader->index.seps = static_cast<uint32*>(palloc(bytes));
  reader->index.row_end = static_cast<uint32*>(palloc(bytes));
  reader->index.odd = static_cast<uint32*>(palloc(bytes));
  MemoryContextSwitchTo(old);
}

/*
 * After a CR core's CSV reader looks at the next byte before it is done with the line, so
 * that an invalid one is an error of that line. A row that ends the text is therefore not
 * given out in files with CR line ends: with more text it comes again, else core's reader takes it.
 */
static void hold_back_last_row(FieldReader* reader) {
  MrIndex* index = &reader->index;
  if (!reader->format.csv || reader->format.eol != MR_EOL_CR || index->n_rows == 0) return;
  if (index->seps[index->row_end[index->n_rows - 1]] + 1 == reader->buffer->valid) index->n_rows--;
}

void field_reader_index(FieldReader* reader, bool* stopped) {
  TextBuffer* buffer = reader->buffer;
  fit_index(reader);
  switch (buffer->cstate->eol_type) {
    case EOL_CR:
      reader->format.eol = MR_EOL_CR;
      break;
    case EOL_CRNL:
      reader->format.eol = MR_EOL_CRNL;
      break;
    default:
      reader->format.eol = MR_EOL_NL;
      break;
  }
  uint32 stop = mr_index_rows(&reader->format, buffer->text, buffer->begin, buffer->valid, &reader->index);
  *stopped = stop < buffer->valid;
  hold_back_last_row(reader);
  reader->next_row = reader->next_sep = reader->next_odd = 0;
}

static void note_odd_field(FieldReader* reader, int field, uint32 row) {
  int32 last = reader->odd_head[field];
  if (last >= 0 && reader->odd_fields[last].row == row) return;
  if (reader->odd_used == reader->odd_capacity) {
    reader->odd_capacity *= 2;
    reader->odd_fields = static_cast<OddField*>(
        repalloc_huge(reader->odd_fields, static_cast<Size>(reader->odd_capacity) * sizeof(OddField)));
  }
  reader->odd_fields[reader->odd_used] = {row, last};
  reader->odd_head[field] = static_cast<int32>(reader->odd_used++);
}

/* Does the span hold exactly the NULL marker? */
static inline bool is_null_print(const FieldReader* reader, const char* text, uint32 start, uint32 len) {
  return len == reader->null_len && memcmp(text + start, reader->null_print, len) == 0;
}

/* Is the field that lies at [at, end) simply the NULL marker of text format? mark_nulls() sees to that. */
static bool is_plain_null(const FieldReader* reader, uint32 at, uint32 end) {
  return !reader->format.csv && is_null_print(reader, reader->buffer->text, at, end - at);
}

/* Lists which fields of the batch the odd positions lie in. Both lists ascend, so one walk does. */
static void find_odd_fields(FieldReader* reader, Batch* batch, uint32 text_end) {
  const MrIndex* index = &reader->index;
  for (int f = 0; f < batch->nfields; f++) reader->odd_head[f] = -1;
  reader->odd_used = 0;
  uint32 row = 0, field = 0;
  while (reader->next_odd < index->n_odd && index->odd[reader->next_odd] < text_end) {
    uint32 at = index->odd[reader->next_odd++];
    for (; at > batch->row_start[row] + batch->row_len[row]; row++) field = 0;
    if (batch->misshaped[row]) continue;
    const uint32* seps = index->seps + batch->first_sep[row];
    /* the byte after an early closing quote is in the same field, never a separator */
    while (seps[field] < at) field++;
    uint32 start = field == 0 ? batch->row_start[row] : seps[field - 1] + 1;
    if (at != start || !is_plain_null(reader, at, seps[field])) note_odd_field(reader, field, row);
  }
}

void field_reader_take(FieldReader* reader, Batch* batch, uint32 max_rows, int64 max_bytes) {
  TextBuffer* buffer = reader->buffer;
  const MrIndex* index = &reader->index;
  const char* text = buffer->text;
  uint32 terminator = reader->format.eol == MR_EOL_CRNL ? 2 : 1;
  uint32 start = buffer->begin, sep = reader->next_sep;
  uint32 nfields = batch->nfields;
  int64 bytes = 0;
  bool csv = reader->format.csv, any_bad = false;
  uint32 n = 0;

  max_rows = Min(Min(max_rows, batch->capacity), field_reader_rows(reader));
  const uint32* row_end = index->row_end + reader->next_row;
  while (n < max_rows && bytes < max_bytes) {
    uint32 last_sep = row_end[n];
    uint32 end = index->seps[last_sep];
    bool bad = last_sep - sep + 1 != nfields || (csv && text[start] == '\\' && text[start + 1] == '.');
    batch->first_sep[n] = sep;
    batch->row_start[n] = start;
    batch->row_len[n] = end - start;
    batch->misshaped[n] = bad;
    any_bad |= bad;
    bytes += end - start;
    start = end + terminator;
    sep = last_sep + 1;
    n++;
  }
  memcpy(batch->attention, batch->misshaped, n);
  memset(batch->row_state, static_cast<int>(RowState::kVectors), n);
  batch->rows = n;
  batch->bytes = bytes;
  batch->any_attention = batch->any_misshaped = any_bad;
  batch->any_tuple = false;
  batch->any_quote = csv && memchr(text + buffer->begin, reader->format.quote, start - buffer->begin) != nullptr;
  buffer->begin = start;
  buffer->scratch_used = 0;
  reader->next_row += n;
  reader->next_sep = sep;
  find_odd_fields(reader, batch, start);
}

/* Values of the odd fields of a column go to the scratch area. */
static void unescape_odd_fields(FieldReader* reader, Batch* batch, Column* column) {
  TextBuffer* buffer = reader->buffer;
  char* text = buffer->text;
  for (int32 i = reader->odd_head[column->field]; i >= 0; i = reader->odd_fields[i].next) {
    uint32 row = reader->odd_fields[i].row;
    if (batch->misshaped[row]) continue;
    uint32 sep = batch->first_sep[row] + column->field;
    uint32 start = column->field == 0 ? batch->row_start[row] : reader->index.seps[sep - 1] + 1;
    uint32 len = reader->index.seps[sep] - start;
    char* to = text + buffer->scratch + buffer->scratch_used;
    int64 got;
    if (reader->format.csv) {
      int quoted = 0;
      got = mr_unquote_csv(text + start, len, reader->format.quote, reader->format.escape, to, &quoted);
      column->state[row] = MR_VALUE;
      if (got >= 0 && (column->force_null || !quoted) &&
          is_null_print(reader, text, quoted ? to - text : start, quoted ? got : len) &&
          !(column->force_not_null && !quoted))
        column->state[row] = MR_NULL;
    } else {
      if (column->state[row] == MR_NULL) continue; /* the marker is compared before unescaping */
      got = mr_unescape_text(text + start, len, to);
    }
    if (got < 0) {
      batch->misshaped[row] = batch->attention[row] = true;
      batch->any_attention = batch->any_misshaped = true;
      continue;
    }
    column->start[row] = to - text;
    column->len[row] = static_cast<uint32>(got);
    buffer->scratch_used += static_cast<uint32>(got);
  }
}

/* Where each row's field begins and how long it is. Rows of one shape have their separators in even steps. */
static void raw_spans(const FieldReader* reader, const Batch* batch, Column* column) {
  const uint32 n = batch->rows;
  uint32 *start = column->start, *len = column->len;
  if (batch->any_misshaped) {
    for (uint32 r = 0; r < n; r++) {
      /* a misshaped row may have no such separator: an empty span is harmless until core's reader gives the row */
      start[r] = batch->row_start[r];
      len[r] = 0;
      if (batch->misshaped[r]) continue;
      const uint32* sep = reader->index.seps + batch->first_sep[r] + column->field;
      if (column->field > 0) start[r] = sep[-1] + 1;
      len[r] = *sep - start[r];
    }
    return;
  }
  const uint32* sep = reader->index.seps + batch->first_sep[0] + column->field;
  const uint32 step = batch->nfields;
  if (column->field == 0) {
    for (uint32 r = 0; r < n; r++, sep += step) {
      start[r] = batch->row_start[r];
      len[r] = *sep - start[r];
    }
    return;
  }
  for (uint32 r = 0; r < n; r++, sep += step) {
    uint32 before = sep[-1] + 1;
    start[r] = before;
    len[r] = *sep - before;
  }
}

/* Does any field have the NULL marker's length? Most columns have none, and then nothing is NULL. */
static bool any_of_length(const Column* column, uint32 n, uint32 wanted) {
  uint32 found = 0;
  for (uint32 r = 0; r < n; r++) found |= column->len[r] == wanted;
  return found;
}

/* Tells NULL from values by comparing with the marker. */
static void mark_nulls(const FieldReader* reader, const Batch* batch, Column* column) {
  const char* text = reader->buffer->text;
  const uint32 n = batch->rows, null_len = reader->null_len;
  memset(column->state, MR_VALUE, n);
  if (column->force_not_null || !any_of_length(column, n, null_len)) return;
  if (null_len == 0) {
    for (uint32 r = 0; r < n; r++) column->state[r] = column->len[r] != 0;
  } else if (null_len == 2) {
    uint16 marker;
    memcpy(&marker, reader->null_print, 2);
    for (uint32 r = 0; r < n; r++) {
      uint16 head;
      memcpy(&head, text + column->start[r], 2);
      column->state[r] = !((column->len[r] == 2) & (head == marker));
    }
  } else {
    for (uint32 r = 0; r < n; r++) column->state[r] = !is_null_print(reader, text, column->start[r], column->len[r]);
  }
}

/* Strips the quotes of `"..."` fields, which are values even if they look like the marker (but for FORCE_NULL). */
static void strip_quotes(const FieldReader* reader, const Batch* batch, Column* column) {
  const char* text = reader->buffer->text;
  const char quote = reader->format.quote;
  const bool force_null = column->force_null;
  for (uint32 r = 0; r < batch->rows; r++) {
    uint32 start = column->start[r], len = column->len[r];
    if (len < 2 || text[start] != quote) continue;
    column->start[r] = start + 1;
    column->len[r] = len - 2;
    column->state[r] = !(force_null && is_null_print(reader, text, start + 1, len - 2));
  }
}

void field_reader_spans(FieldReader* reader, Batch* batch, Column* column) {
  raw_spans(reader, batch, column);
  mark_nulls(reader, batch, column);
  if (batch->any_quote) strip_quotes(reader, batch, column);
  if (reader->odd_head[column->field] >= 0) unescape_odd_fields(reader, batch, column);
  if (!batch->any_misshaped) return;
  for (uint32 r = 0; r < batch->rows; r++)
    if (batch->misshaped[r]) column->state[r] = MR_NULL;
}

}  // namespace mr

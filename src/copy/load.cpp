/*
 * The pipeline of one COPY FROM, per batch of at most 1000 rows:
 *
 *   1. text     text_buffer_fill()      source, encoding         text_buffer.cpp
 *   2. rows     field_reader_index()    structural index         fields.cpp
 *   3. columns  batch_convert()         kernels down the columns  columns.cpp
 *   4. rows     check_rows()            what must go row by row, in the order core does it   rows.cpp
 *   5. tuples   tuple_former_*()        heap tuples               tuples.cpp
 *   6. table    core_sink_*(), page_sink_*()
 *
 * Setup and teardown mirror CopyFrom() of copyfrom.c, and the point and content of
 * every error are core's: batches end where core flushes, and rows with anything
 * unusual are judged one by one in file order by core's own functions.
 */
#include "copy/load.h"

extern "C" {
#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "commands/progress.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

#include "copy/core_reader.h"
#include "copy/eligible.h"
#include "copy/loader.h"
#include "pg/compat.h"

namespace mr {

/* The test of heap_prepare_insert(). Rows in the vectors hold nothing out of line: see column_set(). */
static bool needs_toast(const Loader* loader, uint32 row) {
  const Batch* batch = loader->batch;
  if (batch->row_state[row] == RowState::kExcluded) return false;
  /* a default or generated column may have given another table's toast pointer */
  if (batch->row_state[row] == RowState::kTuple && HeapTupleHasExternal(batch->tuple[row])) return true;
  return loader->former->length[row] > TOAST_TUPLE_THRESHOLD;
}

/* Compresses or moves out of line what is too long, as heap_prepare_insert() does. */
static void toast_row(Loader* loader, uint32 row) {
  Batch* batch = loader->batch;
  Relation rel = loader->cstate->rel;
  HeapTuple tuple = tuple_former_one(loader->former, batch, row, &loader->pages->header);
  tuple->t_tableOid = RelationGetRelid(rel);
  tuple = heap_toast_insert_or_update(rel, tuple, nullptr, loader->options);
  batch_set_tuple(batch, row, tuple);
  loader->former->length[row] = tuple->t_len;
}

/* Fills the table's last page through core's calls before whole pages are added behind it; returns rows used. */
static uint32 top_up_last_page(Loader* loader) {
  const Batch* batch = loader->batch;
  uint32 r = 0;
  for (; r < batch->rows; r++) {
    if (batch->row_state[r] == RowState::kExcluded) continue;
    int size = MAXALIGN(loader->former->length[r]);
    if (loader->top_up_tuples == 0 || loader->top_up < size) break;
    loader->top_up -= size + sizeof(ItemIdData);
    loader->top_up_tuples--;
  }
  core_sink_add(loader->core, batch, loader->former, 0, r, loader->lineno);
  core_sink_flush(loader->core);
  if (r < batch->rows) {
    loader->top_up = -1;
    ReleaseBulkInsertStatePin(loader->core->bistate);
  }
  return r;
}

static void store_in_pages(Loader* loader) {
  Batch* batch = loader->batch;
  uint32 from = loader->top_up >= 0 ? top_up_last_page(loader) : 0;
  for (uint32 r = from; r < batch->rows; r++) {
    if (!needs_toast(loader, r)) continue;
    page_sink_add(loader->pages, batch, loader->former, from, r);
    toast_row(loader, r);
    page_sink_note_toast(loader->pages);
    from = r;
    if (loader->former->length[r] > MaxHeapTupleSize) {
      /* core says "row is too big" when it flushes; so let it */
      loader->pages_ruled_out = true;
      core_sink_add(loader->core, batch, loader->former, r, batch->rows, loader->lineno);
      return;
    }
  }
  page_sink_add(loader->pages, batch, loader->former, from, batch->rows);
}

/*
 * Stores what core would store now. After a full flush the load is known not to be a small
 * one, and if the table's end is where it goes, whole pages follow.
 */
static void flush(Loader* loader, bool last) {
  if (loader->router != nullptr) {
    router_flush(loader->router);
    return;
  }
  core_sink_flush(loader->core);
  loader->flush_rows = 0;
  loader->flush_bytes = 0;
  if (last || loader->pages_ruled_out || (loader->pages != nullptr && loader->top_up < 0)) return;
  if (loader->pages == nullptr && !copy_may_place_pages(loader->rri)) {
    loader->pages_ruled_out = true;
    return;
  }
  loader->top_up = core_sink_room(loader->core, &loader->top_up_tuples);
  if (loader->top_up < 0 || loader->pages != nullptr) return;
  MemoryContext old = MemoryContextSwitchTo(loader->cstate->copycontext);
  loader->pages = page_sink_create(loader->cstate->rel, loader->cid, loader->options);
  MemoryContextSwitchTo(old);
}

static void report_progress(const Loader* loader) {
  pgstat_progress_update_param(PROGRESS_COPY_TUPLES_PROCESSED, loader->processed);
  if (loader->excluded > 0) pgstat_progress_update_param(PROGRESS_COPY_TUPLES_EXCLUDED, loader->excluded);
}

static void store_batch(Loader* loader) {
  Batch* batch = loader->batch;
  if (loader->router != nullptr) { /* its rows are stored already */
    report_progress(loader);
    return;
  }
  tuple_former_measure(loader->former, batch);
  if (loader->pages != nullptr && !loader->pages_ruled_out)
    store_in_pages(loader);
  else
    core_sink_add(loader->core, batch, loader->former, 0, batch->rows, loader->lineno);
  uint32 rows = batch->rows;
  int64 line_bytes = batch->bytes;
  for (uint32 r = 0; batch->any_tuple && r < batch->rows; r++) {
    if (batch->row_state[r] != RowState::kExcluded) continue;
    rows--;
    line_bytes -= batch->row_len[r];
  }
  loader->flush_rows += rows;
  loader->flush_bytes += line_bytes;
  loader->processed += rows;
  report_progress(loader);
}

/* One batch of indexed rows, from columns to the table. */
static void load_batch(Loader* loader) {
  Batch* batch = loader->batch;
  CHECK_FOR_INTERRUPTS();
  ResetPerTupleExprContext(loader->estate);
  MemoryContextReset(loader->batch_context);
  field_reader_take(loader->reader, batch, kFlushRows - loader->flush_rows, kFlushBytes - loader->flush_bytes);
  MemoryContext old = MemoryContextSwitchTo(loader->batch_context);
  uint64 lines = lines_to_row(loader, batch->rows - 1);
  batch_convert(batch, loader->reader);
  if (loader->has_checks) find_null_violations(loader);
  if (loader->router != nullptr) number_rows(loader);
  uint64 lines_used = lines;
  if (loader->every_row || batch->any_attention) {
    uint32 rows = check_rows(loader);
    if (rows < batch->rows) {
      lines_used = rows == 0 ? 0 : lines_to_row(loader, rows - 1);
      for (uint32 r = rows; r < batch->rows; r++) batch->bytes -= batch->row_len[r];
      batch->rows = rows;
    }
  }
  loader->context_row = kNoRow;
  uint64 end_line = loader->cstate->cur_lineno;
  if (batch->rows > 0) {
    if (loader->core != nullptr && loader->core->want_linenos) number_rows(loader);
    loader->cstate->cur_lineno = loader->lines_before + lines_used;
    store_batch(loader);
    loader->lines_before += lines_used;
    if (loader->flush_rows >= kFlushRows || loader->flush_bytes >= kFlushBytes) flush(loader, false);
  }
  if (loader->end_of_data) loader->cstate->cur_lineno = end_line;
  MemoryContextSwitchTo(old);
}

/*
 * Did the row that core's reader just took end with an end-of-data marker behind its
 * data? Then the marker's backslash stands before the period unescaped.
 */
static bool ended_by_marker(const Loader* loader) {
  const TextBuffer* buffer = loader->buffer;
  if (mr_is_csv(&loader->cstate->opts)) return false;
  uint32 end = buffer->begin;
  while (end > 0 && (buffer->text[end - 1] == '\n' || buffer->text[end - 1] == '\r') && buffer->begin - end < 2) end--;
  if (end == 0 || buffer->text[end - 1] != '.') return false;
  uint32 backslashes = 0;
  while (backslashes + 1 < end && buffer->text[end - 2 - backslashes] == '\\') backslashes++;
  return backslashes % 2 == 1;
}

/* Stores a row that core's reader took. */
static void store_tuple(Loader* loader, HeapTuple tuple) {
  CopyFromState cstate = loader->cstate;
  if (loader->pages != nullptr && !loader->pages_ruled_out) {
    loader_prepare_batches(loader);
    Batch* batch = loader->batch;
    batch->rows = 1;
    batch->any_tuple = false;
    batch->bytes = batch->row_len[0] = cstate->line_buf.len;
    batch_set_tuple(batch, 0, tuple);
    store_batch(loader);
    return;
  }
  core_sink_add_tuple(loader->core, tuple, cstate->cur_lineno);
  loader->flush_rows++;
  loader->flush_bytes += cstate->line_buf.len;
  loader->processed++;
}

/* One row through core's reader: the first, an odd one, or one that ends without newline. */
static void load_core_row(Loader* loader) {
  TextBuffer* buffer = loader->buffer;
  CopyFromState cstate = loader->cstate;
  CHECK_FOR_INTERRUPTS();
  ResetPerTupleExprContext(loader->estate);
  MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(loader->estate));
  cstate->cur_lineno = loader->lines_before;
  if (!core_reader_next(buffer, false, loader->econtext, loader->values, loader->nulls)) {
    loader->end_of_data = true;
    MemoryContextSwitchTo(old);
    return;
  }
  if (buffer->src == COPY_FRONTEND && ended_by_marker(loader)) {
    cstate->line_buf_valid = false;
    text_buffer_drain(buffer);
    cstate->line_buf_valid = true;
    buffer->begin = buffer->valid = buffer->end;
    buffer->stuck = false;
  }
  /* the line stays in line_buf, so errors about the row need no text of ours */
  HeapTuple tuple = judge_core_row(loader);
  loader->lines_before = cstate->cur_lineno;
  if (tuple != nullptr) store_tuple(loader, tuple);
  report_progress(loader);
  if (loader->flush_rows >= kFlushRows || loader->flush_bytes >= kFlushBytes) flush(loader, false);
  MemoryContextSwitchTo(old);
}

/*
 * Goes through the input until core's reader says it ends. Rows are taken from the index
 * while there are whole ones; whatever else comes next is core's reader's.
 */
static void load_rows(Loader* loader) {
  TextBuffer* buffer = loader->buffer;
  load_core_row(loader);
  while (!loader->end_of_data) {
    bool stopped = loader->cstate->eol_type == EOL_UNKNOWN;
    if (!stopped && buffer->begin < buffer->valid) {
      loader_prepare_batches(loader);
      field_reader_index(loader->reader, &stopped);
      while (!loader->end_of_data && field_reader_rows(loader->reader) > 0) load_batch(loader);
    }
    if (loader->end_of_data) break;
    /* core would be reading the next line now: errors of the source name it */
    loader->cstate->cur_lineno = loader->lines_before + 1;
    loader->cstate->line_buf_valid = false;
    if (stopped || !text_buffer_fill(buffer, 0)) load_core_row(loader);
  }
}

uint64 copy_load(CopyFromState cstate, uint64* bytes) {
  MemoryContext old = CurrentMemoryContext;
  Loader* loader = loader_create(cstate);
  ExecBSInsertTriggers(loader->estate, loader->rri);
  core_reader_attach(loader->buffer);

  ErrorContextCallback callback;
  callback.callback = loader_error_context;
  callback.arg = loader;
  callback.previous = error_context_stack;
  error_context_stack = &callback;

  load_rows(loader);
  cstate->line_buf_valid = false;
  text_buffer_drain(loader->buffer);
  flush(loader, true);
  if (loader->pages != nullptr) page_sink_finish(loader->pages);

  error_context_stack = callback.previous;
  cstate->raw_reached_eof = loader->buffer->source_eof;
  MemoryContextSwitchTo(old);
  *bytes = loader->buffer->bytes;
  uint64 processed = loader->processed - (loader->router != nullptr ? loader->router->refused : 0);
  loader_finish(loader);
  return processed;
}

}  // namespace mr

/*
 * The pipeline of one COPY FROM, per batch of at most 1000 rows:
 *
 *   1. text     text_buffer_fill()      source, encoding         text_buffer.cpp
 *   2. rows     field_reader_index()    structural index         fields.cpp
 *   3. columns  batch_convert()         kernels down the columns  columns.cpp
 *   4. rows     check_rows()            what must go row by row, in the order core does it
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
#include "access/tableam.h"
#include "access/xact.h"
#include "commands/progress.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "pgstat.h"
#include "utils/memutils.h"
#include "utils/portal.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

#include "copy/columns.h"
#include "copy/core_reader.h"
#include "copy/core_sink.h"
#include "copy/eligible.h"
#include "copy/fields.h"
#include "copy/page_sink.h"
#include "copy/tuples.h"
#include "pg/compat.h"

namespace mr {

/* What happens to the row in Loader::context_row when an error is raised. */
constexpr int kNoRow = -1;

struct Loader {
  CopyFromState cstate;
  EState* estate;
  ModifyTableState* mtstate;
  ResultRelInfo* rri;
  ExprContext* econtext;
  TupleTableSlot* slot; /* one row, for expressions */
  CommandId cid;
  int options;

  TextBuffer* buffer;
  FieldReader* reader;
  Batch* batch;
  TupleFormer* former;
  bool full_size; /* batch and former are those of a load that is not small */
  CoreSink* core;
  PageSink* pages; /* null until rows go there */
  bool may_place_pages;
  int top_up; /* bytes of the last page that core's calls still fill; -1: no more */
  int top_up_tuples;

  bool every_row;  /* expressions must be evaluated for each row */
  bool has_checks; /* ... and constraints among them */
  bool row_defaults;
  Datum* values; /* one row from core's reader */
  bool* nulls;

  /* Since the last flush, as CopyMultiInsertInfo counts them. */
  int flush_rows;
  int64 flush_bytes;

  uint64 lines_before;  /* lines before the batch */
  bool embedded_newlines;
  uint64* lineno; /* one entry a row of the batch, when single rows need theirs */
  int context_row;

  bool end_of_data; /* core's reader said so */
  uint64 processed, excluded;
};

/* ---- line numbers and error context ---- */

static char eol_byte(const Loader* loader) { return loader->cstate->eol_type == EOL_NL ? '\n' : '\r'; }

static uint32 count_byte(const char* s, uint32 n, char c) {
  uint32 count = 0;
  for (uint32 i = 0; i < n; i++) count += s[i] == c;
  return count;
}

/* Lines of the batch up to and with the row; core counts newlines inside quotes, which CSV alone has. */
static uint64 lines_to_row(const Loader* loader, uint32 row) {
  const Batch* batch = loader->batch;
  if (!loader->embedded_newlines) return row + 1;
  uint32 start = batch->row_start[0], end = batch->row_start[row] + batch->row_len[row];
  return count_byte(loader->buffer->text + start, end - start, eol_byte(loader)) + 1;
}

/*
 * Makes cstate show the row being judged, then lets core's callback print it. The
 * line is copied only here, when there is something to report.
 */
static void error_context(void* arg) {
  Loader* loader = static_cast<Loader*>(arg);
  CopyFromState cstate = loader->cstate;
  if (loader->context_row != kNoRow) {
    uint32 row = loader->context_row;
    const Batch* batch = loader->batch;
    cstate->cur_lineno = loader->lines_before + lines_to_row(loader, row);
    resetStringInfo(&cstate->line_buf);
    appendBinaryStringInfo(&cstate->line_buf, loader->buffer->text + batch->row_start[row], batch->row_len[row]);
    cstate->line_buf_valid = true;
  }
  CopyFromErrorCallback(cstate);
}

/* ---- setup and teardown ---- */

/* Insert options, with the checks of COPY FREEZE; mirrors that part of CopyFrom(). */
static int insert_options(CopyFromState cstate) {
  Relation rel = cstate->rel;
  int options = 0;
  if (rel->rd_createSubid != InvalidSubTransactionId || MR_FIRST_STORAGE_SUBID(rel) != InvalidSubTransactionId)
    options |= TABLE_INSERT_SKIP_FSM;
  if (!cstate->opts.freeze) return options;
  InvalidateCatalogSnapshot();
  if (!ThereAreNoPriorRegisteredSnapshots() || !ThereAreNoReadyPortals())
    ereport(ERROR, (errcode(ERRCODE_INVALID_TRANSACTION_STATE),
                    errmsg("cannot perform COPY FREEZE because of prior transaction activity")));
  if (rel->rd_createSubid != GetCurrentSubTransactionId() &&
      MR_NEW_STORAGE_SUBID(rel) != GetCurrentSubTransactionId())
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("cannot perform COPY FREEZE because the table was not created or truncated in the "
                           "current subtransaction")));
  return options | TABLE_INSERT_FROZEN;
}

static void open_target(Loader* loader) {
  CopyFromState cstate = loader->cstate;
  EState* estate = loader->estate;
  mr_ExecInitRangeTable(estate, cstate);
  ResultRelInfo* rri = loader->rri = makeNode(ResultRelInfo);
  ExecInitResultRelation(estate, rri, 1);
  mr_CheckValidResultRel(rri);
  ExecOpenIndices(rri, false);

  ModifyTableState* mtstate = loader->mtstate = makeNode(ModifyTableState);
  mtstate->ps.plan = nullptr;
  mtstate->ps.state = estate;
  mtstate->operation = CMD_INSERT;
  mtstate->mt_nrels = 1;
  mtstate->resultRelInfo = rri;
  mtstate->rootResultRelInfo = rri;

  AfterTriggerBeginQuery();
  cstate->transition_capture = mtstate->mt_transition_capture =
      MakeTransitionCaptureState(cstate->rel->trigdesc, RelationGetRelid(cstate->rel), CMD_INSERT);
  if (cstate->whereClause != nullptr)
    cstate->qualexpr = ExecInitQual(castNode(List, cstate->whereClause), &mtstate->ps);
}

static void plan_row_work(Loader* loader) {
  CopyFromState cstate = loader->cstate;
  Relation rel = cstate->rel;
  const TupleConstr* constr = RelationGetDescr(rel)->constr;
  const Batch* batch = loader->batch;
  for (int m = 0; m < batch->natts; m++)
    loader->row_defaults |= batch->columns[m].origin == Origin::kDefault && !batch->columns[m].default_is_const;
  loader->has_checks = constr != nullptr || rel->rd_rel->relispartition;
  bool expressions =
      constr != nullptr && (constr->num_check > 0 || constr->has_generated_stored || loader->row_defaults);
  loader->every_row =
      cstate->whereClause != nullptr || expressions || rel->rd_rel->relispartition || loader->row_defaults;
}

/* Rows of a batch while the text buffer is small. */
constexpr uint32 kSmallBatch = 64;

static void make_batch(Loader* loader, uint32 max_rows) {
  MemoryContext old = MemoryContextSwitchTo(loader->cstate->copycontext);
  Batch* batch = loader->batch = batch_create(loader->cstate, max_rows);
  loader->former = tuple_former_create(RelationGetDescr(loader->cstate->rel), batch->capacity);
  loader->lineno = static_cast<uint64*>(palloc(batch->capacity * sizeof(uint64)));
  loader->full_size = max_rows == kFlushRows;
  MemoryContextSwitchTo(old);
}

static Loader* loader_create(CopyFromState cstate) {
  MemoryContext old = MemoryContextSwitchTo(cstate->copycontext);
  Relation rel = cstate->rel;
  Loader* loader = static_cast<Loader*>(palloc0(sizeof(Loader)));
  loader->cstate = cstate;
  loader->context_row = kNoRow;
  loader->top_up = -1;
  loader->estate = CreateExecutorState();
  loader->cid = GetCurrentCommandId(true);
  loader->options = insert_options(cstate);
  open_target(loader);
  loader->may_place_pages = copy_may_place_pages(cstate);
  loader->slot = MakeSingleTupleTableSlot(RelationGetDescr(rel), &TTSOpsVirtual);
  loader->core = core_sink_create(cstate, loader->estate, loader->rri, loader->cid, loader->options);
  loader->buffer = text_buffer_create(cstate);
  make_batch(loader, kSmallBatch);
  loader->reader = field_reader_create(loader->buffer, loader->batch->nfields);
  loader->values = static_cast<Datum*>(palloc(loader->batch->natts * sizeof(Datum)));
  loader->nulls = static_cast<bool*>(palloc(loader->batch->natts * sizeof(bool)));
  plan_row_work(loader);
  loader->econtext = GetPerTupleExprContext(loader->estate);
  MemoryContextSwitchTo(old);
  return loader;
}

static void close_target(Loader* loader) {
  EState* estate = loader->estate;
  ExecASInsertTriggers(estate, loader->rri, loader->cstate->transition_capture);
  AfterTriggerEndQuery(estate);
  ExecResetTupleTable(estate->es_tupleTable, false);
  core_sink_finish(loader->core);
  ExecDropSingleTupleTableSlot(loader->slot);
  ExecCloseResultRelations(estate);
  ExecCloseRangeTableRelations(estate);
  FreeExecutorState(estate);
}

/* ---- row by row ---- */

/* Generated columns, constraints and the partition check, as in CopyFrom(). The row is in loader->slot. */
static void check_row(Loader* loader, uint32 row) {
  Relation rel = loader->cstate->rel;
  TupleTableSlot* slot = loader->slot;
  const TupleConstr* constr = RelationGetDescr(rel)->constr;
  if (constr != nullptr && constr->has_generated_stored) {
    ExecComputeStoredGenerated(loader->rri, loader->estate, slot, CMD_INSERT);
    batch_set_tuple(loader->batch, row, ExecCopySlotHeapTuple(slot));
  }
  if (constr != nullptr) ExecConstraints(loader->rri, slot, loader->estate);
  if (rel->rd_rel->relispartition) ExecPartitionCheck(loader->rri, slot, loader->estate, true);
}

static void fill_slot(Loader* loader, uint32 row, bool from_core) {
  TupleTableSlot* slot = loader->slot;
  const Batch* batch = loader->batch;
  ExecClearTuple(slot);
  for (int m = 0; m < batch->natts; m++) {
    if (from_core)
      slot->tts_values[m] = loader->values[m], slot->tts_isnull[m] = loader->nulls[m];
    else
      slot->tts_values[m] = column_get(&batch->columns[m], row, &slot->tts_isnull[m]);
  }
  ExecStoreVirtualTuple(slot);
  slot->tts_tableOid = RelationGetRelid(loader->cstate->rel);
}

/* COPY's WHERE clause; false takes the row out. */
static bool passes_where(Loader* loader, uint32 row) {
  if (loader->cstate->whereClause == nullptr) return true;
  loader->econtext->ecxt_scantuple = loader->slot;
  if (ExecQual(loader->cstate->qualexpr, loader->econtext)) return true;
  batch_exclude(loader->batch, row);
  loader->excluded++;
  return false;
}

static void evaluate_defaults(Loader* loader, uint32 row) {
  for (int m = 0; m < loader->batch->natts; m++) {
    Column* column = &loader->batch->columns[m];
    if (column->origin != Origin::kDefault || column->default_is_const) continue;
    bool isnull;
    Datum value = ExecEvalExpr(column->default_expr, loader->econtext, &isnull);
    column_set(column, row, value, isnull);
  }
}

/*
 * Lets core's reader take the row. True if there was one. Afterwards
 * buffer->begin is behind what it used.
 */
static bool read_misshaped(Loader* loader, uint32 row) {
  Batch* batch = loader->batch;
  CopyFromState cstate = loader->cstate;
  loader->buffer->begin = batch->row_start[row];
  cstate->cur_lineno = loader->lines_before + (row == 0 ? 0 : lines_to_row(loader, row - 1));
  loader->context_row = kNoRow;
  bool got = core_reader_next(loader->buffer, true, loader->econtext, loader->values, loader->nulls);
  loader->context_row = row;
  if (got) batch_set_tuple(batch, row, heap_form_tuple(RelationGetDescr(cstate->rel), loader->values, loader->nulls));
  return got;
}

/*
 * Handles the rows that cannot be left to the vectors, in file order. Returns how many
 * rows the batch really has: core's reader may find the end of the data in one.
 */
static uint32 check_rows(Loader* loader) {
  Batch* batch = loader->batch;
  uint32 after_batch = loader->buffer->begin;
  for (uint32 r = 0; r < batch->rows; r++) {
    bool attention = batch->attention[r];
    if (!loader->every_row && !attention) continue;
    loader->context_row = r;
    bool from_core = batch->misshaped[r];
    if (from_core) {
      if (!read_misshaped(loader, r)) {
        loader->end_of_data = true;
        return r;
      }
      uint32 next = r + 1 < batch->rows ? batch->row_start[r + 1] : after_batch;
      if (loader->buffer->begin != next)
        elog(ERROR, "millrace and PostgreSQL disagree about where line " UINT64_FORMAT " ends", loader->cstate->cur_lineno);
    } else {
      if (attention) batch_convert_refused(batch, loader->reader, r);
      if (loader->row_defaults) evaluate_defaults(loader, r);
    }
    if (!loader->every_row && !loader->has_checks) continue;
    fill_slot(loader, r, from_core);
    if (passes_where(loader, r) && loader->has_checks) check_row(loader, r);
  }
  loader->buffer->begin = after_batch;
  return batch->rows;
}

/* A NULL in a NOT NULL column is an error to be raised in its row's turn. */
static void find_null_violations(Loader* loader) {
  Batch* batch = loader->batch;
  for (int m = 0; m < batch->natts; m++) {
    const Column* column = &batch->columns[m];
    if (!column->att->attnotnull || column->all_values) continue;
    for (uint32 r = 0; r < batch->rows; r++)
      if (column->state[r] == MR_NULL) batch->attention[r] = true, batch->any_attention = true;
  }
}

/* ---- storing ---- */

static bool needs_toast(const Loader* loader, uint32 row) {
  const Batch* batch = loader->batch;
  if (batch->row_state[row] == RowState::kExcluded) return false;
  return loader->former->length[row] > TOAST_TUPLE_THRESHOLD;
}

/* Compresses or moves out of line what is too long, as heap_prepare_insert() does. */
static void toast_row(Loader* loader, uint32 row) {
  Batch* batch = loader->batch;
  Relation rel = loader->cstate->rel;
  HeapTuple tuple = batch->row_state[row] == RowState::kTuple ? batch->tuple[row]
                                                               : tuple_from_row(batch, RelationGetDescr(rel), row);
  const TupleHeader* header = &loader->pages->header;
  tuple->t_tableOid = RelationGetRelid(rel);
  tuple->t_data->t_infomask = (tuple->t_data->t_infomask & ~HEAP_XACT_MASK) | header->infomask;
  HeapTupleHeaderSetXmin(tuple->t_data, header->xid);
  HeapTupleHeaderSetCmin(tuple->t_data, header->cid);
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
      loader->may_place_pages = false;
      core_sink_add(loader->core, batch, loader->former, r, batch->rows, loader->lineno);
      return;
    }
  }
  page_sink_add(loader->pages, batch, loader->former, from, batch->rows);
}

/* Line numbers of every row, for errors that come when the row's text is gone. */
static void number_rows(Loader* loader) {
  const Batch* batch = loader->batch;
  if (!loader->embedded_newlines) {
    for (uint32 r = 0; r < batch->rows; r++) loader->lineno[r] = loader->lines_before + r + 1;
    return;
  }
  uint64 line = loader->lines_before;
  uint32 from = batch->row_start[0];
  for (uint32 r = 0; r < batch->rows; r++) {
    uint32 end = batch->row_start[r] + batch->row_len[r];
    line += count_byte(loader->buffer->text + from, end + 1 - from, eol_byte(loader));
    loader->lineno[r] = line;
    from = end + 1;
  }
}

/*
 * Stores what core would store now. After a full flush the load is known not to be a small
 * one, and if the table's end is where it goes, whole pages follow.
 */
static void flush(Loader* loader, bool last) {
  core_sink_flush(loader->core);
  loader->flush_rows = 0;
  loader->flush_bytes = 0;
  if (last || !loader->may_place_pages || (loader->pages != nullptr && loader->top_up < 0)) return;
  loader->top_up = core_sink_room(loader->core, &loader->top_up_tuples);
  if (loader->top_up < 0 || loader->pages != nullptr) return;
  MemoryContext old = MemoryContextSwitchTo(loader->cstate->copycontext);
  loader->pages = page_sink_create(loader->cstate->rel, loader->cid, loader->options);
  MemoryContextSwitchTo(old);
}

static void store_batch(Loader* loader) {
  Batch* batch = loader->batch;
  tuple_former_measure(loader->former, batch);
  if (loader->pages != nullptr && loader->may_place_pages)
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
  pgstat_progress_update_param(PROGRESS_COPY_TUPLES_PROCESSED, loader->processed);
  if (loader->excluded > 0) pgstat_progress_update_param(PROGRESS_COPY_TUPLES_EXCLUDED, loader->excluded);
}

/* ---- the loop ---- */

/* One batch of indexed rows, from columns to the table. */
static void load_batch(Loader* loader) {
  Batch* batch = loader->batch;
  CHECK_FOR_INTERRUPTS();
  ResetPerTupleExprContext(loader->estate);
  field_reader_take(loader->reader, batch, kFlushRows - loader->flush_rows, kFlushBytes - loader->flush_bytes);
  MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(loader->estate));
  loader->embedded_newlines = batch->any_quote;
  uint64 lines = lines_to_row(loader, batch->rows - 1);
  batch_convert(batch, loader->reader);
  if (loader->has_checks) find_null_violations(loader);
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
    if (loader->core->want_linenos) number_rows(loader);
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
  if (loader->cstate->opts.csv_mode) return false;
  uint32 end = buffer->begin;
  while (end > 0 && (buffer->text[end - 1] == '\n' || buffer->text[end - 1] == '\r') && buffer->begin - end < 2) end--;
  if (end == 0 || buffer->text[end - 1] != '.') return false;
  uint32 backslashes = 0;
  while (backslashes + 1 < end && buffer->text[end - 2 - backslashes] == '\\') backslashes++;
  return backslashes % 2 == 1;
}

/* One row through core's reader: the first, an odd one, or one that ends without newline. */
static void load_core_row(Loader* loader) {
  Batch* batch = loader->batch;
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
  batch->rows = 1;
  batch->row_state[0] = RowState::kVectors;
  batch->bytes = batch->row_len[0] = cstate->line_buf.len;
  batch->any_tuple = false;
  batch_set_tuple(batch, 0, heap_form_tuple(RelationGetDescr(cstate->rel), loader->values, loader->nulls));
  if (loader->every_row || loader->has_checks) {
    fill_slot(loader, 0, true);
    if (passes_where(loader, 0) && loader->has_checks) check_row(loader, 0);
  }
  loader->lineno[0] = loader->lines_before = cstate->cur_lineno;
  store_batch(loader);
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
    if (!stopped) {
      field_reader_index(loader->reader, &stopped);
      while (!loader->end_of_data && field_reader_rows(loader->reader) > 0) load_batch(loader);
    }
    if (loader->end_of_data) break;
    /* core would be reading the next line now: errors of the source name it */
    loader->cstate->cur_lineno = loader->lines_before + 1;
    loader->cstate->line_buf_valid = false;
    if (stopped || !text_buffer_fill(buffer, 0)) load_core_row(loader);
    if (!loader->full_size && buffer->capacity == kFullText) make_batch(loader, kFlushRows);
  }
}

uint64 copy_load(CopyFromState cstate, uint64* bytes) {
  MemoryContext old = CurrentMemoryContext;
  Loader* loader = loader_create(cstate);
  ExecBSInsertTriggers(loader->estate, loader->rri);
  core_reader_attach(loader->buffer);

  ErrorContextCallback callback;
  callback.callback = error_context;
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
  uint64 processed = loader->processed;
  close_target(loader);
  return processed;
}

}  // namespace mr

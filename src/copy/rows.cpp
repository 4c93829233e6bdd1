#include "copy/loader.h"

extern "C" {
#include "commands/copy.h"
#include "executor/executor.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

#include "copy/core_reader.h"
#include "copy/row_effects.h"

namespace mr {

static char eol_byte(const Loader* loader) { return loader->cstate->eol_type == EOL_NL ? '\n' : '\r'; }

static uint32 count_byte(const char* s, uint32 n, char c) {
  uint32 count = 0;
  for (uint32 i = 0; i < n; i++) count += s[i] == c;
  return count;
}

/* Lines of the batch up to and with the row; core counts newlines inside quotes, which CSV alone has. */
uint64 lines_to_row(const Loader* loader, uint32 row) {
  const Batch* batch = loader->batch;
  if (!batch->any_quote) return row + 1;
  uint32 start = batch->row_start[0], end = batch->row_start[row] + batch->row_len[row];
  return count_byte(loader->buffer->text + start, end - start, eol_byte(loader)) + 1;
}

/* Makes cstate show the row: its line number and its text. */
static void describe_row(Loader* loader, uint32 row) {
  CopyFromState cstate = loader->cstate;
  const Batch* batch = loader->batch;
  cstate->cur_lineno = loader->router != nullptr ? loader->lineno[row] : loader->lines_before + lines_to_row(loader, row);
  resetStringInfo(&cstate->line_buf);
  appendBinaryStringInfo(&cstate->line_buf, loader->buffer->text + batch->row_start[row], batch->row_len[row]);
  cstate->line_buf_valid = true;
}

/* The row being judged is copied only here, when there is something to report; core's callback prints it. */
void loader_error_context(void* arg) {
  Loader* loader = static_cast<Loader*>(arg);
  if (loader->context_row != kNoRow) describe_row(loader, loader->context_row);
  CopyFromErrorCallback(loader->cstate);
}

/* Line numbers of every row, for errors that come when the row's text is gone. */
void number_rows(Loader* loader) {
  const Batch* batch = loader->batch;
  if (!batch->any_quote) {
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

/* The constraints of the row in loader->slot. Returns the row as a tuple if generated columns changed it. */
static HeapTuple check_row(Loader* loader) {
  bool changed = check_row_before(loader->estate, loader->rri, loader->slot, true);
  return changed ? ExecCopySlotHeapTuple(loader->slot) : nullptr;
}

/* A row of the batch in loader->slot, or with row kNoRow the one in loader->values. */
static void fill_slot(Loader* loader, int row) {
  TupleTableSlot* slot = loader->slot;
  int natts = slot->tts_tupleDescriptor->natts;
  ExecClearTuple(slot);
  if (row == kNoRow) {
    memcpy(slot->tts_values, loader->values, natts * sizeof(Datum));
    memcpy(slot->tts_isnull, loader->nulls, natts * sizeof(bool));
  } else {
    MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(loader->estate));
    for (int m = 0; m < natts; m++)
      slot->tts_values[m] = column_get(&loader->batch->columns[m], row, &slot->tts_isnull[m]);
    MemoryContextSwitchTo(old);
  }
  ExecStoreVirtualTuple(slot);
  slot->tts_tableOid = RelationGetRelid(loader->cstate->rel);
}

/* COPY's WHERE clause, for the row in loader->slot. */
static bool passes_where(Loader* loader) {
  if (loader->cstate->whereClause == nullptr) return true;
  loader->econtext->ecxt_scantuple = loader->slot;
  if (ExecQual(loader->cstate->qualexpr, loader->econtext)) return true;
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

/* Sends the row in loader->slot to its partition. cstate shows it, and a flush in between shows other rows. */
static void route_row(Loader* loader, uint32 line_bytes) {
  CopyFromState cstate = loader->cstate;
  MemoryContext old = MemoryContextSwitchTo(cstate->copycontext);
  if (router_insert(loader->router, loader->slot, cstate->cur_lineno, line_bytes)) loader->processed++;
  if (router_is_full(loader->router)) router_flush(loader->router);
  MemoryContextSwitchTo(old);
}

/* What is left to do for a row whose fields and defaults have values. */
static void finish_row(Loader* loader, uint32 row, bool from_core) {
  Batch* batch = loader->batch;
  if (!loader->every_row && !loader->has_checks) return;
  fill_slot(loader, from_core ? kNoRow : static_cast<int>(row));
  if (!passes_where(loader)) {
    batch_exclude(batch, row);
  } else if (loader->router != nullptr) {
    describe_row(loader, row);
    loader->context_row = kNoRow;
    route_row(loader, batch->row_len[row]);
    batch_exclude(batch, row);
  } else if (loader->has_checks) {
    HeapTuple changed = check_row(loader);
    if (changed != nullptr) batch_set_tuple(batch, row, changed);
  }
}

HeapTuple judge_core_row(Loader* loader) {
  HeapTuple changed = nullptr;
  if (loader->every_row || loader->has_checks) {
    fill_slot(loader, kNoRow);
    if (!passes_where(loader)) return nullptr;
    if (loader->router != nullptr) {
      route_row(loader, loader->cstate->line_buf.len);
      return nullptr;
    }
    changed = check_row(loader);
  }
  return changed != nullptr ? changed
                            : heap_form_tuple(RelationGetDescr(loader->cstate->rel), loader->values, loader->nulls);
}

/* Offset behind the row and its terminator, as the index has it. */
static uint32 row_behind(const Batch* batch, uint32 row, uint32 after_batch) {
  return row + 1 < batch->rows ? batch->row_start[row + 1] : after_batch;
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
  MemoryContext old = MemoryContextSwitchTo(GetPerTupleMemoryContext(loader->estate));
  bool got = core_reader_next(loader->buffer, true, loader->econtext, loader->values, loader->nulls);
  MemoryContextSwitchTo(old);
  loader->context_row = row;
  if (got) batch_set_tuple(batch, row, heap_form_tuple(RelationGetDescr(cstate->rel), loader->values, loader->nulls));
  return got;
}

/* Bytes that expressions may leave behind before they are dropped: a reset for every row would cost more than it frees. */
constexpr Size kMostGarbage = 64 * 1024;

/* Core drops them before each row. */
static void drop_garbage(Loader* loader) {
  if (MemoryContextMemAllocated(GetPerTupleMemoryContext(loader->estate), true) > kMostGarbage)
    ResetPerTupleExprContext(loader->estate);
}

/*
 * Handles the rows that cannot be left to the vectors, in file order. Returns how many
 * rows the batch really has: core's reader may find the end of the data in one.
 */
uint32 check_rows(Loader* loader) {
  Batch* batch = loader->batch;
  uint32 after_batch = loader->buffer->begin;
  for (uint32 r = 0; r < batch->rows; r++) {
    bool attention = batch->attention[r];
    if (!loader->every_row && !attention) continue;
    loader->context_row = r;
    drop_garbage(loader);
    bool from_core = batch->misshaped[r];
    if (from_core) {
      if (!read_misshaped(loader, r)) {
        loader->end_of_data = true;
        return r;
      }
    } else {
      if (attention) batch_convert_refused(batch, loader->reader, r);
      if (loader->row_defaults) evaluate_defaults(loader, r);
    }
    finish_row(loader, r, from_core);
    if (from_core && loader->buffer->begin != row_behind(batch, r, after_batch)) {
      /* core's reader saw another end of the row than the index has: go on from there */
      field_reader_forget(loader->reader);
      return r + 1;
    }
  }
  loader->buffer->begin = after_batch;
  return batch->rows;
}

/* A NULL in a NOT NULL column is an error to be raised in its row's turn. */
void find_null_violations(Loader* loader) {
  Batch* batch = loader->batch;
  for (int m = 0; m < batch->natts; m++) {
    const Column* column = &batch->columns[m];
    if (!column->att->attnotnull || column->all_values) continue;
    for (uint32 r = 0; r < batch->rows; r++)
      if (column->state[r] == MR_NULL) batch->attention[r] = true, batch->any_attention = true;
  }
}

}  // namespace mr

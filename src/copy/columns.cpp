#include "copy/columns.h"

extern "C" {
#include "access/tupmacs.h"
#include "executor/executor.h"
#include "nodes/primnodes.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

#include "copy/converter.h"
#include "kernels/utf8.h"
#include "pg/compat.h"

namespace mr {

/* Cells (rows times columns) of one batch; keeps wide tables within a few MB. */
constexpr uint32 kCells = 128 * 1024;
/* The same for fields that input functions convert: their values should stay in cache until they are stored. */
constexpr uint32 kFunctionCells = 8 * 1024;
constexpr uint32 kFewestRows = 8;

static ExprState* find_default(CopyFromState cstate, int m) {
  for (int i = 0; i < cstate->num_defaults; i++)
    if (cstate->defmap[i] == m) return mr_default_expr(cstate, i);
  return nullptr;
}

/* What is fixed for the statement; column->field is set. */
static void plan_column(Column* column, CopyFromState cstate, int m) {
  Form_pg_attribute att = column->att;
  column->vector = att->attlen == -1 ? Vector::kVarlena : Vector::kFixed;
  column->align = att_align_nominal(1, att->attalign);
  column->short_header = att->attlen == -1 && att->attstorage != TYPSTORAGE_PLAIN;
  column->origin = Origin::kNull;
  column->all_null = true;
  if (column->field >= 0) {
    column->origin = Origin::kField;
    column->call_on_null = !cstate->in_functions[m].fn_strict;
    column->force_not_null = mr_is_csv(&cstate->opts) && cstate->opts.force_notnull_flags[m];
    column->force_null = mr_is_csv(&cstate->opts) && cstate->opts.force_null_flags[m];
    if (!column->call_on_null) column->converter = find_converter(column);
  } else if (!att->attisdropped) {
    column->default_expr = find_default(cstate, m);
    if (column->default_expr != nullptr) {
      column->origin = Origin::kDefault;
      column->default_is_const = IsA(column->default_expr->expr, Const);
    }
  }
}

/* The arrays of one entry a row. */
static void allocate_column(Column* column, uint32 capacity) {
  /* a field's states are set for every batch */
  column->state = static_cast<uint8*>(column->origin == Origin::kField ? palloc(capacity) : palloc0(capacity));
  if (column->origin == Origin::kNull) return;
  column->start = static_cast<uint32*>(palloc(capacity * sizeof(uint32)));
  column->len = static_cast<uint32*>(palloc(capacity * sizeof(uint32)));
  if (column->vector == Vector::kFixed)
    column->values = static_cast<char*>(palloc(static_cast<Size>(capacity) * column->att->attlen + MR_SLACK));
  else
    column->datum = static_cast<Datum*>(palloc(capacity * sizeof(Datum)));
  if (column->converter != nullptr && column->converter->needs_payload_room)
    column->payload_room = static_cast<uint8*>(palloc(static_cast<Size>(capacity) * 32 + MR_SLACK));
}

/* Rows that a batch of these columns holds. */
static uint32 batch_rows(const Batch* batch, uint32 max_rows) {
  uint32 by_function = 0;
  for (int f = 0; f < batch->nfields; f++) by_function += batch->by_field[f]->converter == nullptr;
  uint32 rows = Min(max_rows, kCells / batch->natts);
  if (by_function > 0) rows = Min(rows, kFunctionCells / by_function);
  return Max(rows, kFewestRows);
}

template <typename T>
static T* row_array(uint32 capacity) {
  return static_cast<T*>(palloc(capacity * sizeof(T)));
}

Batch* batch_create(CopyFromState cstate, uint32 max_rows) {
  TupleDesc desc = RelationGetDescr(cstate->rel);
  Batch* batch = static_cast<Batch*>(palloc0(sizeof(Batch)));
  batch->natts = desc->natts;
  batch->nfields = list_length(cstate->attnumlist);
  batch->columns = static_cast<Column*>(palloc0(desc->natts * sizeof(Column)));
  batch->by_field = static_cast<Column**>(palloc0(batch->nfields * sizeof(Column*)));
  for (int m = 0; m < desc->natts; m++) {
    batch->columns[m].att = TupleDescAttr(desc, m);
    batch->columns[m].field = -1;
  }
  for (int f = 0; f < batch->nfields; f++) {
    batch->by_field[f] = &batch->columns[list_nth_int(cstate->attnumlist, f) - 1];
    batch->by_field[f]->field = f;
  }
  for (int m = 0; m < desc->natts; m++) {
    plan_column(&batch->columns[m], cstate, m);
    batch->counts_characters |= batch->columns[m].counts_characters;
  }
  batch->capacity = batch_rows(batch, max_rows);
  for (int m = 0; m < desc->natts; m++) allocate_column(&batch->columns[m], batch->capacity);
  batch->row_state = row_array<RowState>(batch->capacity);
  batch->attention = row_array<uint8>(batch->capacity);
  batch->misshaped = row_array<uint8>(batch->capacity);
  batch->tuple = row_array<HeapTuple>(batch->capacity);
  batch->first_sep = row_array<uint32>(batch->capacity);
  batch->row_start = row_array<uint32>(batch->capacity);
  batch->row_len = row_array<uint32>(batch->capacity);
  return batch;
}

/* Marks the rows whose field was refused; tells whether all, none or some are values. */
static void summarize(Batch* batch, Column* column, bool look_for_refused) {
  uint32 n = batch->rows, values = 0, nulls = 0;
  for (uint32 r = 0; r < n; r++) {
    values += column->state[r] == MR_VALUE;
    nulls += column->state[r] == MR_NULL;
  }
  column->all_values = values == n;
  column->all_null = nulls == n;
  if (!look_for_refused || values + nulls == n) return;
  for (uint32 r = 0; r < n; r++) batch->attention[r] |= column->state[r] == MR_REFUSED;
  batch->any_attention = true;
}

/* Without a kernel every field is the input function's; so are NULLs of a type whose function takes them. */
static void refuse_all(Batch* batch, Column* column) {
  for (uint32 r = 0; r < batch->rows; r++)
    if (column->state[r] == MR_VALUE) column->state[r] = MR_REFUSED;
  if (!column->call_on_null) return;
  for (uint32 r = 0; r < batch->rows; r++)
    if (column->state[r] == MR_NULL && !batch->misshaped[r]) {
      column->state[r] = MR_REFUSED;
      column->start[r] = UINT32_MAX; /* the field is NULL */
    }
}

void batch_convert(Batch* batch, FieldReader* reader) {
  const char* text = reader->buffer->text;
  uint32 bytes = reader->buffer->begin - batch->row_start[0];
  bool ascii = batch->counts_characters && mr_utf8_count(text + batch->row_start[0], bytes) == bytes;
  for (int f = 0; f < batch->nfields; f++) {
    Column* column = batch->by_field[f];
    column->ascii = ascii;
    field_reader_spans(reader, batch, column);
    bool refused = true;
    if (column->converter != nullptr)
      refused = column->converter->convert(column, text, batch->rows) > 0;
    else
      refuse_all(batch, column);
    summarize(batch, column, refused);
  }
  for (int m = 0; m < batch->natts; m++) {
    Column* column = &batch->columns[m];
    if (column->origin != Origin::kDefault) continue;
    column->all_values = column->all_null = false;
    if (!column->default_is_const) continue;
    const Const* value = castNode(Const, column->default_expr->expr);
    for (uint32 r = 0; r < batch->rows; r++) column_set(column, r, value->constvalue, value->constisnull);
    summarize(batch, column, false);
  }
}

void column_set(Column* column, uint32 row, Datum value, bool isnull) {
  if (isnull) {
    column->state[row] = MR_NULL;
    column->all_values = false;
    return;
  }
  column->all_null = false;
  if (column->vector == Vector::kVarlena) {
    /* input functions and defaults give plain values; an expanded or toasted one is made plain here */
    const void* plain = DatumGetPointer(value);
    if (VARATT_IS_EXTERNAL(plain) || VARATT_IS_COMPRESSED(plain)) value = PointerGetDatum(PG_DETOAST_DATUM(value));
    column->datum[row] = value;
    column->state[row] = kDatum;
    column->all_values = false;
    return;
  }
  char* to = column->values + static_cast<Size>(row) * column->att->attlen;
  if (column->att->attbyval)
    store_att_byval(to, value, column->att->attlen);
  else
    memcpy(to, DatumGetPointer(value), column->att->attlen);
  column->state[row] = MR_VALUE;
}

Datum column_get(const Column* column, uint32 row, bool* isnull) {
  uint8 state = column->state[row];
  *isnull = state == MR_NULL;
  if (state == MR_NULL) return 0;
  if (state == kDatum) return column->datum[row];
  if (column->vector == Vector::kFixed)
    return fetch_att(column->values + static_cast<Size>(row) * column->att->attlen, column->att->attbyval,
                     column->att->attlen);
  uint32 len = column->len[row];
  char* value = static_cast<char*>(palloc(len + VARHDRSZ));
  SET_VARSIZE(value, len + VARHDRSZ);
  memcpy(VARDATA(value), column->payload + column->start[row], len);
  return PointerGetDatum(value);
}

void batch_convert_refused(Batch* batch, FieldReader* reader, uint32 row) {
  CopyFromState cstate = reader->buffer->cstate;
  const char* text = reader->buffer->text;
  for (int f = 0; f < batch->nfields; f++) {
    Column* column = batch->by_field[f];
    if (column->state[row] != MR_REFUSED) continue;
    int m = column->att->attnum - 1;
    char* string = nullptr;
    if (column->start[row] != UINT32_MAX) {
      resetStringInfo(&cstate->attribute_buf);
      appendBinaryStringInfo(&cstate->attribute_buf, text + column->start[row], column->len[row]);
      string = cstate->attribute_buf.data;
    }
    cstate->cur_attname = NameStr(column->att->attname);
    cstate->cur_attval = string;
    Datum value =
        InputFunctionCall(&cstate->in_functions[m], string, cstate->typioparams[m], column->att->atttypmod);
    cstate->cur_attname = nullptr;
    cstate->cur_attval = nullptr;
    column_set(column, row, value, string == nullptr);
  }
}

}  // namespace mr

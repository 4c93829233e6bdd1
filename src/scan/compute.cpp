/*
 * compute.cpp: running computed expressions: columns, scalars, what is bad, and values as their users want them.
 *
 * Integers are int64 whatever their type; numerics are int64 at the one scale all
 * values of a batch have (columns with a declared scale do), or at a scale for each row.
 */
#include "scan/computed.h"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

#include "kernels/filter.h"
#include "scan/numeric_state.h"
#include "scan/once.h"

namespace mr {

void start_fresh(Computed* c, int) {
  c->out.has_nulls = false;
  c->any_bad = false;
  c->has_scales = false;
}

void mark_bad(Computed* c, int row) {
  if (!c->any_bad) memset(c->bad, 0, sizeof(c->bad));
  c->any_bad = true;
  c->bad[row / 64] |= UINT64CONST(1) << (row % 64);
}

void mark_all_bad(Computed* c, int n) {
  c->any_bad = true;
  mr_mask_fill(n, c->bad);
}

void merge_bad(Computed* c, const uint64* bad, int n) {
  if (!c->any_bad) memset(c->bad, 0, sizeof(c->bad));
  c->any_bad = true;
  for (int w = 0; w < (n + 63) / 64; w++) c->bad[w] |= bad[w];
}

void start_strict(Computed* c, int n) {
  start_fresh(c, n);
  for (int k = 0; k < c->n_args; k++) {
    const Computed* arg = c->args[k];
    if (arg->any_bad) merge_bad(c, arg->bad, n);
    if (!arg->vector->has_nulls) continue;
    if (!c->out.has_nulls) {
      memcpy(c->out.nulls, arg->vector->nulls, n);
      c->out.has_nulls = true;
      continue;
    }
    for (int i = 0; i < n; i++) c->out.nulls[i] |= arg->vector->nulls[i];
  }
}

/* What is_fixed(), spread over the batch once. Evaluating it raises nothing. */
static void run_scalar(Computed* c, ExprContext* econtext, int) {
  if (c->known && c->known_zone == session_timezone) return;
  bool isnull;
  MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_query_memory);
  Datum value = ExecEvalExpr(c->state, econtext, &isnull);
  MemoryContextSwitchTo(old);
  start_fresh(c, kBatchRows);
  c->scale = 0;
  if (isnull) {
    value = 0;
  } else if (c->form == Form::kNumeric) {
    int64 v;
    int scale;
    if (numeric_to_scaled(value, &v, &scale)) {
      value = static_cast<Datum>(v);
      c->scale = scale;
    } else {
      value = 0;
      mark_all_bad(c, kBatchRows);
    }
  } else {
    value = canonical(value, c->bytes);
  }
  for (int i = 0; i < kBatchRows; i++) c->out.values[i] = value;
  c->out.has_nulls = isnull;
  memset(c->out.nulls, isnull, kBatchRows);
  c->known = true;
  c->known_zone = session_timezone;
}

/* Value by value: display scales differ, or some value does not fit. */
static void mixed_numerics(Computed* c, int n) {
  c->has_scales = true;
  c->scale = 0;
  for (int i = 0; i < n; i++) {
    int scale = 0;
    integers_out(c)[i] = 0;
    if (!row_is_null(c->column, i) && !numeric_to_scaled(c->column->values[i], &integers_out(c)[i], &scale)) {
      mark_bad(c, i);
      scale = 0;
    }
    c->scales[i] = static_cast<uint8>(scale);
    c->scale = Max(c->scale, scale);
  }
}

static void run_numeric_column(Computed* c, ExprContext*, int n) {
  start_fresh(c, n);
  if (c->column->has_nulls) memcpy(c->out.nulls, c->column->nulls, n);
  c->out.has_nulls = c->column->has_nulls;
  if (numeric_column(c->column, n, integers_out(c), &c->scale)) return;
  if (c->is_operand)
    mixed_numerics(c, n);
  else
    mark_all_bad(c, n);
}

void compute_bind(ComputeSet* set, Vector* const* columns, PlanState* parent) {
  for (int i = 0; i < set->n; i++) {
    Computed* c = set->all[i];
    if (c->is_scalar) {
      c->state = init_once(c->expr, parent);
      c->run = run_scalar;
    }
    if (c->is_column) c->column = columns[c->attno];
    if (c->is_column && c->form == Form::kNumeric) c->run = run_numeric_column;
    if (c->is_column && c->form != Form::kNumeric) {
      c->vector = c->column;
    } else {
      vector_init(&c->out);
      c->vector = &c->out;
    }
    if (c->form == Form::kNumeric) c->scales = static_cast<uint8*>(palloc0(kBatchRows));
    for (int k = 0; k < c->n_conditions; k++) predicate_bind(c->conditions[k], columns, parent);
  }
}

void compute_reset(ComputeSet* set) {
  for (int i = 0; i < set->n; i++) {
    Computed* c = set->all[i];
    c->known = false;
    for (int k = 0; k < c->n_conditions; k++) predicate_reset(c->conditions[k]);
  }
}

void compute_run(ComputeSet* set, ExprContext* econtext, int n) {
  for (int i = 0; i < set->n; i++)
    if (set->all[i]->run != nullptr) set->all[i]->run(set->all[i], econtext, n);
}

/* A column that does not fit is taken as it is. */
static bool is_unfit_column(const Computed* c) { return c->is_column && (c->any_bad || c->has_scales); }

const uint64* computed_bad(const Computed* c) { return c->any_bad && !c->is_column ? c->bad : nullptr; }

const Vector* computed_vector(const Computed* c, int* scale, const uint8** scales) {
  if (is_unfit_column(c)) return nullptr;
  *scale = c->form == Form::kNumeric ? c->scale : -1;
  *scales = c->form == Form::kNumeric && c->has_scales ? c->scales : nullptr;
  return c->vector;
}

/* Numerics made of integers lately: keys and extremes have few different ones. */
struct NumericCache {
  struct Entry {
    int64 value;
    int scale;
    Numeric numeric; /* NULL: empty */
  } entries[512];
};

static Datum numeric_of(NumericCache* cache, ExprContext* econtext, int64 value, int scale) {
  const uint64 hash = (static_cast<uint64>(value) * 32 + scale) * UINT64CONST(0x9E3779B97F4A7C15);
  NumericCache::Entry* e = &cache->entries[hash >> 55];
  if (e->numeric != nullptr && e->value == value && e->scale == scale) return NumericGetDatum(e->numeric);
  /* An entry stays once it is made: rows before this one may point to it. */
  const bool keep = e->numeric == nullptr;
  MemoryContext old = MemoryContextSwitchTo(keep ? econtext->ecxt_per_query_memory : econtext->ecxt_per_tuple_memory);
  const Numeric numeric = int64_div_fast_to_numeric(value, scale);
  MemoryContextSwitchTo(old);
  if (keep) *e = {value, scale, numeric};
  return NumericGetDatum(numeric);
}

const Vector* computed_datums(Computed* c, ExprContext* econtext, int n) {
  if (c->form != Form::kNumeric) return c->vector;
  if (c->datums == nullptr) {
    MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_query_memory);
    c->datums = static_cast<Vector*>(palloc(sizeof(Vector)));
    vector_init(c->datums);
    c->cache = static_cast<NumericCache*>(palloc0(sizeof(NumericCache)));
    MemoryContextSwitchTo(old);
  }
  Vector* v = c->datums;
  v->has_nulls = c->out.has_nulls;
  if (v->has_nulls) memcpy(v->nulls, c->out.nulls, n);
  for (int i = 0; i < n; i++) {
    v->values[i] = row_is_null(v, i) ? 0
                                     : numeric_of(c->cache, econtext, integers_out(c)[i], scale_of(c, i));
  }
  return v;
}

}  // namespace mr

/*
 * compute_choice.cpp: CASE, COALESCE, NULLIF, GREATEST and LEAST down a batch, and conditions as values.
 *
 * All branches have been worked out for all rows by the time a choice runs; only the rows that
 * take a branch look at it, so that what is bad in the others does not matter.
 */
#include "scan/computed.h"

extern "C" {
#include "utils/float.h"
}

#include "kernels/filter.h"
#include "scan/numeric_state.h"

namespace mr {

/* A value out of some of c's args for each row. */
struct Choice {
  Computed* c;
  int n;
  uint64 open[kMaskWords]; /* rows that have none yet */
  bool any_open;
  int first_scale; /* kNumeric: of the rows that have one; -1: none yet */
};

static void start_choice(Choice* choice, Computed* c, int n) {
  choice->c = c;
  choice->n = n;
  mr_mask_fill(n, choice->open);
  choice->any_open = n > 0;
  choice->first_scale = -1;
  start_fresh(c, n);
  c->scale = 0;
}

static void close_rows(Choice* choice, const uint64* rows) {
  uint64 any = 0;
  for (int w = 0; w < (choice->n + 63) / 64; w++) any |= choice->open[w] &= ~rows[w];
  choice->any_open = any != 0;
}

/* From here on every row has a display scale of its own. */
static void use_scales(Choice* choice) {
  Computed* c = choice->c;
  if (c->has_scales) return;
  c->has_scales = true;
  memset(c->scales, Max(choice->first_scale, 0), choice->n);
}

static void take_scales(Choice* choice, const Computed* arg, const uint64* rows) {
  Computed* c = choice->c;
  bool any = false;
  /* Nulls have no scale. */
  for (int w = 0; w < (choice->n + 63) / 64; w++) {
    uint64 rest = rows[w];
    if (rest != 0 && !arg->vector->has_nulls) any = true;
    if (!arg->vector->has_nulls) continue;
    for (; rest != 0 && !any; rest &= rest - 1) any = !arg->vector->nulls[w * 64 + __builtin_ctzll(rest)];
  }
  if (!any) return;
  if (!arg->has_scales && !c->has_scales && (choice->first_scale < 0 || choice->first_scale == arg->scale)) {
    choice->first_scale = c->scale = arg->scale;
    return;
  }
  use_scales(choice);
  c->scale = Max(c->scale, arg->scale);
  for (int w = 0; w < (choice->n + 63) / 64; w++) {
    for (uint64 rest = rows[w]; rest != 0; rest &= rest - 1) {
      const int i = w * 64 + __builtin_ctzll(rest);
      c->scales[i] = static_cast<uint8>(scale_of(arg, i));
    }
  }
}

/* Gives these rows (open ones) what arg has for them. */
static void take(Choice* choice, const Computed* arg, const uint64* rows) {
  Computed* c = choice->c;
  const int n = choice->n;
  const Vector* v = arg->vector;
  mr_blend_i64(reinterpret_cast<const int64*>(v->values), rows, n, integers_out(c));
  if (v->has_nulls && !c->out.has_nulls) {
    memset(c->out.nulls, 0, n);
    c->out.has_nulls = true;
  }
  if (v->has_nulls) {
    for (int i = 0; i < n; i++)
      if (rows[i / 64] >> (i % 64) & 1) c->out.nulls[i] = v->nulls[i];
  }
  if (arg->any_bad) {
    uint64 bad[kMaskWords];
    for (int w = 0; w < (n + 63) / 64; w++) bad[w] = arg->bad[w] & rows[w];
    merge_bad(c, bad, n);
  }
  if (c->form == Form::kNumeric) take_scales(choice, arg, rows);
  close_rows(choice, rows);
}

/* Null for the rows still open. */
static void take_null(Choice* choice) {
  Computed* c = choice->c;
  if (!choice->any_open) return;
  if (!c->out.has_nulls) memset(c->out.nulls, 0, choice->n);
  c->out.has_nulls = true;
  for (int i = 0; i < choice->n; i++) {
    if (!(choice->open[i / 64] >> (i % 64) & 1)) continue;
    c->out.nulls[i] = 1;
    c->out.values[i] = 0;
  }
}

void run_case(Computed* c, ExprContext* econtext, int n) {
  Choice choice;
  start_choice(&choice, c, n);
  Truth truth;
  for (int k = 0; k < c->n_conditions && choice.any_open; k++) {
    predicate_eval(c->conditions[k], econtext, n, choice.open, &truth);
    for (int w = 0; w < (n + 63) / 64; w++) {
      truth.yes[w] &= choice.open[w];
      truth.bad[w] &= choice.open[w];
    }
    if (truth.any_bad) {
      merge_bad(c, truth.bad, n);
      close_rows(&choice, truth.bad);
    }
    take(&choice, c->args[k], truth.yes);
  }
  if (!choice.any_open) return;
  uint64 rest[kMaskWords];
  memcpy(rest, choice.open, sizeof(rest));
  take(&choice, c->args[c->n_args - 1], rest);
}

void run_coalesce(Computed* c, ExprContext*, int n) {
  Choice choice;
  start_choice(&choice, c, n);
  for (int k = 0; k < c->n_args && choice.any_open; k++) {
    const Computed* arg = c->args[k];
    uint64 rows[kMaskWords];
    memcpy(rows, choice.open, sizeof(rows));
    if (arg->vector->has_nulls) {
      uint64 nulls[kMaskWords];
      mr_mask_nonzero(arg->vector->nulls, n, nulls);
      /* A bad row may be null in the vector, and an error in truth: it counts as taken. */
      for (int w = 0; w < (n + 63) / 64; w++) rows[w] &= ~nulls[w] | (arg->any_bad ? arg->bad[w] : 0);
    }
    take(&choice, arg, rows);
  }
  take_null(&choice);
}

void run_nullif(Computed* c, ExprContext* econtext, int n) {
  Choice choice;
  start_choice(&choice, c, n);
  Truth truth;
  predicate_eval(c->conditions[0], econtext, n, nullptr, &truth);
  if (truth.any_bad) {
    merge_bad(c, truth.bad, n);
    for (int w = 0; w < (n + 63) / 64; w++) truth.yes[w] &= ~truth.bad[w];
  }
  uint64 rows[kMaskWords];
  for (int w = 0; w < (n + 63) / 64; w++) rows[w] = choice.open[w] & ~truth.yes[w];
  take(&choice, c->args[0], rows);
  take_null(&choice);
}

/* Orders row i of two values of c's form. */
static int compare_row(const Computed* a, const Computed* b, int i) {
  const int64 x = integers(a)[i];
  const int64 y = integers(b)[i];
  if (a->form == Form::kFloat8) return float8_cmp_internal(DatumGetFloat8(x), DatumGetFloat8(y));
  if (a->form == Form::kNumeric) return compare_scaled(x, scale_of(a, i), y, scale_of(b, i));
  return x < y ? -1 : x > y;
}

/* As ExecEvalMinMax(): of equal values the first is kept, nulls are passed over. All are evaluated whatever comes out. */
static const Computed* extreme_of_row(const Computed* c, int i) {
  const Computed* found = nullptr;
  for (int k = 0; k < c->n_args; k++) {
    const Computed* arg = c->args[k];
    if (row_is_null(arg->vector, i)) continue;
    const int order = found == nullptr ? 0 : compare_row(found, arg, i);
    if (found == nullptr || (c->greatest ? order < 0 : order > 0)) found = arg;
  }
  return found;
}

void run_extreme(Computed* c, ExprContext*, int n) {
  start_fresh(c, n);
  bool same = true;
  bool has_nulls = false;
  for (int k = 0; k < c->n_args; k++) {
    const Computed* arg = c->args[k];
    if (arg->any_bad) merge_bad(c, arg->bad, n);
    same &= !arg->has_scales && arg->scale == c->args[0]->scale;
    has_nulls |= arg->vector->has_nulls;
  }
  c->has_scales = c->form == Form::kNumeric && !same;
  c->out.has_nulls = has_nulls;
  c->scale = same ? c->args[0]->scale : 0;
  for (int i = 0; i < n; i++) {
    const Computed* found = extreme_of_row(c, i);
    if (has_nulls) c->out.nulls[i] = found == nullptr;
    c->out.values[i] = found == nullptr ? 0 : found->vector->values[i];
    if (!c->has_scales) continue;
    c->scales[i] = found == nullptr ? 0 : static_cast<uint8>(scale_of(found, i));
    c->scale = Max(c->scale, static_cast<int>(c->scales[i]));
  }
}

void run_condition(Computed* c, ExprContext* econtext, int n) {
  start_fresh(c, n);
  Truth truth;
  predicate_eval(c->conditions[0], econtext, n, nullptr, &truth);
  if (truth.any_bad) merge_bad(c, truth.bad, n);
  uint64 nulls = 0;
  for (int w = 0; w < (n + 63) / 64; w++) {
    const uint64 all = n - w * 64 >= 64 ? ~UINT64CONST(0) : (UINT64CONST(1) << (n - w * 64)) - 1;
    nulls |= all & ~(truth.yes[w] | truth.no[w]);
  }
  c->out.has_nulls = nulls != 0;
  for (int i = 0; i < n; i++) {
    const bool yes = truth.yes[i / 64] >> (i % 64) & 1;
    c->out.values[i] = BoolGetDatum(yes);
    if (nulls != 0) c->out.nulls[i] = !yes && !(truth.no[i / 64] >> (i % 64) & 1);
  }
}

}  // namespace mr

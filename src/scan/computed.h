/*
 * computed.h: the steps of computed expressions, for the files that fill in their kinds.
 *
 * A new function is an entry in one of the kOperations tables: what it is known by, what it gives
 * and how it runs down a batch.
 */
#pragma once
#include "scan/compute.h"
#include "scan/predicate.h"

extern "C" {
#include "pgtime.h"
}

namespace mr {

enum class Form : uint8 {
  kInteger, /* all that is an integer inside: int2/4/8, date, time, timestamps, bool, oid, ... */
  kFloat8,
  kNumeric, /* int64 at a scale */
  kDatum    /* others: may be chosen by CASE and COALESCE, but not calculated with */
};

struct Computed {
  Form form;
  int8 bytes; /* kInteger: width of the type, for its overflow */
  bool is_column;
  bool is_scalar;
  /* NULL for columns that need nothing done. */
  void (*run)(Computed* c, ExprContext* econtext, int n);
  Expr* expr;
  Vector* vector; /* the values: a column's own vector, or out */
  Vector out;

  /* kNumeric: values are value * 10^scale, or row by row by scales where has_scales. */
  int scale;
  bool has_scales;
  uint8* scales;

  bool any_bad;
  uint64 bad[kMaskWords];

  /* operands */
  int n_args;
  Computed** args;
  int unit; /* extract and date_trunc: DTK_YEAR and so on */
  pg_tz* at_zone; /* AT TIME ZONE and its kin; NULL: the session's */
  bool greatest; /* GREATEST, else LEAST */

  /* columns and scalars */
  AttrNumber attno;
  Vector* column;
  bool is_operand; /* of another step, not only a value wanted */
  ExprState* state;
  bool known; /* scalar: evaluated, in this time zone */
  pg_tz* known_zone;

  /* CASE: a condition for each of args but the last, which is ELSE. A condition alone, NULLIF's equality: the first. */
  int n_conditions;
  Predicate** conditions;

  Vector* datums; /* computed_datums(): made when first wanted */
  struct NumericCache* cache;
  struct ZoneCache* zone; /* compute_zone.cpp's */
};

struct Operation {
  Oid function;
  int8 n_args;
  Form form;
  int8 bytes;
  bool can_fail; /* may mark rows bad that its arguments did not */
  void (*run)(Computed* c, ExprContext* econtext, int n);
};

/* The tables; each ends with function 0. */
extern const Operation kArithmetic[];
extern const Operation kRounding[];
extern const Operation kTimeOperations[]; /* with a unit as first argument: extract, date_part, date_trunc */
extern const Operation kDateOperations[];
extern const Operation kTextOperations[];

extern const Operation kZoneOperations[]; /* with a time zone's name as first argument */

/* The zone of that name, if it is sure to be no abbreviation; else NULL. */
pg_tz* zone_by_name(Datum name);

/* DTK_ code of a unit's name for one of kTimeOperations; false when it is not known here. */
bool time_unit(Oid function, Datum name, int* unit);

/* Of timestamps with time zone, in at_zone or the session's. */
void run_extract_zoned(Computed* c, ExprContext* econtext, int n);
void run_date_part_zoned(Computed* c, ExprContext* econtext, int n);
void run_trunc_zoned(Computed* c, ExprContext* econtext, int n);
void run_zoned_to_date(Computed* c, ExprContext* econtext, int n);
void run_zoned_to_timestamp(Computed* c, ExprContext* econtext, int n);
void run_date_to_zoned(Computed* c, ExprContext* econtext, int n);

/* CASE, COALESCE, NULLIF, GREATEST and LEAST, and conditions as values. */
void run_case(Computed* c, ExprContext* econtext, int n);
void run_coalesce(Computed* c, ExprContext* econtext, int n);
void run_nullif(Computed* c, ExprContext* econtext, int n);
void run_extreme(Computed* c, ExprContext* econtext, int n);
void run_condition(Computed* c, ExprContext* econtext, int n);

inline const int64* integers(const Computed* c) { return reinterpret_cast<const int64*>(c->vector->values); }
inline int64* integers_out(Computed* c) { return reinterpret_cast<int64*>(c->out.values); }
inline bool row_is_null(const Vector* v, int i) { return v->has_nulls && v->nulls[i]; }

/* Says that no row is null and none bad; or, for strict functions, that those are whose arguments are. */
void start_fresh(Computed* c, int n);
void start_strict(Computed* c, int n);

void mark_bad(Computed* c, int row);
void mark_all_bad(Computed* c, int n);
void merge_bad(Computed* c, const uint64* bad, int n);

/* Marks the rows bad for which bad(i) holds, but for those that are null. */
template <class Bad>
void find_bad(Computed* c, int n, Bad bad) {
  for (int i = 0; i < n; i++)
    if (bad(i) && !row_is_null(&c->out, i)) mark_bad(c, i);
}

/* Does an integer fit into the type? */
inline bool too_wide(const Computed* c, int64 value) {
  if (c->form != Form::kInteger || c->bytes == 8) return false;
  const int64 most = c->bytes == 2 ? PG_INT16_MAX : PG_INT32_MAX;
  return value > most || value < -most - 1;
}

/* The display scale of a row of a numeric. */
inline int scale_of(const Computed* c, int i) { return c->has_scales ? c->scales[i] : c->scale; }

/* A strict function of one argument that cannot fail: f gives a Datum for each. */
template <class F>
void each_value(Computed* c, int n, F f) {
  start_strict(c, n);
  const Datum* a = c->args[0]->vector->values;
  for (int i = 0; i < n; i++) c->out.values[i] = f(a[i]);
}

}  // namespace mr

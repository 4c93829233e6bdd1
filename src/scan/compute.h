/*
 * compute.h: expressions worked out for a whole batch: arithmetic, CASE, COALESCE and NULLIF, casts,
 * parts of dates and timestamps, conditions.
 *
 * A row whose value does not fit, or which would raise an error, is marked bad. Bad rows of a
 * branch that a CASE does not take are of no account. What remains bad when a value is wanted makes the
 * caller refuse the batch and let core evaluate its rows one after the other, which gives the right
 * value or the right error.
 */
#pragma once
#include "scan/batch.h"

extern "C" {
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
}

namespace mr {

struct Computed;

struct ComputeSet {
  int n;
  int room;
  Computed** all; /* operands before those that use them */
  bool may_refuse;
};

/* What takes a computed value, and in which forms. */
enum class Wanted : uint8 {
  kDatum, /* numerics as Datums: computed_datums() */
  kScaled /* numerics as integers; a plain column of them too */
};

/*
 * Compiles, or returns NULL: not known, or just a column that needs nothing done.
 * Equal expressions are compiled once.
 */
Computed* compute_compile(ComputeSet* set, Expr* expr, Wanted wanted, bool* used, List** functions);

void compute_bind(ComputeSet* set, Vector* const* columns, PlanState* parent);
void compute_reset(ComputeSet* set);

/* Works all of them out for n rows. Raises nothing. */
void compute_run(ComputeSet* set, ExprContext* econtext, int n);

/* The rows of the last run that have no value here, a bit each; NULL: none. */
const uint64* computed_bad(const Computed* computed);

/*
 * The values, and for numerics their scale (else -1); *scales is set where the rows have display
 * scales of their own, values being in units of those then. NULL: this is a numeric column that does
 * not have one scale all over the batch; take the column itself.
 */
const Vector* computed_vector(const Computed* computed, int* scale, const uint8** scales);

/* The values with numerics as Datums, in econtext's memory for the current row or longer lived. */
const Vector* computed_datums(Computed* computed, ExprContext* econtext, int n);

}  // namespace mr

/*
 * compute.h: expressions worked out for a whole batch: arithmetic of integers, floats and numerics.
 *
 * A batch in which some value does not fit, or would raise an error, is refused as a whole;
 * the caller then lets core evaluate its rows one after the other, which gives the right
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

/*
 * Compiles, or returns NULL: not known, or just a column that needs nothing done.
 * Numerics only where the caller takes them scaled. Equal expressions are compiled once.
 */
Computed* compute_compile(ComputeSet* set, Expr* expr, bool takes_scaled, bool* used, List** functions);

void compute_bind(ComputeSet* set, Vector* const* columns, PlanState* parent);
void compute_reset(ComputeSet* set);

/* Works all of them out for n rows. False: refused. */
bool compute_run(ComputeSet* set, ExprContext* econtext, int n);

/*
 * The values, and for numerics their scale (else -1). NULL: this numeric column does not have
 * one scale all over the batch; take the column itself.
 */
const Vector* computed_vector(const Computed* computed, int* scale);

}  // namespace mr

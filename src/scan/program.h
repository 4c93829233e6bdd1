/*
 * program.h: what a scan-and-aggregate node does, worked out from core's Agg and SeqScan plans.
 *
 * program_compile() decides and is run twice: by the planner hook, which throws the
 * result away and only wants to know whether all is supported, and at executor
 * start. So what is planned is what can run.
 */
#pragma once
#include "scan/compute.h"
#include "scan/deform.h"
#include "scan/groups.h"
#include "scan/predicate.h"
#include "scan/transition.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace mr {

/* A value wanted for every row: an aggregate's argument or a group key. */
struct Input {
  Expr* expr;        /* over the relation's Vars */
  AttrNumber attno;  /* > 0: just that column */
  Computed* computed; /* or worked out for the whole batch */
  Wanted wanted;
  int16 width;       /* for canonical() */
  ExprState* state;  /* or by core, row by row; also what a batch that computed refused is done with */
};

struct TransitionPlan {
  Transition t;
  Input args[2];
  Expr* filter;
  Predicate* filter_predicate; /* columns only */
  Computed* filter_computed;   /* or with the arguments; else filter_state */
  ExprState* filter_state;
};

/* From a transition state to the result of one Aggref. */
struct Result {
  Aggref* aggref;
  int transition;
  bool partial;
  FmgrInfo finalfn; /* fn_oid invalid: the transition value is the result */
  int n_final_args;
};

struct Program {
  AttrNumber n_attributes;
  bool* used; /* [attno]: columns deformed */
  bool* used_by_filter;
  List* functions; /* functions done by kernels: EXECUTE is checked at executor start */

  /* WHERE: predicates is a prefix of core's list of quals; residual the rest, in core's order. */
  int n_predicates;
  Predicate** predicates;
  ComputeSet filter_compute; /* expressions in predicates */
  List* residual;
  bool count_only; /* nothing but count(*) of everything visible */
  bool by_row;     /* some expression is core's and its errors must come in row order */

  bool plain; /* no GROUP BY: a row even of no input. Since 16 GROUP BY may have no keys left, but gives none then */
  int n_keys;
  GroupKey* keys;
  Input* key_inputs;

  int n_transitions;
  TransitionPlan* transitions;
  size_t state_bytes;
  int n_results;
  Result* results;
  bool partial;

  List* key_columns;   /* of the Agg's input, in grpColIdx order */
  List* aggrefs;       /* in the order of results */
  ComputeSet compute;
};

/*
 * Compiles into CurrentMemoryContext. Returns NULL and fills *program, or the reason why this
 * is left to core. The Agg's input is the scan's output, perhaps through an Append; parallel:
 * only some of the rows come to this process.
 */
const char* program_compile(Program* program, Agg* agg, SeqScan* scan, int n_attributes, bool parallel);

/* Can programs compiled from one Agg and several SeqScans work on the same groups and states? */
bool programs_agree(const Program* a, const Program* b);

}  // namespace mr

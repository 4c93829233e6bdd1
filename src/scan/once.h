/*
 * once.h: expressions evaluated a few times in an execution, and plans that are never asked for a row. They are
 * initialized without just-in-time compilation: compiled, a single constant costs the execution 2 to 20 ms, and the
 * first one in a session the loading of the compiler.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "executor/executor.h"
#include "jit/jit.h"
}

namespace mr {

/* What is initialized from here to jit_go_on() is not compiled. An error in between ends the EState, too. */
inline int jit_pause(EState* estate) {
  const int flags = estate->es_jit_flags;
  estate->es_jit_flags = PGJIT_NONE;
  return flags;
}

inline void jit_go_on(EState* estate, int flags) { estate->es_jit_flags = flags; }

/* ExecInitExpr() */
inline ExprState* init_once(Expr* expr, PlanState* parent) {
  const int flags = jit_pause(parent->state);
  ExprState* state = ExecInitExpr(expr, parent);
  jit_go_on(parent->state, flags);
  return state;
}

/* ExecInitNode() for a plan that stands for its relation, and for EXPLAIN. */
inline PlanState* init_unasked(Plan* plan, EState* estate, int eflags) {
  const int flags = jit_pause(estate);
  PlanState* state = ExecInitNode(plan, estate, eflags);
  jit_go_on(estate, flags);
  return state;
}

}  // namespace mr

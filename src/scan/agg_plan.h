/*
 * agg_plan.h: plans of Custom Scan (MillraceAgg).
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
}

namespace mr {

struct AggScope {
  PlannedStmt* statement;
  MemoryContext scratch; /* for compiling; reset after each node */
  int* highest_plan_id;  /* of the statement; 0: not looked for */
  bool in_gather;        /* below a Gather: rows come in any order */
};

/* The node that does what plan and those below it do; they become part of it. NULL: left to core. */
Plan* plan_aggregate(const AggScope* scope, Plan* plan);

}  // namespace mr

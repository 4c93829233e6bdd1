/*
 * scan_plan.h: which SeqScans of a finished plan become MillraceScan or MillraceTopN.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "nodes/plannodes.h"
#include "utils/memutils.h"
}

namespace mr {

struct PlanScope {
  PlannedStmt* statement;
  MemoryContext scratch; /* for compiling; reset after each node */
  int workers;           /* of the Gather above; 0: none */
  bool reads_all;        /* as far as can be told, rows are asked for to the end */
};

/* From a node's scope to that of its outer, or its inner, child. */
void enter_outer(PlanScope* scope, const Plan* plan);
void enter_inner(PlanScope* scope, const Plan* plan);

/* A MillraceScan in the scan's place, or NULL. */
Plan* plan_filter_scan(const PlanScope* scope, SeqScan* scan);

/* Puts MillraceTopN below the Sort of a Limit, where there is one that can use it. */
void plan_topn(const PlanScope* scope, Limit* limit);

}  // namespace mr

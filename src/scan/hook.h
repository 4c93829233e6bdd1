/*
 * hook.h: how plans get scans of ours.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "nodes/execnodes.h"
#include "nodes/plannodes.h"
#include "utils/rel.h"
}

namespace mr {

/* May scans of ours run in this executor? Not what was planned before millrace.scan was switched off, nor EvalPlanQual. */
bool execution_is_ours(const EState* estate);

/* The table of a SeqScan, locked by the planner, when it is an ordinary one to be read whole; to be closed. Else NULL. */
Relation open_scanned(const PlannedStmt* statement, const SeqScan* scan);

/* Registers the custom scan and chains planner_hook. */
void init_scan();

}  // namespace mr

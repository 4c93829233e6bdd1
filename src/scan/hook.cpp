/*
 * hook.cpp: puts Custom Scan (MillraceAgg) into finished plans.
 *
 * planner_hook lets core make the whole plan and then looks for an Agg right above
 * a SeqScan, or one of the other pieces of shape.h. Where program_compile() knows all they do, a CustomScan
 * takes the Agg's place and keeps the SeqScan as its child. So the choice between paths, the range table with
 * its permission checks, the order of RLS quals, partitions, parameters and the parallel scan's shared state
 * all remain core's.
 */
#include "scan/hook.h"

#include "pg/pg.h"

extern "C" {
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "utils/memutils.h"
#include "utils/snapshot.h"
}

#include "pg/compat_scan.h"
#include "pg/settings.h"
#include "scan/agg_plan.h"
#include "scan/feed.h"
#include "scan/scan_node.h"
#include "scan/scan_plan.h"

namespace mr {

static planner_hook_type next_planner = nullptr;

struct Rewrite {
  PlanScope scope;
  int highest_plan_id; /* 0: not looked for */
  bool in_gather;      /* below a Gather: rows come in any order */
};

bool execution_is_ours(const EState* estate) {
  if (!setting_scan || estate->es_epq_active != nullptr) return false;
  return estate->es_snapshot != nullptr && estate->es_snapshot->snapshot_type == SNAPSHOT_MVCC;
}

/* An ordinary heap table. */
static bool relation_is_ours(Relation rel) {
  if (rel->rd_rel->relkind != RELKIND_RELATION && rel->rd_rel->relkind != RELKIND_MATVIEW) return false;
  if (rel->rd_tableam != GetHeapamTableAmRoutine()) return false;
  return !IsCatalogRelation(rel) && RelationGetRelid(rel) >= FirstNormalObjectId;
}

Relation open_scanned(const PlannedStmt* statement, const SeqScan* scan) {
  const RangeTblEntry* rte = rt_fetch(scan->scan.scanrelid, statement->rtable);
  if (rte->rtekind != RTE_RELATION || rte->tablesample != nullptr) return nullptr;
  Relation rel = table_open(rte->relid, NoLock);
  if (relation_is_ours(rel)) return rel;
  table_close(rel, NoLock);
  return nullptr;
}

static void rewrite_tree(Plan** slot, Rewrite* rewrite);

static void rewrite_list(List* plans, Rewrite* rewrite) {
  ListCell* cell;
  foreach (cell, plans) {
    Plan* plan = static_cast<Plan*>(lfirst(cell));
    rewrite_tree(&plan, rewrite);
    lfirst(cell) = plan;
  }
}

/* Children of an Append that are neither SeqScans nor Appends may have nodes of ours in them. */
static void rewrite_others(Plan* plan, Rewrite* rewrite) {
  if (!IsA(plan, Append)) return;
  ListCell* cell;
  foreach (cell, castNode(Append, plan)->appendplans) {
    Plan* child = static_cast<Plan*>(lfirst(cell));
    if (is_feed(child)) continue;
    if (IsA(child, Append))
      rewrite_others(child, rewrite);
    else
      rewrite_tree(&child, rewrite);
    lfirst(cell) = child;
  }
}

static void rewrite_children(Plan* plan, Rewrite* rewrite) {
  const PlanScope scope = rewrite->scope;
  enter_outer(&rewrite->scope, plan);
  rewrite_tree(&plan->lefttree, rewrite);
  rewrite->scope = scope;
  enter_inner(&rewrite->scope, plan);
  rewrite_tree(&plan->righttree, rewrite);
  rewrite->scope = scope;
  switch (nodeTag(plan)) {
    case T_Append:
      return rewrite_list(castNode(Append, plan)->appendplans, rewrite);
    case T_MergeAppend:
      return rewrite_list(castNode(MergeAppend, plan)->mergeplans, rewrite);
    case T_SubqueryScan:
      return rewrite_tree(&castNode(SubqueryScan, plan)->subplan, rewrite);
    default:
      return; /* nothing of ours below other custom scans, bitmap trees and so on */
  }
}

static void rewrite_tree(Plan** slot, Rewrite* rewrite) {
  Plan* plan = *slot;
  if (plan == nullptr) return;
  check_stack_depth();
  const AggScope scope = {rewrite->scope.statement, rewrite->scope.scratch, &rewrite->highest_plan_id,
                          rewrite->in_gather};
  Plan* scan = plan_aggregate(&scope, plan);
  if (scan != nullptr) {
    *slot = scan;
    return rewrite_others(outerPlan(scan), rewrite);
  }
  if (IsA(plan, SeqScan)) {
    scan = plan_filter_scan(&rewrite->scope, castNode(SeqScan, plan));
    if (scan != nullptr) *slot = scan;
    return;
  }
  if (IsA(plan, Limit)) plan_topn(&rewrite->scope, castNode(Limit, plan));
  const bool in_gather = rewrite->in_gather;
  rewrite->in_gather |= IsA(plan, GatherMerge) || (IsA(plan, Gather) && !castNode(Gather, plan)->single_copy);
  rewrite_children(plan, rewrite);
  rewrite->in_gather = in_gather;
}

static void rewrite_statement(PlannedStmt* statement, bool reads_all) {
  MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "millrace plan", ALLOCSET_SMALL_SIZES);
  Rewrite rewrite = {{statement, scratch, 0, reads_all}, 0, false};
  rewrite_tree(&statement->planTree, &rewrite);
  rewrite.scope.reads_all = false; /* EXISTS and its like */
  rewrite_list(statement->subplans, &rewrite);
  MemoryContextDelete(scratch);
}

static PlannedStmt* plan_statement(Query* query, const char* text, int options, ParamListInfo params MR_PLANNER_PARAMETER) {
  PlannedStmt* statement = next_planner != nullptr ? next_planner(query, text, options, params MR_PLANNER_ARGUMENT)
                                                   : standard_planner(query, text, options, params MR_PLANNER_ARGUMENT);
  if (setting_scan && statement->relationOids != NIL) rewrite_statement(statement, (options & CURSOR_OPT_FAST_PLAN) == 0);
  return statement;
}

void init_scan() {
  RegisterCustomScanMethods(&kScanMethods);
  RegisterCustomScanMethods(&kFeedMethods);
  RegisterCustomScanMethods(&kFilterScanMethods);
  RegisterCustomScanMethods(&kTopNMethods);
  next_planner = planner_hook;
  planner_hook = plan_statement;
}

}  // namespace mr

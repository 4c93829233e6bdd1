/*
 * hook.cpp: puts Custom Scan (MillraceAgg) into finished plans.
 *
 * planner_hook lets core make the whole plan and then looks for an Agg right above
 * a SeqScan. Where program_compile() knows all they do, a CustomScan takes the
 * Agg's place and keeps the SeqScan as its child. So the choice between paths, the
 * range table with its permission checks, the order of RLS quals, partitions,
 * parameters and the parallel scan's shared state all remain core's.
 */
#include "scan/hook.h"

#include "pg/pg.h"

extern "C" {
#include "access/tableam.h"
#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "executor/nodeHash.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "utils/memutils.h"
}

#include "pg/compat_scan.h"
#include "pg/settings.h"
#include "scan/node.h"

namespace mr {

static planner_hook_type next_planner = nullptr;

struct Rewrite {
  PlannedStmt* statement;
  MemoryContext scratch; /* for compiling; reset after each node */
};

static bool relation_is_ours(Relation rel) {
  if (rel->rd_rel->relkind != RELKIND_RELATION && rel->rd_rel->relkind != RELKIND_MATVIEW) return false;
  if (rel->rd_tableam != GetHeapamTableAmRoutine()) return false;
  return !IsCatalogRelation(rel) && RelationGetRelid(rel) >= FirstNormalObjectId;
}

/*
 * The node takes some microseconds more than core's to plan and start: what core spends on 50 to 100 rows.
 * Not the cost of the whole plan, since what is above the scan is the same.
 */
static bool is_worth_it(const Plan* scan) { return scan->total_cost - scan->startup_cost >= setting_scan_min_cost; }

static bool shape_is_ours(const Agg* agg) {
  if (agg->aggstrategy != AGG_PLAIN && agg->aggstrategy != AGG_HASHED) return false;
  if (agg->aggsplit != AGGSPLIT_SIMPLE && agg->aggsplit != AGGSPLIT_INITIAL_SERIAL) return false;
  if (agg->groupingSets != NIL || agg->chain != NIL) return false;
  Plan* child = outerPlan(agg);
  return child != nullptr && IsA(child, SeqScan) && child->initPlan == NIL && is_worth_it(child);
}

/* Groups beyond hash_mem would be left to core half-way. Partial ones are handed out when there are too many. */
static bool groups_fit(const Agg* agg, const Program* program, Relation rel) {
  if (program->partial || agg->numCols == 0) return true;
  if (rel->rd_rel->reltuples < 0) return true; /* never analyzed: the estimate says nothing */
  const double group = static_cast<double>(program->state_bytes) + 40.0 + 48.0 * agg->numCols;
  return static_cast<double>(agg->numGroups) * group <= static_cast<double>(get_hash_memory_limit());
}

/* Does program_compile() know all of it? */
static bool program_is_ours(Rewrite* rewrite, Agg* agg) {
  SeqScan* scan = castNode(SeqScan, outerPlan(agg));
  RangeTblEntry* rte = rt_fetch(scan->scan.scanrelid, rewrite->statement->rtable);
  if (rte->rtekind != RTE_RELATION || rte->tablesample != nullptr) return false;
  /* Locked by the planner. */
  Relation rel = table_open(rte->relid, NoLock);
  bool ours = relation_is_ours(rel);
  if (ours) {
    MemoryContext old = MemoryContextSwitchTo(rewrite->scratch);
    Program program;
    ours = program_compile(&program, agg, scan, rel) == nullptr && groups_fit(agg, &program, rel);
    MemoryContextSwitchTo(old);
    MemoryContextReset(rewrite->scratch);
  }
  table_close(rel, NoLock);
  return ours;
}

struct Columns {
  List* keys;    /* of the Agg's input */
  List* aggrefs;
};

static bool collect(Node* node, void* context) {
  Columns* columns = static_cast<Columns*>(context);
  if (node == nullptr) return false;
  if (IsA(node, Aggref)) {
    columns->aggrefs = list_append_unique(columns->aggrefs, node);
    return false;
  }
  return expression_tree_walker(node, MR_WALKER(collect), context);
}

/* Target list and HAVING refer to the scan tuple: keys first, then aggregates. */
static Node* to_scan_tuple(Node* node, void* context) {
  Columns* columns = static_cast<Columns*>(context);
  if (node == nullptr) return nullptr;
  if (IsA(node, Aggref)) {
    int i = 0;
    ListCell* cell;
    foreach (cell, columns->aggrefs) {
      if (equal(lfirst(cell), node)) break;
      i++;
    }
    return reinterpret_cast<Node*>(makeVar(INDEX_VAR, list_length(columns->keys) + i + 1, exprType(node),
                                           exprTypmod(node), exprCollation(node), 0));
  }
  if (IsA(node, Var) && castNode(Var, node)->varno == OUTER_VAR) {
    Var* var = static_cast<Var*>(copyObjectImpl(node));
    int i = 0;
    ListCell* cell;
    foreach (cell, columns->keys) {
      if (lfirst_int(cell) == var->varattno) break;
      i++;
    }
    var->varno = INDEX_VAR;
    var->varattno = i + 1;
    return reinterpret_cast<Node*>(var);
  }
  return expression_tree_mutator(node, MR_MUTATOR(to_scan_tuple), context);
}

static List* scan_tuple_list(Columns* columns, Plan* child) {
  List* list = NIL;
  ListCell* cell;
  foreach (cell, columns->keys) {
    TargetEntry* entry = get_tle_by_resno(child->targetlist, lfirst_int(cell));
    Node* expr = reinterpret_cast<Node*>(entry->expr);
    Var* var = makeVar(OUTER_VAR, entry->resno, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);
    list = lappend(list, makeTargetEntry(reinterpret_cast<Expr*>(var), list_length(list) + 1, nullptr, false));
  }
  foreach (cell, columns->aggrefs) {
    Expr* aggref = static_cast<Expr*>(copyObjectImpl(lfirst(cell)));
    list = lappend(list, makeTargetEntry(aggref, list_length(list) + 1, nullptr, false));
  }
  return list;
}

static Plan* make_scan(Agg* agg) {
  Plan* child = outerPlan(agg);
  Columns columns = {NIL, NIL};
  for (int i = 0; i < agg->numCols; i++) columns.keys = lappend_int(columns.keys, agg->grpColIdx[i]);
  collect(reinterpret_cast<Node*>(agg->plan.targetlist), &columns);
  collect(reinterpret_cast<Node*>(agg->plan.qual), &columns);

  CustomScan* scan = makeNode(CustomScan);
  Plan* plan = &scan->scan.plan;
  memcpy(plan, &agg->plan, sizeof(Plan)); /* costs, rows, parallel safety, parameters, plan_node_id */
  plan->type = T_CustomScan;
  plan->targetlist =
      reinterpret_cast<List*>(to_scan_tuple(reinterpret_cast<Node*>(agg->plan.targetlist), &columns));
  plan->qual = reinterpret_cast<List*>(to_scan_tuple(reinterpret_cast<Node*>(agg->plan.qual), &columns));
  plan->lefttree = child;
  scan->custom_scan_tlist = scan_tuple_list(&columns, child);
  scan->methods = &kScanMethods;
  /* Core's Agg, for the executor to compile from and to fall back on. Its child and subplans are ours now. */
  agg->plan.lefttree = nullptr;
  agg->plan.initPlan = NIL;
  scan->custom_plans = list_make1(agg);
  return plan;
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

static void rewrite_tree(Plan** slot, Rewrite* rewrite) {
  Plan* plan = *slot;
  if (plan == nullptr) return;
  check_stack_depth();
  if (IsA(plan, Agg) && shape_is_ours(castNode(Agg, plan))) {
    if (program_is_ours(rewrite, castNode(Agg, plan))) *slot = make_scan(castNode(Agg, plan));
    return;
  }
  rewrite_tree(&plan->lefttree, rewrite);
  rewrite_tree(&plan->righttree, rewrite);
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

static void rewrite_statement(PlannedStmt* statement) {
  Rewrite rewrite = {statement, AllocSetContextCreate(CurrentMemoryContext, "millrace plan", ALLOCSET_SMALL_SIZES)};
  rewrite_tree(&statement->planTree, &rewrite);
  rewrite_list(statement->subplans, &rewrite);
  MemoryContextDelete(rewrite.scratch);
}

static PlannedStmt* plan_statement(Query* query, const char* text, int options, ParamListInfo params) {
  PlannedStmt* statement = next_planner != nullptr ? next_planner(query, text, options, params)
                                                   : standard_planner(query, text, options, params);
  if (setting_scan) rewrite_statement(statement);
  return statement;
}

void init_scan() {
  RegisterCustomScanMethods(&kScanMethods);
  next_planner = planner_hook;
  planner_hook = plan_statement;
}

}  // namespace mr

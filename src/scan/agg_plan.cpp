/*
 * agg_plan.cpp: whether a piece of a finished plan is one for Custom Scan (MillraceAgg), and its plan.
 *
 *   shape_is_ours()  its relations, what program_compile() and order_check() say, sizes
 *   make_scan()      the CustomScan; feeds below Appends
 */
#include "scan/agg_plan.h"

extern "C" {
#include "access/table.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
}

#include "pg/compat_scan.h"
#include "pg/settings.h"
#include "scan/feed.h"
#include "scan/hook.h"

namespace mr {

/* Groups beyond hash_mem would be left to core half-way. Partial ones are handed out when there are too many.
 */
static bool groups_fit(const Shape* shape, const Program* program, bool analyzed) {
  if (program->partial || shape->agg->numCols == 0) return true;
  /* Never analyzed: the estimate says nothing. But where it made core sort there is nothing to lose by that.
   */
  if (!analyzed && shape->sort == nullptr) return true;
  const double group = static_cast<double>(program->state_bytes) + 40.0 + 48.0 * shape->agg->numCols;
  return static_cast<double>(shape->agg->numGroups) * group <= static_cast<double>(get_hash_memory_limit());
}

/* What the relations of a piece are like. */
struct Sizes {
  bool analyzed; /* all of them */
  uint64 blocks; /* of those of an Append, and of one never analyzed */
};

/* compile: does program_compile() know all that is done with this relation? */
static bool scan_is_ours(const AggScope* scope, const Shape* shape, SeqScan* scan, bool compile,
                         Program* program, Sizes* sizes) {
  Relation rel = open_scanned(scope->statement, scan);
  if (rel == nullptr) return false;
  bool ours = true;
  if (compile)
    ours = program_compile(program, shape->agg, scan, RelationGetNumberOfAttributes(rel), shape->parallel) ==
               nullptr &&
           order_check(program, shape) == nullptr;
  const bool analyzed = rel->rd_rel->reltuples >= 0;
  sizes->analyzed &= analyzed;
  if (ours && (shape->append != nullptr || !analyzed)) sizes->blocks += RelationGetNumberOfBlocks(rel);
  table_close(rel, NoLock);
  return ours;
}

/*
 * The node, and every feed, takes some microseconds more than core's to plan and start: what core spends on 50 to 100
 * rows. Not the cost of the whole plan, since what is above the scans is the same. Rows of other children gain nothing.
 */
static bool is_worth_it(const Shape* shape) {
  double cost = 0;
  ListCell* cell;
  foreach (cell, shape->scans) {
    const Plan* scan = static_cast<Plan*>(lfirst(cell));
    cost += scan->total_cost - scan->startup_cost;
  }
  return cost >= setting_scan_min_cost * list_length(shape->scans) && cost >= shape->others;
}

/* For tables never analyzed core assumes some pages: nearly empty ones cost less than it thinks. */
static bool mostly_empty(const Shape* shape, const Sizes* sizes) {
  if (setting_scan_min_cost <= 0) return false;
  if (shape->append != nullptr) return sizes->blocks < static_cast<uint64>(list_length(shape->scans));
  return !sizes->analyzed && sizes->blocks <= 1;
}

static bool shape_is_ours(const AggScope* scope, const Shape* shape) {
  if (!is_worth_it(shape)) return false;
  Program first;
  Program next;
  if (shape->append != nullptr &&
      program_compile(&next, shape->agg, shape_append_rows(shape),
                      list_length(shape->append->plan.targetlist), shape->parallel) != nullptr)
    return false;
  Sizes sizes = {true, 0};
  const bool alike = shape->append != nullptr && feeds_are_alike(shape, scope->statement->rtable);
  ListCell* cell;
  foreach (cell, shape->scans) {
    const bool is_first = cell == list_head(shape->scans);
    if (!scan_is_ours(scope, shape, castNode(SeqScan, lfirst(cell)), is_first || !alike,
                      is_first ? &first : &next, &sizes))
      return false;
    if (!is_first && !alike && !programs_agree(&first, &next)) return false;
  }
  /*
   * Partial groups go on in the order of the hash table, which is not core's, and perhaps through a Sort,
   * which leaves those of one group in any order; full tables hand theirs out early. Sums of floats would
   * show it.
   */
  if (first.partial && first.n_keys > 0 && !scope->in_gather && !any_order_does(&first)) return false;
  if (mostly_empty(shape, &sizes)) return false;
  return groups_fit(shape, &first, sizes.analyzed);
}

struct Columns {
  List* keys; /* of the Agg's input */
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
    list =
        lappend(list, makeTargetEntry(reinterpret_cast<Expr*>(var), list_length(list) + 1, nullptr, false));
  }
  foreach (cell, columns->aggrefs) {
    Expr* aggref = static_cast<Expr*>(copyObjectImpl(lfirst(cell)));
    list = lappend(list, makeTargetEntry(aggref, list_length(list) + 1, nullptr, false));
  }
  return list;
}

static int highest_plan_id(Plan* plan);

static int highest_in_list(List* plans) {
  int highest = 0;
  ListCell* cell;
  foreach (cell, plans) highest = Max(highest, highest_plan_id(static_cast<Plan*>(lfirst(cell))));
  return highest;
}

static int highest_plan_id(Plan* plan) {
  if (plan == nullptr) return 0;
  check_stack_depth();
  int highest =
      Max(plan->plan_node_id, Max(highest_plan_id(plan->lefttree), highest_plan_id(plan->righttree)));
  switch (nodeTag(plan)) {
    case T_Append:
      return Max(highest, highest_in_list(castNode(Append, plan)->appendplans));
    case T_MergeAppend:
      return Max(highest, highest_in_list(castNode(MergeAppend, plan)->mergeplans));
    case T_BitmapAnd:
      return Max(highest, highest_in_list(castNode(BitmapAnd, plan)->bitmapplans));
    case T_BitmapOr:
      return Max(highest, highest_in_list(castNode(BitmapOr, plan)->bitmapplans));
    case T_SubqueryScan:
      return Max(highest, highest_plan_id(castNode(SubqueryScan, plan)->subplan));
    case T_CustomScan:
      return Max(highest, highest_in_list(castNode(CustomScan, plan)->custom_plans));
    default:
      return highest;
  }
}

/* Workers report what they did by the number of the node. */
static int new_plan_id(const AggScope* scope) {
  if (*scope->highest_plan_id == 0)
    *scope->highest_plan_id =
        Max(highest_plan_id(scope->statement->planTree), highest_in_list(scope->statement->subplans));
  return ++*scope->highest_plan_id;
}

static void put_feeds(const AggScope* scope, Append* append) {
  ListCell* cell;
  foreach (cell, append->appendplans) {
    Plan* child = static_cast<Plan*>(lfirst(cell));
    if (IsA(child, Append))
      put_feeds(scope, castNode(Append, child));
    else if (IsA(child, SeqScan) && child->initPlan == NIL)
      lfirst(cell) = feed_plan(castNode(SeqScan, child), new_plan_id(scope));
  }
}

static Plan* make_scan(const AggScope* scope, const Shape* shape) {
  Agg* agg = shape->agg;
  Plan* child = shape->append != nullptr ? &shape->append->plan : static_cast<Plan*>(linitial(shape->scans));
  Columns columns = {NIL, NIL};
  for (int i = 0; i < agg->numCols; i++) columns.keys = lappend_int(columns.keys, agg->grpColIdx[i]);
  collect(reinterpret_cast<Node*>(agg->plan.targetlist), &columns);
  collect(reinterpret_cast<Node*>(agg->plan.qual), &columns);

  CustomScan* scan = makeNode(CustomScan);
  Plan* plan = &scan->scan.plan;
  memcpy(plan, shape->top, sizeof(Plan)); /* costs, rows, parallel safety, parameters, plan_node_id */
  plan->type = T_CustomScan;
  plan->targetlist =
      reinterpret_cast<List*>(to_scan_tuple(reinterpret_cast<Node*>(agg->plan.targetlist), &columns));
  plan->qual = reinterpret_cast<List*>(to_scan_tuple(reinterpret_cast<Node*>(agg->plan.qual), &columns));
  plan->lefttree = child;
  scan->custom_scan_tlist = scan_tuple_list(&columns, child);
  scan->methods = &kScanMethods;
  if (shape->append != nullptr) put_feeds(scope, shape->append);
  /* For the executor to compile from and to fall back on. */
  shape_keep(shape, scan);
  return plan;
}

Plan* plan_aggregate(const AggScope* scope, Plan* plan) {
  Shape shape;
  MemoryContext old = MemoryContextSwitchTo(scope->scratch);
  const bool ours = shape_find(plan, &shape) && shape_is_ours(scope, &shape);
  MemoryContextSwitchTo(old);
  Plan* scan = ours ? make_scan(scope, &shape) : nullptr;
  MemoryContextReset(scope->scratch);
  return scan;
}

}  // namespace mr

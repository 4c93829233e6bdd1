/*
 * scan_plan.cpp: SeqScans that are worth it become custom scans, with all that core planned for them.
 *
 *   plan_filter_scan()  a filter that begins vectorized
 *   plan_topn()         Limit, perhaps Gather Merge, Sort, perhaps Append, SeqScan
 */
#include "scan/scan_plan.h"

extern "C" {
#include "access/table.h"
#include "access/tableam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
}

#include "pg/compat_scan.h"
#include "pg/settings.h"
#include "scan/hook.h"
#include "scan/scan_node.h"

namespace mr {

/*
 * A scan that reads all is faster than core's whatever its filter lets pass (4 M rows, 1 % to 100 %: 5.5x to
 * 2.2x), if it is worth starting. One that may end after a few rows is only when it meets many before
 * these: LIMIT 1 takes half a microsecond more.
 */
constexpr double kMaxSelectivity = 0.1;
constexpr BlockNumber kMinPages = 16;
/* A bound that is a larger part of the rows prunes little. */
constexpr double kMinRowsPerBound = 20;

struct TableSize {
  BlockNumber pages;
  double tuples;
};

void enter_outer(PlanScope* scope, const Plan* plan) {
  switch (nodeTag(plan)) {
    case T_Gather:
      scope->workers = reinterpret_cast<const Gather*>(plan)->num_workers;
      break;
    case T_GatherMerge:
      scope->workers = reinterpret_cast<const GatherMerge*>(plan)->num_workers;
      break;
    case T_Sort:
    case T_Hash:
      scope->reads_all = true;
      break;
    case T_Agg:
      if (reinterpret_cast<const Agg*>(plan)->aggstrategy != AGG_SORTED) scope->reads_all = true;
      break;
    case T_Limit:
      scope->reads_all = false;
      break;
    default:
      break;
  }
}

void enter_inner(PlanScope* scope, const Plan* plan) {
  if (!IsA(plan, NestLoop)) return;
  const Join* join = reinterpret_cast<const Join*>(plan);
  /* Ends at the first match else. */
  if ((join->jointype != JOIN_INNER && join->jointype != JOIN_LEFT) || join->inner_unique) scope->reads_all = false;
}

/* Rows that all processes get from the scan together, by core's estimate. get_parallel_divisor(). */
static double rows_of(const PlanScope* scope, const Plan* plan) {
  double processes = 1;
  if (plan->parallel_aware && scope->workers > 0) {
    processes = scope->workers;
    if (parallel_leader_participation) processes += Max(0.0, 1.0 - 0.3 * scope->workers);
  }
  return plan->plan_rows * processes;
}

/* Rows that are locked or changed are left to core, and with them what EvalPlanQual looks at again. */
static bool is_locked(const PlannedStmt* statement, Index rti) {
  ListCell* cell;
  foreach (cell, statement->rowMarks)
    if (static_cast<PlanRowMark*>(lfirst(cell))->rti == rti) return true;
  return mr_is_result_relation(statement, static_cast<int>(rti));
}

/* The scan's table, or NULL when it is not one to read here. To be closed. */
static Relation open_table(const PlanScope* scope, const SeqScan* scan, TableSize* size) {
  if (is_locked(scope->statement, scan->scan.scanrelid)) return nullptr;
  if (scan->scan.plan.total_cost - scan->scan.plan.startup_cost < setting_scan_min_cost) return nullptr;
  Relation rel = open_scanned(scope->statement, scan);
  double all_visible;
  if (rel == nullptr) return nullptr;
  /* As mostly_empty() of agg_plan.cpp. */
  if (rel->rd_rel->reltuples < 0 && setting_scan_min_cost > 0 && RelationGetNumberOfBlocks(rel) <= 1) {
    table_close(rel, NoLock);
    return nullptr;
  }
  table_relation_estimate_size(rel, nullptr, &size->pages, &size->tuples, &all_visible);
  return rel;
}

static CustomScan* make_custom(SeqScan* seq, const CustomScanMethods* methods) {
  CustomScan* scan = makeNode(CustomScan);
  memcpy(&scan->scan.plan, &seq->scan.plan, sizeof(Plan)); /* costs, node id, targets, quals, parameters */
  scan->scan.plan.type = T_CustomScan;
  scan->scan.scanrelid = seq->scan.scanrelid;
  /* A cursor on it may turn round, as on a SeqScan: then it is one. */
  scan->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
  scan->custom_relids = bms_make_singleton(static_cast<int>(seq->scan.scanrelid));
  scan->methods = methods;
  return scan;
}

/* How many quals are predicates, and which are not. In scratch memory. */
static int count_predicates(const PlanScope* scope, List* quals, Relation rel, List** residual) {
  MemoryContext old = MemoryContextSwitchTo(scope->scratch);
  bool* used = static_cast<bool*>(palloc0(RelationGetNumberOfAttributes(rel) + 1));
  Predicate** predicates = static_cast<Predicate**>(palloc0(sizeof(Predicate*) * (list_length(quals) + 1)));
  List* functions = NIL;
  int n;
  predicates_split(quals, used, predicates, &n, residual, &functions);
  MemoryContextSwitchTo(old);
  return n;
}

Plan* plan_filter_scan(const PlanScope* scope, SeqScan* seq) {
  if (seq->scan.plan.qual == NIL) return nullptr;
  TableSize size;
  Relation rel = open_table(scope, seq, &size);
  if (rel == nullptr) return nullptr;
  List* residual;
  const bool selective =
      size.pages >= kMinPages && rows_of(scope, &seq->scan.plan) < kMaxSelectivity * size.tuples;
  const bool pays = (scope->reads_all || selective) &&
                    count_predicates(scope, seq->scan.plan.qual, rel, &residual) > 0;
  MemoryContextReset(scope->scratch);
  table_close(rel, NoLock);
  return pays ? &make_custom(seq, &kFilterScanMethods)->scan.plan : nullptr;
}

/*
 * The Limit's expressions are evaluated by the scan too. True for what could be noticed a second
 * time; parameters of subplans do not get through to workers unless core knows of their use there.
 */
static bool only_once(Node* node, void* below_gather) {
  if (node == nullptr) return false;
  switch (nodeTag(node)) {
    case T_Const:
      return false;
    case T_Param: {
      const ParamKind kind = castNode(Param, node)->paramkind;
      return !(kind == PARAM_EXTERN || (kind == PARAM_EXEC && !*static_cast<bool*>(below_gather)));
    }
    case T_List:
    case T_RelabelType:
      break;
    case T_FuncExpr:
      if (castNode(FuncExpr, node)->funcid >= FirstNormalObjectId) return true;
      break;
    default:
      return true;
  }
  return expression_tree_walker(node, MR_WALKER(only_once), below_gather);
}

/*
 * Core evaluates the target list for rows that will be pruned here, so nothing in it may fail or be
 * noticed. Each column once: the Sort's memory is estimated from the tuples'.
 */
static bool targets_are_plain(List* targetlist) {
  Bitmapset* seen = nullptr;
  ListCell* cell;
  foreach (cell, targetlist) {
    Node* node = reinterpret_cast<Node*>(castNode(TargetEntry, lfirst(cell))->expr);
    if (IsA(node, Const) && castNode(Const, node)->constbyval) continue;
    node = without_relabels(node);
    if (!IsA(node, Var) || castNode(Var, node)->varattno == 0) return false;
    const int attno = castNode(Var, node)->varattno - FirstLowInvalidHeapAttributeNumber;
    if (bms_is_member(attno, seen)) return false;
    seen = bms_add_member(seen, attno);
  }
  return true;
}

struct SortShape {
  Sort* sort;
  List* limits; /* count, offset */
  bool append;  /* rows of several scans */
  double bound; /* rows wanted, as far as it can be known */
};

/* The Sort's keys as columns of the scan: its target list is the Sort's, by position. */
static List* key_lists(const SortShape* shape, const SeqScan* seq) {
  List* attnos = NIL;
  List* operators = NIL;
  List* collations = NIL;
  List* nulls_first = NIL;
  for (int i = 0; i < shape->sort->numCols; i++) {
    TargetEntry* entry = get_tle_by_resno(seq->scan.plan.targetlist, shape->sort->sortColIdx[i]);
    if (entry == nullptr) return NIL;
    Node* node = without_relabels(reinterpret_cast<Node*>(entry->expr));
    attnos = lappend_int(attnos, IsA(node, Var) ? castNode(Var, node)->varattno : 0);
    operators = lappend_oid(operators, shape->sort->sortOperators[i]);
    collations = lappend_oid(collations, shape->sort->collations[i]);
    nulls_first = lappend_int(nulls_first, shape->sort->nullsFirst[i]);
  }
  return list_make5(attnos, operators, collations, nulls_first, list_make1_int(shape->append));
}

static bool keys_are_ours(List* lists, Relation rel) {
  TopN topn = {};
  return topn_compile(&topn, static_cast<List*>(list_nth(lists, kPrivateAttnos)),
                      static_cast<List*>(list_nth(lists, kPrivateOperators)),
                      static_cast<List*>(list_nth(lists, kPrivateCollations)),
                      static_cast<List*>(list_nth(lists, kPrivateNullsFirst)), rel);
}

/* Puts MillraceTopN in the place of a SeqScan. */
static void replace_scan(const PlanScope* scope, const SortShape* shape, Plan** slot) {
  SeqScan* seq = castNode(SeqScan, *slot);
  Plan* plan = &seq->scan.plan;
  if (!targets_are_plain(plan->targetlist) || rows_of(scope, plan) < kMinRowsPerBound * shape->bound) return;
  List* lists = key_lists(shape, seq);
  if (lists == NIL) return;
  TableSize size;
  Relation rel = open_table(scope, seq, &size);
  if (rel == nullptr) return;
  /* Quals that may fail, or be noticed, must see every row. */
  List* residual;
  count_predicates(scope, plan->qual, rel, &residual);
  const bool ours = residual == NIL && keys_are_ours(lists, rel);
  MemoryContextReset(scope->scratch);
  table_close(rel, NoLock);
  if (!ours) return;
  CustomScan* scan = make_custom(seq, &kTopNMethods);
  scan->custom_exprs = static_cast<List*>(copyObjectImpl(shape->limits));
  scan->custom_private = lists;
  *slot = &scan->scan.plan;
}

/* Rows of other nodes may be of any size, and the Sort go to disk for them. */
static bool all_plain_scans(List* plans) {
  ListCell* cell;
  foreach (cell, plans) {
    Plan* plan = static_cast<Plan*>(lfirst(cell));
    if (!IsA(plan, SeqScan) || !targets_are_plain(plan->targetlist)) return false;
  }
  return true;
}

static void below_sort(const PlanScope* scope, SortShape* shape) {
  Plan* child = outerPlan(shape->sort);
  if (IsA(child, SeqScan)) return replace_scan(scope, shape, &shape->sort->plan.lefttree);
  if (!IsA(child, Append) || !all_plain_scans(castNode(Append, child)->appendplans)) return;
  shape->append = true;
  ListCell* cell;
  foreach (cell, castNode(Append, child)->appendplans) {
    Plan* plan = static_cast<Plan*>(lfirst(cell));
    replace_scan(scope, shape, &plan);
    lfirst(cell) = plan;
  }
}

/* Nodes that ask their child for no more rows than they are asked for: ExecSetTupleBound(). */
static Plan* find_sort(Plan* plan, int* workers) {
  while (plan != nullptr) {
    switch (nodeTag(plan)) {
      case T_Sort:
        return plan;
      case T_Result:
        plan = plan->lefttree;
        break;
      case T_SubqueryScan:
        if (plan->qual != NIL) return nullptr;
        plan = castNode(SubqueryScan, plan)->subplan;
        break;
      case T_GatherMerge:
        *workers = castNode(GatherMerge, plan)->num_workers;
        plan = plan->lefttree;
        break;
      default:
        return nullptr;
    }
  }
  return nullptr;
}

void plan_topn(const PlanScope* scope, Limit* limit) {
  if (limit->limitCount == nullptr || limit->limitOption != LIMIT_OPTION_COUNT) return;
  PlanScope below = *scope;
  int workers = 0;
  Plan* sort = find_sort(outerPlan(limit), &workers);
  if (sort == nullptr) return;
  if (workers > 0) below.workers = workers;
  bool below_gather = workers > 0;
  SortShape shape = {castNode(Sort, sort), list_make1(limit->limitCount), false, 0};
  if (limit->limitOffset != nullptr) shape.limits = lappend(shape.limits, limit->limitOffset);
  if (only_once(reinterpret_cast<Node*>(shape.limits), &below_gather)) return;
  if (contain_volatile_functions(reinterpret_cast<Node*>(shape.limits))) return;
  /* Of what is not constant core's estimate is a tenth of all rows: no reason to give up. */
  ListCell* cell;
  foreach (cell, shape.limits) {
    Const* value = static_cast<Const*>(lfirst(cell));
    if (IsA(value, Const) && !value->constisnull) shape.bound += static_cast<double>(DatumGetInt64(value->constvalue));
  }
  below_sort(&below, &shape);
}

}  // namespace mr

/*
 * shape.cpp: which pieces of plans are ours, by their form.
 */
#include "scan/shape.h"

extern "C" {
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
}

#include "scan/feed.h"

namespace mr {

/* Neither Sort nor Append works anything out: column i is column i of the child. */
static bool passes_columns(const List* targetlist) {
  int i = 0;
  ListCell* cell;
  foreach (cell, targetlist) {
    TargetEntry* entry = castNode(TargetEntry, lfirst(cell));
    if (entry->resno != ++i) return false;
    if (IsA(entry->expr, Const)) continue;
    if (!IsA(entry->expr, Var)) return false;
    const Var* var = reinterpret_cast<Var*>(entry->expr);
    if (var->varno != OUTER_VAR || var->varattno != i) return false;
  }
  return true;
}

static Agg* grouping(Plan* top, int n, AttrNumber* columns, Oid* operators, Oid* collations) {
  Agg* agg = makeNode(Agg);
  memcpy(&agg->plan, top, sizeof(Plan));
  agg->plan.type = T_Agg;
  agg->aggstrategy = AGG_SORTED;
  agg->aggsplit = AGGSPLIT_SIMPLE;
  agg->numCols = n;
  agg->grpColIdx = columns;
  agg->grpOperators = operators;
  agg->grpCollations = collations;
  agg->numGroups = static_cast<decltype(agg->numGroups)>(Min(top->plan_rows, 1e15)); /* a long until 18 */
  return agg;
}

static Agg* as_agg(Plan* top) {
  switch (nodeTag(top)) {
    case T_Agg:
      return castNode(Agg, top);
    case T_Unique: {
      Unique* unique = castNode(Unique, top);
      return grouping(top, unique->numCols, unique->uniqColIdx, unique->uniqOperators,
                      unique->uniqCollations);
    }
    case T_Group: {
      Group* group = castNode(Group, top);
      return grouping(top, group->numCols, group->grpColIdx, group->grpOperators, group->grpCollations);
    }
    default:
      return nullptr;
  }
}

/* Grouping that is not ours, or that wants its input in an order we do not give. */
static bool grouping_is_ours(const Shape* shape) {
  const Agg* agg = shape->agg;
  if (agg->groupingSets != NIL || agg->chain != NIL) return false;
  if (agg->aggsplit != AGGSPLIT_SIMPLE && agg->aggsplit != AGGSPLIT_INITIAL_SERIAL) return false;
  switch (agg->aggstrategy) {
    case AGG_PLAIN:
    case AGG_HASHED:
      return shape->sort == nullptr;
    case AGG_SORTED:
      /*
       * Without a Sort all group keys are constants: there is one group. Unique and Group hand that out as
       * soon as they have met it, which we could not. Sorted partial groups could not be handed out early.
       */
      if (shape->sort == nullptr) return IsA(shape->top, Agg);
      /* Rows taken one by one would raise errors that core has not come to yet. */
      if (shape->mixed) return false;
      return agg->aggsplit == AGGSPLIT_SIMPLE && !shape->parallel;
    default:
      return false;
  }
}

static bool find_scan(Shape* shape, Plan* plan) {
  if (!IsA(plan, SeqScan) || plan->initPlan != NIL) return false;
  shape->scans = lappend(shape->scans, plan);
  shape->parallel |= plan->parallel_aware;
  return true;
}

static bool find_in_append(Shape* shape, Append* append) {
  Plan* plan = &append->plan;
  check_stack_depth();
  shape->parallel |= plan->parallel_aware;
  if (plan->initPlan != NIL || plan->qual != NIL || !passes_columns(plan->targetlist)) return false;
  ListCell* cell;
  foreach (cell, append->appendplans) {
    Plan* child = static_cast<Plan*>(lfirst(cell));
    if (IsA(child, Append)) {
      if (!find_in_append(shape, castNode(Append, child))) return false;
    } else if (!find_scan(shape, is_feed(child) ? outerPlan(child) : child)) {
      shape->mixed = true;
      shape->others += child->total_cost;
      shape->parallel |= child->parallel_aware;
    }
  }
  return true;
}

static bool find(Plan* top, Sort* sort, Plan* child, Shape* shape) {
  memset(shape, 0, sizeof(*shape));
  shape->top = top;
  shape->sort = sort;
  if (child == nullptr) return false;
  if (IsA(child, Append)) shape->append = castNode(Append, child);
  if (shape->append != nullptr ? !find_in_append(shape, shape->append) : !find_scan(shape, child))
    return false;
  if (shape->scans == NIL) return false;
  shape->agg = as_agg(top);
  return grouping_is_ours(shape);
}

bool shape_find(Plan* top, Shape* shape) {
  if (!IsA(top, Agg) && !IsA(top, Unique) && !IsA(top, Group)) return false;
  Plan* child = outerPlan(top);
  if (child == nullptr || !IsA(child, Sort)) return find(top, nullptr, child, shape);
  if (child->initPlan != NIL || !passes_columns(child->targetlist)) return false;
  return find(top, castNode(Sort, child), outerPlan(child), shape);
}

void shape_keep(const Shape* shape, CustomScan* scan) {
  scan->custom_plans = list_make1(shape->top);
  if (shape->sort != nullptr) scan->custom_plans = lappend(scan->custom_plans, shape->sort);
  shape->top->lefttree = nullptr;
  shape->top->initPlan = NIL;
  if (shape->sort != nullptr) outerPlan(shape->sort) = nullptr;
}

void shape_recall(const CustomScan* scan, Shape* shape) {
  Sort* sort = list_length(scan->custom_plans) > 1 ? castNode(Sort, lsecond(scan->custom_plans)) : nullptr;
  if (!find(static_cast<Plan*>(linitial(scan->custom_plans)), sort, outerPlan(scan), shape))
    elog(ERROR, "millrace: plan of another form than the one made");
}

template <class T>
static T* shallow_copy(const T* plan) {
  T* copy = static_cast<T*>(palloc(sizeof(T)));
  memcpy(static_cast<void*>(copy), plan, sizeof(T));
  return copy;
}

static Plan* copy_top(Plan* top) {
  switch (nodeTag(top)) {
    case T_Unique:
      return reinterpret_cast<Plan*>(shallow_copy(castNode(Unique, top)));
    case T_Group:
      return reinterpret_cast<Plan*>(shallow_copy(castNode(Group, top)));
    default:
      return reinterpret_cast<Plan*>(shallow_copy(castNode(Agg, top)));
  }
}

SeqScan* shape_append_rows(const Shape* shape) {
  SeqScan* rows = makeNode(SeqScan);
  rows->scan.scanrelid = static_cast<Index>(OUTER_VAR);
  ListCell* cell;
  foreach (cell, shape->append->plan.targetlist) {
    TargetEntry* entry = flatCopyTargetEntry(castNode(TargetEntry, lfirst(cell)));
    Node* expr = reinterpret_cast<Node*>(entry->expr);
    entry->expr = reinterpret_cast<Expr*>(
        makeVar(OUTER_VAR, entry->resno, exprType(expr), exprTypmod(expr), exprCollation(expr), 0));
    rows->scan.plan.targetlist = lappend(rows->scan.plan.targetlist, entry);
  }
  return rows;
}

/* Appends over the SeqScans that feeds stand for. */
static Plan* without_feeds(Plan* plan) {
  if (is_feed(plan)) return outerPlan(plan);
  if (!IsA(plan, Append)) return plan;
  Append* append = shallow_copy(castNode(Append, plan));
  append->appendplans = list_copy(append->appendplans);
  ListCell* cell;
  foreach (cell, append->appendplans) lfirst(cell) = without_feeds(static_cast<Plan*>(lfirst(cell)));
  return &append->plan;
}

Plan* shape_core_plan(const Shape* shape) {
  Plan* plan = shape->append != nullptr ? without_feeds(&shape->append->plan)
                                        : static_cast<Plan*>(linitial(shape->scans));
  if (shape->sort != nullptr) {
    Sort* sort = shallow_copy(shape->sort);
    outerPlan(sort) = plan;
    /*
     * Leader and workers tell each other what nodes counted, and a number that one of them did not have from the start is an
     * error. Nodes are left to core half-way; but as many rows come out of a Sort as out of its child.
     */
    sort->plan.plan_node_id = plan->plan_node_id;
    plan = reinterpret_cast<Plan*>(sort);
  }
  Plan* top = copy_top(shape->top);
  outerPlan(top) = plan;
  return top;
}

}  // namespace mr

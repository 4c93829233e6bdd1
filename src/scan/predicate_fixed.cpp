/*
 * predicate_fixed.cpp: what conditions compare columns with: expressions that have one value all through a
 * statement, such as now() - interval '7 days'.
 */
#include "scan/predicates.h"

extern "C" {
#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace mr {

static bool is_time_of_transaction(Node* node) {
  if (IsA(node, SQLValueFunction)) return castNode(SQLValueFunction, node)->op <= SVFOP_LOCALTIMESTAMP_N;
  if (!IsA(node, FuncExpr)) return false;
  const Oid function = castNode(FuncExpr, node)->funcid;
  return function == F_NOW || function == F_TRANSACTION_TIMESTAMP;
}

bool is_fixed(Node* node) {
  node = without_relabels(node);
  if (IsA(node, Const) || is_time_of_transaction(node)) return true;
  return IsA(node, Param) && (castNode(Param, node)->paramkind == PARAM_EXTERN ||
                              castNode(Param, node)->paramkind == PARAM_EXEC);
}

/* Stable functions that depend on nothing but their arguments and the session's time zone. */
static bool is_of_zone(Oid function) {
  switch (function) {
    case F_TIMESTAMPTZ_PL_INTERVAL:
    case F_TIMESTAMPTZ_MI_INTERVAL:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
    case F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT:
    case F_TIMESTAMP_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_TIMESTAMP:
    case F_DATE_TIMESTAMPTZ:
    case F_TIMESTAMPTZ_DATE:
      return true;
    default:
      return false;
  }
}

static bool all_fixed(Oid function, List* args) {
  if (function >= FirstNormalObjectId) return false;
  if (!is_of_zone(function) && func_volatile(function) != PROVOLATILE_IMMUTABLE) return false;
  ListCell* cell;
  foreach (cell, args)
    if (!may_be_fixed(static_cast<Node*>(lfirst(cell)))) return false;
  return true;
}

bool may_be_fixed(Node* node) {
  check_stack_depth();
  node = without_relabels(node);
  if (is_fixed(node)) return true;
  if (IsA(node, OpExpr)) {
    OpExpr* op = castNode(OpExpr, node);
    set_opfuncid(op);
    return !op->opretset && all_fixed(op->opfuncid, op->args);
  }
  if (!IsA(node, FuncExpr)) return false;
  FuncExpr* call = castNode(FuncExpr, node);
  return !call->funcretset && !call->funcvariadic && all_fixed(call->funcid, call->args);
}

}  // namespace mr

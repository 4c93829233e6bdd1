/*
 * compute_compile.cpp: from core's expressions to computed steps.
 */
#include "scan/computed.h"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
}

namespace mr {

static Form form_of_type(Oid type, int8* bytes) {
  type = getBaseType(type);
  int16 length;
  bool byval;
  get_typlenbyval(type, &length, &byval);
  *bytes = byval ? static_cast<int8>(length) : static_cast<int8>(sizeof(Datum));
  switch (type) {
    case FLOAT8OID:
      return Form::kFloat8;
    case NUMERICOID:
      return Form::kNumeric;
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
    case TIMEOID:
    case BOOLOID:
      return Form::kInteger;
    default:
      return Form::kDatum;
  }
}

static Computed* add_step(ComputeSet* set, Expr* expr) {
  Computed* c = static_cast<Computed*>(palloc0(sizeof(Computed)));
  c->expr = expr;
  c->form = form_of_type(exprType(reinterpret_cast<Node*>(expr)), &c->bytes);
  if (set->n == set->room) {
    set->room = set->room == 0 ? 8 : set->room * 2;
    Computed** all = static_cast<Computed**>(palloc(sizeof(Computed*) * set->room));
    for (int i = 0; i < set->n; i++) all[i] = set->all[i];
    set->all = all;
  }
  set->all[set->n++] = c;
  if (c->form == Form::kNumeric) set->may_refuse = true;
  return c;
}

static Computed* add_scalar(ComputeSet* set, Expr* expr) {
  Computed* c = add_step(set, expr);
  c->is_scalar = true;
  return c;
}

struct Compiler {
  ComputeSet* set;
  bool* used;
  List** functions;
};

/* Each step has room for a batch; longer expressions are core's. */
constexpr int kMaxSteps = 300;

static Computed* compile_step(Compiler* to, Expr* expr);

/* Compiles args; NULL when one is not known. */
static Computed** compile_args(Compiler* to, List* list) {
  Computed** args = static_cast<Computed**>(palloc0(sizeof(Computed*) * (list_length(list) + 1)));
  int n = 0;
  ListCell* cell;
  foreach (cell, list) {
    Computed* arg = compile_step(to, static_cast<Expr*>(lfirst(cell)));
    if (arg == nullptr) return nullptr;
    arg->is_operand = true;
    args[n++] = arg;
  }
  return args;
}

static const Operation* find_operation(Oid function, const Operation* table) {
  for (; OidIsValid(table->function); table++)
    if (table->function == function) return table;
  return nullptr;
}

static bool constant_text(List* args, int at, Datum* value) {
  Node* node = static_cast<Node*>(list_nth(args, at));
  if (!IsA(node, Const) || castNode(Const, node)->constisnull) return false;
  *value = castNode(Const, node)->constvalue;
  return true;
}

/*
 * Functions that are known by a constant too, a unit or a time zone: takes those from args.
 */
static const Operation* find_named(Oid function, List** args, int* unit, pg_tz** zone) {
  Datum name;
  const Operation* found = find_operation(function, kZoneOperations);
  if (found != nullptr) {
    if (!constant_text(*args, 0, &name) || (*zone = zone_by_name(name)) == nullptr) return nullptr;
    *args = list_copy_tail(*args, 1);
    return found;
  }
  found = find_operation(function, kTimeOperations);
  if (found == nullptr || !constant_text(*args, 0, &name) || !time_unit(function, name, unit)) return nullptr;
  if (list_length(*args) > 2 && (!constant_text(*args, 2, &name) || (*zone = zone_by_name(name)) == nullptr)) return nullptr;
  *args = list_make1(lsecond(*args));
  return found;
}

static Computed* compile_call(Compiler* to, Expr* expr, Oid function, List* args) {
  const Operation* found = find_operation(function, kArithmetic);
  if (found == nullptr) found = find_operation(function, kRounding);
  if (found == nullptr) found = find_operation(function, kDateOperations);
  if (found == nullptr) found = find_operation(function, kTextOperations);
  int unit = 0;
  pg_tz* zone = nullptr;
  if (found == nullptr) found = find_named(function, &args, &unit, &zone);
  if (found == nullptr || list_length(args) != found->n_args) return nullptr;
  Computed** operands = compile_args(to, args);
  if (operands == nullptr) return nullptr;
  Computed* c = add_step(to->set, expr);
  c->form = found->form;
  c->bytes = found->bytes;
  c->run = found->run;
  c->unit = unit;
  c->at_zone = zone;
  c->n_args = list_length(args);
  c->args = operands;
  *to->functions = list_append_unique_oid(*to->functions, function);
  to->set->may_refuse |= found->can_fail;
  return c;
}

static Predicate* compile_condition(Compiler* to, Expr* expr) {
  /* A parameter that is a subplan not run yet: core runs it when a row comes to it. */
  if (is_lazy(reinterpret_cast<Node*>(expr), nullptr)) return nullptr;
  return predicate_compile(reinterpret_cast<Node*>(expr), to->used, to->functions, to->set);
}

static Computed* compile_as_condition(Compiler* to, Expr* expr) {
  Predicate* condition = compile_condition(to, expr);
  if (condition == nullptr) return nullptr;
  Computed* c = add_step(to->set, expr);
  c->run = run_condition;
  c->conditions = static_cast<Predicate**>(palloc(sizeof(Predicate*)));
  c->conditions[c->n_conditions++] = condition;
  return c;
}

/* CASE x WHEN 1: `placeholder = 1`. Other shapes of it are not known here. */
static Expr* with_argument(Expr* condition, Expr* argument) {
  if (argument == nullptr) return condition;
  if (!IsA(condition, OpExpr)) return nullptr;
  OpExpr* op = static_cast<OpExpr*>(copyObjectImpl(condition));
  if (list_length(op->args) != 2) return nullptr;
  ListCell* first = list_head(op->args);
  if (!IsA(without_relabels(static_cast<Node*>(lfirst(first))), CaseTestExpr)) return nullptr;
  lfirst(first) = argument;
  return reinterpret_cast<Expr*>(op);
}

static Computed* compile_case(Compiler* to, CaseExpr* expr) {
  const int n = list_length(expr->args);
  if (n > 250 || expr->defresult == nullptr) return nullptr;
  Predicate** conditions = static_cast<Predicate**>(palloc(sizeof(Predicate*) * n));
  List* results = NIL;
  ListCell* cell;
  int i = 0;
  foreach (cell, expr->args) {
    CaseWhen* when = castNode(CaseWhen, lfirst(cell));
    Expr* condition = with_argument(when->expr, expr->arg);
    if (condition == nullptr) return nullptr;
    conditions[i] = compile_condition(to, condition);
    if (conditions[i++] == nullptr) return nullptr;
    results = lappend(results, when->result);
  }
  results = lappend(results, expr->defresult);
  Computed** args = compile_args(to, results);
  if (args == nullptr) return nullptr;
  Computed* c = add_step(to->set, reinterpret_cast<Expr*>(expr));
  c->run = run_case;
  c->n_args = n + 1;
  c->args = args;
  c->n_conditions = n;
  c->conditions = conditions;
  return c;
}

static Computed* compile_coalesce(Compiler* to, CoalesceExpr* expr) {
  Computed** args = compile_args(to, expr->args);
  if (args == nullptr) return nullptr;
  Computed* c = add_step(to->set, reinterpret_cast<Expr*>(expr));
  c->run = run_coalesce;
  c->n_args = list_length(expr->args);
  c->args = args;
  return c;
}

static Computed* compile_nullif(Compiler* to, NullIfExpr* expr) {
  /* Its node is that of the equality it asks, under another tag. */
  OpExpr* equal = static_cast<OpExpr*>(copyObjectImpl(expr));
  equal->xpr.type = T_OpExpr;
  equal->opresulttype = BOOLOID;
  Predicate* condition = compile_condition(to, reinterpret_cast<Expr*>(equal));
  if (condition == nullptr) return nullptr;
  Computed** args = compile_args(to, list_make1(linitial(expr->args)));
  if (args == nullptr) return nullptr;
  Computed* c = add_step(to->set, reinterpret_cast<Expr*>(expr));
  c->run = run_nullif;
  c->n_args = 1;
  c->args = args;
  c->n_conditions = 1;
  c->conditions = static_cast<Predicate**>(palloc(sizeof(Predicate*)));
  c->conditions[0] = condition;
  return c;
}

static Computed* compile_extreme(Compiler* to, MinMaxExpr* expr) {
  int8 bytes;
  const Form form = form_of_type(expr->minmaxtype, &bytes);
  Computed** args = form != Form::kDatum ? compile_args(to, expr->args) : nullptr;
  if (args == nullptr) return nullptr;
  Computed* c = add_step(to->set, reinterpret_cast<Expr*>(expr));
  c->run = run_extreme;
  c->n_args = list_length(expr->args);
  c->args = args;
  c->greatest = expr->op == IS_GREATEST;
  return c;
}

static Computed* compile_step(Compiler* to, Expr* expr) {
  ComputeSet* set = to->set;
  check_stack_depth();
  if (set->n >= kMaxSteps) return nullptr;
  expr = reinterpret_cast<Expr*>(without_relabels(reinterpret_cast<Node*>(expr)));
  for (int i = 0; i < set->n; i++)
    if (equal(set->all[i]->expr, expr)) return set->all[i];
  switch (nodeTag(expr)) {
    case T_Var: {
      Var* var = reinterpret_cast<Var*>(expr);
      if (var->varattno <= 0 || var->varlevelsup != 0) return nullptr;
      Computed* c = add_step(set, expr);
      c->is_column = true;
      c->attno = var->varattno;
      to->used[c->attno] = true;
      return c;
    }
    case T_Param:
      return reinterpret_cast<Param*>(expr)->paramkind == PARAM_EXTERN ? add_scalar(set, expr) : nullptr;
    case T_Const:
      return add_scalar(set, expr);
    case T_SQLValueFunction:
      return is_fixed(reinterpret_cast<Node*>(expr)) ? add_scalar(set, expr) : nullptr;
    case T_OpExpr: {
      OpExpr* op = reinterpret_cast<OpExpr*>(expr);
      set_opfuncid(op);
      Computed* c = compile_call(to, expr, op->opfuncid, op->args);
      if (c != nullptr || op->opresulttype != BOOLOID) return c;
      return compile_as_condition(to, expr);
    }
    case T_FuncExpr: {
      FuncExpr* call = reinterpret_cast<FuncExpr*>(expr);
      if (is_fixed(reinterpret_cast<Node*>(expr))) return add_scalar(set, expr);
      return compile_call(to, expr, call->funcid, call->args);
    }
    case T_CaseExpr:
      return compile_case(to, reinterpret_cast<CaseExpr*>(expr));
    case T_CoalesceExpr:
      return compile_coalesce(to, reinterpret_cast<CoalesceExpr*>(expr));
    case T_NullIfExpr:
      return compile_nullif(to, reinterpret_cast<NullIfExpr*>(expr));
    case T_MinMaxExpr:
      return compile_extreme(to, reinterpret_cast<MinMaxExpr*>(expr));
    case T_BoolExpr:
    case T_NullTest:
    case T_BooleanTest:
    case T_ScalarArrayOpExpr:
    case T_DistinctExpr:
      return compile_as_condition(to, expr);
    default:
      return nullptr;
  }
}

Computed* compute_compile(ComputeSet* set, Expr* expr, Wanted wanted, bool* used, List** functions) {
  Expr* bare = reinterpret_cast<Expr*>(without_relabels(reinterpret_cast<Node*>(expr)));
  if (IsA(bare, Var) && wanted == Wanted::kDatum) return nullptr;
  const int n = set->n;
  const bool may_refuse = set->may_refuse;
  Compiler to = {set, used, functions};
  Computed* c = compile_step(&to, bare);
  /* Steps of an expression that was given up stay out: they could refuse a batch for nothing. */
  if (c == nullptr) {
    set->n = n;
    set->may_refuse = may_refuse;
  }
  return c;
}

}  // namespace mr

/*
 * predicate_compile.cpp: from core's expressions to predicates: comparisons of columns and computed expressions
 * with constants, parameters and each other, IS NULL, IS DISTINCT FROM, IN, LIKE, booleans, IS TRUE and
 * its kin, and AND, OR and NOT of these.
 */
#include "scan/predicates.h"

extern "C" {
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
}

#include "pg/compat_scan.h"

namespace mr {

struct Comparison {
  Oid function;
  Domain domain;
  MrCompare op;
};

#define MR_SIX(prefix, domain)                                                                     \
  {F_##prefix##EQ, domain, kMrEq}, {F_##prefix##NE, domain, kMrNe}, {F_##prefix##LT, domain, kMrLt}, \
      {F_##prefix##LE, domain, kMrLe}, {F_##prefix##GT, domain, kMrGt}, {F_##prefix##GE, domain, kMrGe}

#define MR_SIX_INFIX(left, right, domain)                                                       \
  {F_##left##_EQ_##right, domain, kMrEq}, {F_##left##_NE_##right, domain, kMrNe},               \
      {F_##left##_LT_##right, domain, kMrLt}, {F_##left##_LE_##right, domain, kMrLe},           \
      {F_##left##_GT_##right, domain, kMrGt}, {F_##left##_GE_##right, domain, kMrGe}

static const Comparison kComparisons[] = {
    MR_SIX(INT2, Domain::kInteger),
    MR_SIX(INT4, Domain::kInteger),
    MR_SIX(INT8, Domain::kInteger),
    MR_SIX(INT24, Domain::kInteger),
    MR_SIX(INT42, Domain::kInteger),
    MR_SIX(INT28, Domain::kInteger),
    MR_SIX(INT82, Domain::kInteger),
    MR_SIX(INT48, Domain::kInteger),
    MR_SIX(INT84, Domain::kInteger),
    {F_OIDEQ, Domain::kInteger, kMrEq},
    {F_OIDNE, Domain::kInteger, kMrNe},
    {F_ENUM_EQ, Domain::kInteger, kMrEq},
    {F_ENUM_NE, Domain::kInteger, kMrNe},
    {F_CHAREQ, Domain::kInteger, kMrEq},
    {F_CHARNE, Domain::kInteger, kMrNe},
    MR_SIX(BOOL, Domain::kInteger),
    MR_SIX(DATE_, Domain::kInteger),
    MR_SIX(TIMESTAMP_, Domain::kInteger),
    MR_SIX(TIMESTAMPTZ_, Domain::kInteger),
    MR_SIX(TIME_, Domain::kInteger),
    MR_SIX(CASH_, Domain::kInteger),
    MR_SIX_INFIX(DATE, TIMESTAMP, Domain::kDateTimestamp),
    MR_SIX_INFIX(TIMESTAMP, DATE, Domain::kTimestampDate),
    MR_SIX_INFIX(DATE, TIMESTAMPTZ, Domain::kDateZoned),
    MR_SIX_INFIX(TIMESTAMP, TIMESTAMPTZ, Domain::kTimestampZoned),
    MR_SIX_INFIX(TIMESTAMPTZ, DATE, Domain::kZonedDate),
    MR_SIX_INFIX(TIMESTAMPTZ, TIMESTAMP, Domain::kZonedTimestamp),
    MR_SIX(FLOAT4, Domain::kFloat),
    MR_SIX(FLOAT8, Domain::kFloat),
    MR_SIX(FLOAT48, Domain::kFloat),
    MR_SIX(FLOAT84, Domain::kFloat),
    MR_SIX(NUMERIC_, Domain::kNumeric),
    {F_TEXTEQ, Domain::kBytes, kMrEq},
    {F_TEXTNE, Domain::kBytes, kMrNe},
    {F_TEXT_LT, Domain::kBytes, kMrLt},
    {F_TEXT_LE, Domain::kBytes, kMrLe},
    {F_TEXT_GT, Domain::kBytes, kMrGt},
    {F_TEXT_GE, Domain::kBytes, kMrGe},
    MR_SIX(BYTEA, Domain::kBytes),
    MR_SIX(BPCHAR, Domain::kBpchar),
    MR_SIX(UUID_, Domain::kUuid)};

static const Comparison* find_comparison(Oid function) {
  for (const Comparison& c : kComparisons)
    if (c.function == function) return &c;
  return nullptr;
}

static MrCompare commuted(MrCompare op) {
  switch (op) {
    case kMrLt:
      return kMrGt;
    case kMrLe:
      return kMrGe;
    case kMrGt:
      return kMrLt;
    case kMrGe:
      return kMrLe;
    default:
      return op;
  }
}

static Domain commuted(Domain domain) {
  switch (domain) {
    case Domain::kDateTimestamp:
      return Domain::kTimestampDate;
    case Domain::kTimestampDate:
      return Domain::kDateTimestamp;
    case Domain::kDateZoned:
      return Domain::kZonedDate;
    case Domain::kZonedDate:
      return Domain::kDateZoned;
    case Domain::kTimestampZoned:
      return Domain::kZonedTimestamp;
    case Domain::kZonedTimestamp:
      return Domain::kTimestampZoned;
    default:
      return domain;
  }
}

struct Compiler {
  bool* used;
  List** functions;
  ComputeSet* compute;
  Node* qual; /* one of a plan's quals as a whole; NULL: a condition elsewhere */
};

bool is_lazy(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Param)) return castNode(Param, node)->paramkind == PARAM_EXEC;
  return expression_tree_walker(node, MR_WALKER(is_lazy), context);
}

static bool compile_operand(Compiler* to, Node* node, Operand* o) {
  node = without_relabels(node);
  o->type = getBaseType(exprType(node));
  if (IsA(node, Var)) {
    Var* var = castNode(Var, node);
    if (var->varattno <= 0 || var->varlevelsup != 0) return false;
    o->attno = var->varattno;
    to->used[o->attno] = true;
    return true;
  }
  if (to->compute == nullptr) return false;
  o->computed = compute_compile(to->compute, reinterpret_cast<Expr*>(node), Wanted::kScaled, to->used, to->functions);
  return o->computed != nullptr;
}

static Predicate* make(Kind kind) {
  Predicate* p = static_cast<Predicate*>(palloc0(sizeof(Predicate)));
  p->kind = kind;
  return p;
}

static void note_function(Compiler* to, Oid function) {
  *to->functions = list_append_unique_oid(*to->functions, function);
}

/* Can values be told apart, or ordered, by their bytes? */
static bool by_bytes(const Comparison* c, Oid collation) {
  if (c->domain != Domain::kBytes && c->domain != Domain::kBpchar) return true;
  switch (c->function) {
    case F_BYTEAEQ:
    case F_BYTEANE:
    case F_BYTEALT:
    case F_BYTEALE:
    case F_BYTEAGT:
    case F_BYTEAGE:
      return true;
    default:
      break;
  }
  if (!OidIsValid(collation)) return false;
  if (c->op == kMrEq || c->op == kMrNe) return get_collation_isdeterministic(collation);
  return mr_collate_is_c(collation);
}

/*
 * A column against an expression that could fail. As a qual it is asked of the first row that comes to it, and nothing else has failed
 * before: any error is core's. Elsewhere others could come first.
 */
static bool asked_once(const Compiler* to, const OpExpr* op, Node* column, Node* other) {
  return reinterpret_cast<const Node*>(op) == to->qual && IsA(without_relabels(column), Var) && may_be_fixed(other);
}

static Predicate* compile_comparison(Compiler* to, OpExpr* op, bool distinct) {
  set_opfuncid(op);
  const Comparison* c = find_comparison(op->opfuncid);
  if (c == nullptr || list_length(op->args) != 2 || !by_bytes(c, op->inputcollid)) return nullptr;
  Node* left = static_cast<Node*>(linitial(op->args));
  Node* right = static_cast<Node*>(lsecond(op->args));
  Predicate* p = make(Kind::kCompareVectors);
  p->domain = c->domain;
  p->op = distinct ? kMrNe : c->op; /* IS DISTINCT FROM knows the equality */
  if (distinct && c->op != kMrEq) return nullptr;
  p->distinct = distinct;
  if ((is_fixed(left) && !is_fixed(right)) || asked_once(to, op, right, left)) {
    Node* swap = left;
    left = right;
    right = swap;
    p->op = commuted(p->op);
    p->domain = commuted(p->domain);
  }
  if (!compile_operand(to, left, &p->left)) return nullptr;
  if (is_fixed(right) || asked_once(to, op, left, right)) {
    /* An expression could fail before or after a subplan is run for the parameter. */
    if (p->left.attno == 0 && is_lazy(right, nullptr)) return nullptr;
    p->kind = Kind::kCompare;
    p->expr = reinterpret_cast<Expr*>(right);
  } else if (!compile_operand(to, right, &p->right)) {
    return nullptr;
  }
  note_function(to, op->opfuncid);
  return p;
}

/* IN: = ANY of an array; NOT IN: <> ALL. */
static Predicate* compile_in(Compiler* to, ScalarArrayOpExpr* op) {
  set_sa_opfuncid(op);
  const Comparison* c = find_comparison(op->opfuncid);
  if (c == nullptr || c->op != (op->useOr ? kMrEq : kMrNe) || !by_bytes(c, op->inputcollid)) return nullptr;
  if (c->domain == Domain::kDateTimestamp || c->domain == Domain::kTimestampDate || is_zoned(c->domain)) return nullptr;
  Node* list = static_cast<Node*>(lsecond(op->args));
  if (!is_fixed(list)) return nullptr;
  Predicate* p = make(Kind::kIn);
  p->domain = c->domain;
  p->negated = !op->useOr;
  if (!compile_operand(to, static_cast<Node*>(linitial(op->args)), &p->left)) return nullptr;
  if (p->left.attno == 0 && is_lazy(list, nullptr)) return nullptr;
  p->expr = reinterpret_cast<Expr*>(list);
  p->list = in_list_make();
  note_function(to, op->opfuncid);
  if (OidIsValid(op->hashfuncid)) note_function(to, op->hashfuncid);
#if PG_VERSION_NUM >= 150000
  if (OidIsValid(op->negfuncid)) note_function(to, op->negfuncid);
#endif
  return p;
}

static Predicate* compile_like(Compiler* to, Oid function, List* args, Oid collation) {
  bool negated = false;
  bool prefix_only = false;
  switch (function) {
    case F_TEXTLIKE:
    case F_LIKE_TEXT_TEXT:
    case F_BPCHARLIKE:
      break;
    case F_TEXTNLIKE:
    case F_NOTLIKE_TEXT_TEXT:
    case F_BPCHARNLIKE:
      negated = true;
      break;
    case F_STARTS_WITH:
      prefix_only = true;
      break;
    default:
      return nullptr;
  }
  Node* pattern = without_relabels(static_cast<Node*>(lsecond(args)));
  if (!IsA(pattern, Const) || castNode(Const, pattern)->constisnull) return nullptr;
  /* LIKE does not mind a missing collation, but starts_with() does. */
  if (OidIsValid(collation) ? !get_collation_isdeterministic(collation) : prefix_only) return nullptr;
  Predicate* p = make(Kind::kLike);
  p->domain = Domain::kBytes;
  p->negated = negated;
  p->pattern = like_compile(castNode(Const, pattern)->constvalue, prefix_only, textlike, collation);
  if (p->pattern == nullptr || !compile_operand(to, static_cast<Node*>(linitial(args)), &p->left)) return nullptr;
  note_function(to, function);
  return p;
}

static Predicate* compile_node(Compiler* to, Node* node);

/* Not with lazy parameters: a row may need one before an earlier row's other errors were raised. */
static Predicate* compile_bool(Compiler* to, BoolExpr* expr) {
  if (is_lazy(reinterpret_cast<Node*>(expr), nullptr)) return nullptr;
  Predicate* p = make(expr->boolop == AND_EXPR ? Kind::kAnd : expr->boolop == OR_EXPR ? Kind::kOr : Kind::kNot);
  p->children = static_cast<Predicate**>(palloc(sizeof(Predicate*) * list_length(expr->args)));
  ListCell* cell;
  foreach (cell, expr->args) {
    Predicate* child = compile_node(to, static_cast<Node*>(lfirst(cell)));
    if (child == nullptr) return nullptr;
    p->children[p->n_children++] = child;
  }
  return p;
}

static Predicate* with_child(Kind kind, Predicate* child) {
  if (child == nullptr) return nullptr;
  Predicate* p = make(kind);
  p->children = static_cast<Predicate**>(palloc(sizeof(Predicate*)));
  p->children[p->n_children++] = child;
  return p;
}

static Predicate* compile_null_test(Compiler* to, NullTest* test) {
  if (test->argisrow) return nullptr;
  Predicate* p = make(Kind::kIsNull);
  if (!compile_operand(to, reinterpret_cast<Node*>(test->arg), &p->left)) return nullptr;
  return test->nulltesttype == IS_NULL ? p : with_child(Kind::kNot, p);
}

static Predicate* compile_node(Compiler* to, Node* node) {
  check_stack_depth();
  node = without_relabels(node);
  switch (nodeTag(node)) {
    case T_OpExpr: {
      OpExpr* op = castNode(OpExpr, node);
      Predicate* p = compile_comparison(to, op, false);
      if (p != nullptr || list_length(op->args) != 2) return p;
      return compile_like(to, op->opfuncid, op->args, op->inputcollid);
    }
    case T_FuncExpr: {
      FuncExpr* call = castNode(FuncExpr, node);
      if (list_length(call->args) != 2) return nullptr;
      return compile_like(to, call->funcid, call->args, call->inputcollid);
    }
    case T_DistinctExpr:
      return compile_comparison(to, reinterpret_cast<OpExpr*>(node), true);
    case T_ScalarArrayOpExpr:
      return compile_in(to, castNode(ScalarArrayOpExpr, node));
    case T_BoolExpr:
      return compile_bool(to, castNode(BoolExpr, node));
    case T_NullTest:
      return compile_null_test(to, castNode(NullTest, node));
    case T_BooleanTest: {
      BooleanTest* test = castNode(BooleanTest, node);
      if (is_lazy(node, nullptr)) return nullptr;
      Predicate* p = with_child(Kind::kTest, compile_node(to, reinterpret_cast<Node*>(test->arg)));
      if (p != nullptr) p->test = test->booltesttype;
      return p;
    }
    case T_Var:
    case T_CaseExpr:
    case T_CoalesceExpr:
    case T_NullIfExpr: {
      if (getBaseType(exprType(node)) != BOOLOID) return nullptr;
      Predicate* p = make(Kind::kBoolean);
      return compile_operand(to, node, &p->left) ? p : nullptr;
    }
    default:
      return nullptr;
  }
}

static Predicate* compile_condition(Node* node, bool is_qual, bool* used, List** functions, ComputeSet* compute) {
  ComputeSet before = {};
  if (compute != nullptr) before = *compute;
  Compiler to = {used, functions, compute, is_qual ? node : nullptr};
  Predicate* p = compile_node(&to, node);
  /* Steps for a condition that was given up stay out. */
  if (p == nullptr && compute != nullptr) {
    compute->n = before.n;
    compute->may_refuse = before.may_refuse;
  }
  return p;
}

Predicate* predicate_compile(Node* node, bool* used, List** functions, ComputeSet* compute) {
  return compile_condition(node, false, used, functions, compute);
}

void predicates_split(List* quals, bool* used, Predicate** predicates, int* n_predicates, List** residual,
                      List** functions, ComputeSet* compute) {
  *n_predicates = 0;
  *residual = NIL;
  ListCell* cell;
  foreach (cell, quals) {
    Node* qual = static_cast<Node*>(lfirst(cell));
    Predicate* predicate = *residual == NIL ? compile_condition(qual, true, used, functions, compute) : nullptr;
    if (predicate != nullptr)
      predicates[(*n_predicates)++] = predicate;
    else
      *residual = lappend(*residual, qual);
  }
}

}  // namespace mr

/*
 * compute.cpp: arithmetic down the columns of a batch.
 *
 * Integers are int64 whatever their type; numerics are int64 at the one scale all
 * values of a batch have (columns with a declared scale do). Scales follow
 * numeric.c: the greater one for + and -, the sum for *.
 */
#include "scan/compute.h"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

#include "scan/numeric_state.h"

namespace mr {

enum class Form : uint8 { kInteger, kFloat8, kNumeric };
enum class Step : uint8 { kColumn, kScalar, kPlus, kMinus, kTimes, kNegate, kSame };

struct Computed {
  Form form;
  Step step;
  int8 bytes; /* kInteger: width of the type, for its overflow */
  Expr* expr;
  AttrNumber attno;
  Vector* column;
  ExprState* state; /* kScalar */
  bool known;
  bool failed; /* numeric column or scalar that does not fit in this batch */
  int scale;   /* kNumeric: of this batch */
  Computed* left;
  Computed* right;
  Vector out;
};

struct Operation {
  Oid function;
  Step step;
  Form form;
  int8 bytes;
};

static const Operation kOperations[] = {
    {F_INT2PL, Step::kPlus, Form::kInteger, 2},      {F_INT2MI, Step::kMinus, Form::kInteger, 2},
    {F_INT2MUL, Step::kTimes, Form::kInteger, 2},    {F_INT4PL, Step::kPlus, Form::kInteger, 4},
    {F_INT4MI, Step::kMinus, Form::kInteger, 4},     {F_INT4MUL, Step::kTimes, Form::kInteger, 4},
    {F_INT24PL, Step::kPlus, Form::kInteger, 4},     {F_INT24MI, Step::kMinus, Form::kInteger, 4},
    {F_INT24MUL, Step::kTimes, Form::kInteger, 4},   {F_INT42PL, Step::kPlus, Form::kInteger, 4},
    {F_INT42MI, Step::kMinus, Form::kInteger, 4},    {F_INT42MUL, Step::kTimes, Form::kInteger, 4},
    {F_INT8PL, Step::kPlus, Form::kInteger, 8},      {F_INT8MI, Step::kMinus, Form::kInteger, 8},
    {F_INT8MUL, Step::kTimes, Form::kInteger, 8},    {F_INT48PL, Step::kPlus, Form::kInteger, 8},
    {F_INT48MI, Step::kMinus, Form::kInteger, 8},    {F_INT48MUL, Step::kTimes, Form::kInteger, 8},
    {F_INT84PL, Step::kPlus, Form::kInteger, 8},     {F_INT84MI, Step::kMinus, Form::kInteger, 8},
    {F_INT84MUL, Step::kTimes, Form::kInteger, 8},   {F_INT4UM, Step::kNegate, Form::kInteger, 4},
    {F_INT8UM, Step::kNegate, Form::kInteger, 8},    {F_INT4_INT2, Step::kSame, Form::kInteger, 4},
    {F_INT8_INT2, Step::kSame, Form::kInteger, 8},   {F_INT8_INT4, Step::kSame, Form::kInteger, 8},
    {F_FLOAT8PL, Step::kPlus, Form::kFloat8, 8},     {F_FLOAT8MI, Step::kMinus, Form::kFloat8, 8},
    {F_FLOAT8MUL, Step::kTimes, Form::kFloat8, 8},   {F_NUMERIC_ADD, Step::kPlus, Form::kNumeric, 8},
    {F_NUMERIC_SUB, Step::kMinus, Form::kNumeric, 8}, {F_NUMERIC_MUL, Step::kTimes, Form::kNumeric, 8},
    {F_NUMERIC_INT2, Step::kSame, Form::kNumeric, 8}, {F_NUMERIC_INT4, Step::kSame, Form::kNumeric, 8},
    {F_NUMERIC_INT8, Step::kSame, Form::kNumeric, 8}};

static bool form_of_type(Oid type, Form* form) {
  switch (type) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
      *form = Form::kInteger;
      return true;
    case FLOAT8OID:
      *form = Form::kFloat8;
      return true;
    case NUMERICOID:
      *form = Form::kNumeric;
      return true;
    default:
      return false;
  }
}

static Computed* add_step(ComputeSet* set, Expr* expr, Step step, Form form) {
  Computed* c = static_cast<Computed*>(palloc0(sizeof(Computed)));
  c->expr = expr;
  c->step = step;
  c->form = form;
  c->scale = -1;
  if (set->n == set->room) {
    set->room = set->room == 0 ? 8 : set->room * 2;
    Computed** all = static_cast<Computed**>(palloc(sizeof(Computed*) * set->room));
    for (int i = 0; i < set->n; i++) all[i] = set->all[i];
    set->all = all;
  }
  set->all[set->n++] = c;
  return c;
}

static Computed* compile_step(ComputeSet* set, Expr* expr, bool* used, List** functions);

static Computed* compile_call(ComputeSet* set, Expr* expr, Oid function, List* args, bool* used, List** functions) {
  const Operation* found = nullptr;
  for (const Operation& operation : kOperations)
    if (operation.function == function) found = &operation;
  if (found == nullptr) return nullptr;
  const int n_args = found->step == Step::kNegate || found->step == Step::kSame ? 1 : 2;
  if (list_length(args) != n_args) return nullptr;
  Computed* left = compile_step(set, static_cast<Expr*>(linitial(args)), used, functions);
  if (left == nullptr) return nullptr;
  Computed* right = nullptr;
  if (n_args == 2) {
    right = compile_step(set, static_cast<Expr*>(lsecond(args)), used, functions);
    if (right == nullptr) return nullptr;
  }
  Computed* c = add_step(set, expr, found->step, found->form);
  c->bytes = found->bytes;
  c->left = left;
  c->right = right;
  *functions = list_append_unique_oid(*functions, function);
  set->may_refuse = true;
  return c;
}

static Computed* compile_step(ComputeSet* set, Expr* expr, bool* used, List** functions) {
  for (int i = 0; i < set->n; i++)
    if (equal(set->all[i]->expr, expr)) return set->all[i];
  Form form;
  if (!form_of_type(exprType(reinterpret_cast<Node*>(expr)), &form)) return nullptr;
  switch (nodeTag(expr)) {
    case T_Var: {
      Computed* c = add_step(set, expr, Step::kColumn, form);
      c->attno = reinterpret_cast<Var*>(expr)->varattno;
      used[c->attno] = true;
      return c;
    }
    case T_Param:
      if (reinterpret_cast<Param*>(expr)->paramkind != PARAM_EXTERN) return nullptr;
      [[fallthrough]];
    case T_Const:
      set->may_refuse = true;
      return add_step(set, expr, Step::kScalar, form);
    case T_OpExpr: {
      OpExpr* op = reinterpret_cast<OpExpr*>(expr);
      set_opfuncid(op);
      return compile_call(set, expr, op->opfuncid, op->args, used, functions);
    }
    case T_FuncExpr: {
      FuncExpr* call = reinterpret_cast<FuncExpr*>(expr);
      return compile_call(set, expr, call->funcid, call->args, used, functions);
    }
    default:
      return nullptr;
  }
}

Computed* compute_compile(ComputeSet* set, Expr* expr, bool takes_scaled, bool* used, List** functions) {
  if (exprType(reinterpret_cast<Node*>(expr)) == NUMERICOID && !takes_scaled) return nullptr;
  if (IsA(expr, Var) && !takes_scaled) return nullptr;
  ComputeSet before = *set;
  Computed* c = compile_step(set, expr, used, functions);
  /* Steps of an expression that was given up stay out: they could refuse a batch for nothing. */
  if (c == nullptr) {
    set->n = before.n;
    set->may_refuse = before.may_refuse;
  }
  return c;
}

void compute_bind(ComputeSet* set, Vector* const* columns, PlanState* parent) {
  for (int i = 0; i < set->n; i++) {
    Computed* c = set->all[i];
    if (c->step == Step::kColumn) c->column = columns[c->attno];
    if (c->step == Step::kScalar) c->state = ExecInitExpr(c->expr, parent);
    c->out.values = static_cast<Datum*>(palloc0(sizeof(Datum) * kBatchRows));
    c->out.nulls = static_cast<uint8*>(palloc0(kBatchRows));
  }
}

void compute_reset(ComputeSet* set) {
  for (int i = 0; i < set->n; i++) set->all[i]->known = false;
}

/* A constant or parameter, spread over the batch once. */
static bool run_scalar(Computed* c, ExprContext* econtext) {
  if (c->known) return !c->failed;
  bool isnull;
  MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_query_memory);
  Datum value = ExecEvalExpr(c->state, econtext, &isnull);
  MemoryContextSwitchTo(old);
  int64 v = 0;
  c->failed = false;
  if (!isnull) {
    switch (c->form) {
      case Form::kNumeric:
        c->failed = !numeric_to_scaled(value, &v, &c->scale);
        break;
      default:
        v = static_cast<int64>(canonical(value, get_typlen(exprType(reinterpret_cast<Node*>(c->expr)))));
    }
  } else if (c->form == Form::kNumeric) {
    c->scale = 0;
  }
  for (int i = 0; i < kBatchRows; i++) c->out.values[i] = static_cast<Datum>(v);
  c->out.has_nulls = isnull;
  memset(c->out.nulls, isnull, kBatchRows);
  c->known = true;
  return !c->failed;
}

static void run_column(Computed* c, int n) {
  if (c->form != Form::kNumeric) return;
  c->out.has_nulls = c->column->has_nulls;
  c->failed = !numeric_column(c->column, n, reinterpret_cast<int64*>(c->out.values), &c->scale);
  if (c->out.has_nulls) memcpy(c->out.nulls, c->column->nulls, n);
}

static const Vector* vector_of(const Computed* c) {
  return c->step == Step::kColumn && c->form != Form::kNumeric ? c->column : &c->out;
}

static void merge_nulls(Computed* c, const Vector* a, const Vector* b, int n) {
  c->out.has_nulls = a->has_nulls || b->has_nulls;
  if (!c->out.has_nulls) return;
  for (int i = 0; i < n; i++) c->out.nulls[i] = (a->has_nulls && a->nulls[i]) || (b->has_nulls && b->nulls[i]);
}

/* What null rows hold may overflow: it does not count. */
static bool is_null(const Computed* c, int i) { return c->out.has_nulls && c->out.nulls[i]; }

static bool raise(int64* values, int n, int by) {
  bool overflow = false;
  for (int i = 0; i < n; i++) overflow |= __builtin_mul_overflow(values[i], kPowersOf10[by], &values[i]);
  return !overflow;
}

static bool integer_op(Computed* c, const int64* a, const int64* b, int n) {
  int64* out = reinterpret_cast<int64*>(c->out.values);
  bool overflow = false;
  switch (c->step) {
    case Step::kPlus:
      for (int i = 0; i < n; i++) overflow |= __builtin_add_overflow(a[i], b[i], &out[i]);
      break;
    case Step::kMinus:
      for (int i = 0; i < n; i++) overflow |= __builtin_sub_overflow(a[i], b[i], &out[i]);
      break;
    default:
      for (int i = 0; i < n; i++) overflow |= __builtin_mul_overflow(a[i], b[i], &out[i]);
  }
  if (c->form == Form::kInteger && c->bytes < 8) {
    const int64 most = c->bytes == 2 ? PG_INT16_MAX : PG_INT32_MAX;
    for (int i = 0; i < n; i++) overflow |= out[i] > most || out[i] < -most - 1;
  }
  return !overflow;
}

/* float8_pl() and its kin raise errors where these refuse. */
static bool float_op(Computed* c, const Datum* a, const Datum* b, int n) {
  bool refused = false;
  for (int i = 0; i < n; i++) {
    const float8 x = DatumGetFloat8(a[i]);
    const float8 y = DatumGetFloat8(b[i]);
    const float8 r = c->step == Step::kPlus ? x + y : c->step == Step::kMinus ? x - y : x * y;
    if (unlikely(isinf(r) && !isinf(x) && !isinf(y)) && !is_null(c, i)) refused = true;
    if (c->step == Step::kTimes && unlikely(r == 0.0) && x != 0.0 && y != 0.0 && !is_null(c, i)) refused = true;
    c->out.values[i] = Float8GetDatum(r);
  }
  return !refused;
}

static bool numeric_op(Computed* c, int n) {
  const int64* a = reinterpret_cast<const int64*>(vector_of(c->left)->values);
  const int64* b = reinterpret_cast<const int64*>(vector_of(c->right)->values);
  if (c->step == Step::kTimes) {
    c->scale = c->left->scale + c->right->scale;
    return c->scale <= 18 && integer_op(c, a, b, n);
  }
  c->scale = Max(c->left->scale, c->right->scale);
  int64 raised[kBatchRows];
  const int by = c->left->scale - c->right->scale;
  if (by != 0) {
    memcpy(raised, by > 0 ? b : a, sizeof(int64) * n);
    if (!raise(raised, n, by > 0 ? by : -by)) return false;
    (by > 0 ? b : a) = raised;
  }
  return integer_op(c, a, b, n);
}

static bool run_step(Computed* c, ExprContext* econtext, int n) {
  if (c->step == Step::kScalar) return run_scalar(c, econtext);
  if (c->step == Step::kColumn) {
    run_column(c, n);
    return true; /* failure matters to those that use it only */
  }
  if (c->left->failed || (c->right != nullptr && c->right->failed)) return false;
  const Vector* left = vector_of(c->left);
  if (c->step == Step::kSame || c->step == Step::kNegate) {
    merge_nulls(c, left, left, n);
    c->scale = c->form == Form::kNumeric ? 0 : -1;
    if (c->step == Step::kSame) {
      memcpy(c->out.values, left->values, sizeof(Datum) * n);
      return true;
    }
    int64 zeros[kBatchRows] = {};
    const int64* values = reinterpret_cast<const int64*>(left->values);
    Computed minus = *c;
    minus.step = Step::kMinus;
    return integer_op(&minus, zeros, values, n);
  }
  merge_nulls(c, left, vector_of(c->right), n);
  switch (c->form) {
    case Form::kInteger:
      return integer_op(c, reinterpret_cast<const int64*>(left->values),
                        reinterpret_cast<const int64*>(vector_of(c->right)->values), n);
    case Form::kFloat8:
      return float_op(c, left->values, vector_of(c->right)->values, n);
    default:
      return numeric_op(c, n);
  }
}

bool compute_run(ComputeSet* set, ExprContext* econtext, int n) {
  for (int i = 0; i < set->n; i++)
    if (!run_step(set->all[i], econtext, n)) return false;
  return true;
}

const Vector* computed_vector(const Computed* c, int* scale) {
  if (c->step == Step::kColumn && c->failed) return nullptr;
  *scale = c->form == Form::kNumeric ? c->scale : -1;
  return vector_of(c);
}

}  // namespace mr

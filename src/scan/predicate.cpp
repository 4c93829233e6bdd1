/*
 * predicate.cpp: comparisons of a column with a constant or parameter, IS NULL,
 * IN lists of integers, boolean columns, and AND, OR and NOT of these.
 *
 * No function here can raise an error or see a difference by the order of rows,
 * so evaluating down a column instead of row by row cannot be noticed.
 */
#include "scan/predicate.h"

extern "C" {
#include "access/toast_internals.h"
#include "access/detoast.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
}

#include "kernels/filter.h"
#include "pg/compat_scan.h"
#include "scan/numeric_state.h"

namespace mr {

enum class Domain : uint8 { kInteger, kDateTimestamp, kFloat4, kFloat8, kNumeric, kText, kBpchar };
enum class Kind : uint8 { kCompare, kIn, kIsNull, kBoolean, kAnd, kOr, kNot };

struct Predicate {
  Kind kind;
  Domain domain;
  MrCompare op;
  AttrNumber attno;
  Vector* column;
  /* kCompare: the other side */
  Expr* expr;
  ExprState* state;
  bool known; /* value and isnull are up to date */
  bool isnull;
  Datum value;
  struct varlena* copy; /* what value points to: a rescan may bring another one */
  bool scaled; /* kNumeric: value is scaled * 10^-scale */
  int64 scaled_value;
  int scale;
  /* kIn */
  int n_values;
  int64* values;
  bool null_value;
  int n_children;
  Predicate** children;
};

struct Comparison {
  Oid function;
  Domain domain;
  MrCompare op;
};

#define MR_SIX(prefix, domain)                                                                                \
  {F_##prefix##EQ, domain, kMrEq}, {F_##prefix##NE, domain, kMrNe}, {F_##prefix##LT, domain, kMrLt},            \
      {F_##prefix##LE, domain, kMrLe}, {F_##prefix##GT, domain, kMrGt}, { F_##prefix##GE, domain, kMrGe }

static const Comparison kComparisons[] = {
    MR_SIX(INT2, Domain::kInteger),       MR_SIX(INT4, Domain::kInteger),        MR_SIX(INT8, Domain::kInteger),
    MR_SIX(INT24, Domain::kInteger),      MR_SIX(INT42, Domain::kInteger),       MR_SIX(INT28, Domain::kInteger),
    MR_SIX(INT82, Domain::kInteger),      MR_SIX(INT48, Domain::kInteger),       MR_SIX(INT84, Domain::kInteger),
    {F_OIDEQ, Domain::kInteger, kMrEq},   {F_OIDNE, Domain::kInteger, kMrNe},    MR_SIX(DATE_, Domain::kInteger),       MR_SIX(TIMESTAMP_, Domain::kInteger),
    MR_SIX(TIMESTAMPTZ_, Domain::kInteger), MR_SIX(TIME_, Domain::kInteger),     MR_SIX(CASH_, Domain::kInteger),
    {F_DATE_EQ_TIMESTAMP, Domain::kDateTimestamp, kMrEq}, {F_DATE_NE_TIMESTAMP, Domain::kDateTimestamp, kMrNe},
    {F_DATE_LT_TIMESTAMP, Domain::kDateTimestamp, kMrLt}, {F_DATE_LE_TIMESTAMP, Domain::kDateTimestamp, kMrLe},
    {F_DATE_GT_TIMESTAMP, Domain::kDateTimestamp, kMrGt}, {F_DATE_GE_TIMESTAMP, Domain::kDateTimestamp, kMrGe},
    MR_SIX(FLOAT4, Domain::kFloat4),      MR_SIX(FLOAT8, Domain::kFloat8),       MR_SIX(NUMERIC_, Domain::kNumeric),
    {F_BOOLEQ, Domain::kInteger, kMrEq},  {F_BOOLNE, Domain::kInteger, kMrNe},   {F_CHAREQ, Domain::kInteger, kMrEq},
    {F_CHARNE, Domain::kInteger, kMrNe},  {F_TEXTEQ, Domain::kText, kMrEq},      {F_TEXTNE, Domain::kText, kMrNe},
    {F_BPCHAREQ, Domain::kBpchar, kMrEq}, {F_BPCHARNE, Domain::kBpchar, kMrNe}};

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

static Node* strip_relabel(Node* node) {
  while (IsA(node, RelabelType)) node = reinterpret_cast<Node*>(castNode(RelabelType, node)->arg);
  return node;
}

static Var* as_column(Node* node) {
  node = strip_relabel(node);
  if (!IsA(node, Var)) return nullptr;
  Var* var = castNode(Var, node);
  return var->varattno > 0 && var->varlevelsup == 0 ? var : nullptr;
}

bool is_lazy(Node* node, void* context) {
  if (node == nullptr) return false;
  if (IsA(node, Param)) return castNode(Param, node)->paramkind == PARAM_EXEC;
  return expression_tree_walker(node, MR_WALKER(is_lazy), context);
}

static bool is_scalar(Node* node) {
  node = strip_relabel(node);
  if (IsA(node, Const)) return true;
  return IsA(node, Param) && (castNode(Param, node)->paramkind == PARAM_EXTERN ||
                              castNode(Param, node)->paramkind == PARAM_EXEC);
}

static Predicate* make(Kind kind) {
  Predicate* p = static_cast<Predicate*>(palloc0(sizeof(Predicate)));
  p->kind = kind;
  return p;
}

static void note_function(List** functions, Oid function) { *functions = list_append_unique_oid(*functions, function); }

static bool by_bytes(Domain domain, Oid collation) {
  if (domain != Domain::kText && domain != Domain::kBpchar) return true;
  return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

static Predicate* compile_comparison(OpExpr* op, bool* used, List** functions) {
  set_opfuncid(op);
  const Comparison* c = find_comparison(op->opfuncid);
  if (c == nullptr || list_length(op->args) != 2 || !by_bytes(c->domain, op->inputcollid)) return nullptr;
  Node* left = static_cast<Node*>(linitial(op->args));
  Node* right = static_cast<Node*>(lsecond(op->args));
  Var* var = as_column(left);
  Node* other = right;
  if (var == nullptr || !is_scalar(right)) {
    var = as_column(right);
    other = left;
    if (var == nullptr || !is_scalar(left)) return nullptr;
  }
  /* The column must be the date: the other way round there is another function. */
  if (c->domain == Domain::kDateTimestamp && other == left) return nullptr;
  Predicate* p = make(Kind::kCompare);
  p->domain = c->domain;
  p->op = other == right ? c->op : commuted(c->op);
  p->attno = var->varattno;
  p->expr = reinterpret_cast<Expr*>(other);
  used[p->attno] = true;
  note_function(functions, op->opfuncid);
  return p;
}

/* column IN (integers): = ANY of a constant array. */
static Predicate* compile_in(ScalarArrayOpExpr* op, bool* used, List** functions) {
  set_sa_opfuncid(op);
  const Comparison* c = find_comparison(op->opfuncid);
  if (!op->useOr || c == nullptr || c->domain != Domain::kInteger || c->op != kMrEq) return nullptr;
  Var* var = as_column(static_cast<Node*>(linitial(op->args)));
  Node* list = static_cast<Node*>(lsecond(op->args));
  if (var == nullptr || !IsA(list, Const) || castNode(Const, list)->constisnull) return nullptr;
  ArrayType* array = DatumGetArrayTypeP(castNode(Const, list)->constvalue);
  const int n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
  if (n > 16) return nullptr;
  int16 length;
  bool byval;
  char align;
  get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &byval, &align);
  if (!byval) return nullptr;
  Datum* items;
  bool* nulls;
  int n_items;
  deconstruct_array(array, ARR_ELEMTYPE(array), length, byval, align, &items, &nulls, &n_items);
  Predicate* p = make(Kind::kIn);
  p->attno = var->varattno;
  p->values = static_cast<int64*>(palloc(sizeof(int64) * Max(n_items, 1)));
  for (int i = 0; i < n_items; i++) {
    if (nulls[i])
      p->null_value = true;
    else
      p->values[p->n_values++] = static_cast<int64>(canonical(items[i], length));
  }
  used[p->attno] = true;
  note_function(functions, op->opfuncid);
  if (OidIsValid(op->hashfuncid)) note_function(functions, op->hashfuncid);
  return p;
}

/* Not with lazy parameters: a row may need one before an earlier row's other errors were raised. */
static Predicate* compile_bool(BoolExpr* expr, bool* used, List** functions) {
  if (is_lazy(reinterpret_cast<Node*>(expr), nullptr)) return nullptr;
  Predicate* p = make(expr->boolop == AND_EXPR ? Kind::kAnd : expr->boolop == OR_EXPR ? Kind::kOr : Kind::kNot);
  p->children = static_cast<Predicate**>(palloc(sizeof(Predicate*) * list_length(expr->args)));
  ListCell* cell;
  foreach (cell, expr->args) {
    Predicate* child = predicate_compile(static_cast<Node*>(lfirst(cell)), used, functions);
    if (child == nullptr) return nullptr;
    p->children[p->n_children++] = child;
  }
  return p;
}

Predicate* predicate_compile(Node* node, bool* used, List** functions) {
  switch (nodeTag(node)) {
    case T_OpExpr:
      return compile_comparison(castNode(OpExpr, node), used, functions);
    case T_ScalarArrayOpExpr:
      return compile_in(castNode(ScalarArrayOpExpr, node), used, functions);
    case T_BoolExpr:
      return compile_bool(castNode(BoolExpr, node), used, functions);
    case T_NullTest: {
      NullTest* test = castNode(NullTest, node);
      Var* var = as_column(reinterpret_cast<Node*>(test->arg));
      if (var == nullptr || test->argisrow) return nullptr;
      Predicate* p = make(Kind::kIsNull);
      p->attno = var->varattno;
      used[p->attno] = true;
      if (test->nulltesttype == IS_NULL) return p;
      Predicate* inverse = make(Kind::kNot);
      inverse->children = static_cast<Predicate**>(palloc(sizeof(Predicate*)));
      inverse->children[inverse->n_children++] = p;
      return inverse;
    }
    case T_Var: {
      Var* var = as_column(node);
      if (var == nullptr || var->vartype != BOOLOID) return nullptr;
      Predicate* p = make(Kind::kBoolean);
      p->attno = var->varattno;
      used[p->attno] = true;
      return p;
    }
    default:
      return nullptr;
  }
}

void predicate_bind(Predicate* p, Vector* const* columns, PlanState* parent) {
  if (p->attno > 0) p->column = columns[p->attno];
  if (p->expr != nullptr) p->state = ExecInitExpr(p->expr, parent);
  for (int i = 0; i < p->n_children; i++) predicate_bind(p->children[i], columns, parent);
}

void predicate_reset(Predicate* p) {
  p->known = false;
  for (int i = 0; i < p->n_children; i++) predicate_reset(p->children[i]);
}

static int64 float_order_of(float8 f) {
  int64 key;
  mr_float_order(&f, 1, &key);
  return key;
}

/*
 * A timestamp to compare dates with: dates are midnights, so `date < t` is `date < the first
 * midnight at or after t`, and so on. As date_cmp_timestamp_internal(), where dates too late for
 * a timestamp are above all finite ones.
 */
static void date_bound(Predicate* p) {
  const Timestamp t = DatumGetTimestamp(p->value);
  if (TIMESTAMP_IS_NOBEGIN(t) || TIMESTAMP_IS_NOEND(t)) {
    p->value = static_cast<Datum>(static_cast<int64>(TIMESTAMP_IS_NOEND(t) ? DATEVAL_NOEND : DATEVAL_NOBEGIN));
    return;
  }
  int64 day = t / USECS_PER_DAY;
  if (t % USECS_PER_DAY < 0) day--;
  const bool midnight = day * USECS_PER_DAY == t;
  if (!midnight && (p->op == kMrEq || p->op == kMrNe))
    day = PG_INT64_MIN; /* no date is that */
  else if (!midnight && (p->op == kMrLt || p->op == kMrGe))
    day++;
  p->value = static_cast<Datum>(day);
}

static void find_value(Predicate* p, ExprContext* econtext) {
  if (p->copy != nullptr) pfree(p->copy);
  p->copy = nullptr;
  p->value = ExecEvalExprSwitchContext(p->state, econtext, &p->isnull);
  p->known = true;
  MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_query_memory);
  if (!p->isnull) {
    switch (p->domain) {
      case Domain::kInteger:
        p->value = canonical(p->value, get_typlen(exprType(reinterpret_cast<Node*>(p->expr))));
        break;
      case Domain::kDateTimestamp:
        date_bound(p);
        break;
      case Domain::kFloat4:
        p->value = static_cast<Datum>(float_order_of(DatumGetFloat4(p->value)));
        break;
      case Domain::kFloat8:
        p->value = static_cast<Datum>(float_order_of(DatumGetFloat8(p->value)));
        break;
      case Domain::kNumeric:
        p->copy = PG_DETOAST_DATUM_COPY(p->value);
        p->value = PointerGetDatum(p->copy);
        p->scaled = numeric_to_scaled(p->value, &p->scaled_value, &p->scale);
        break;
      default:
        p->copy = PG_DETOAST_DATUM_COPY(p->value);
        p->value = PointerGetDatum(p->copy);
    }
  }
  MemoryContextSwitchTo(old);
}

static bool satisfies(int cmp, MrCompare op) {
  switch (op) {
    case kMrEq:
      return cmp == 0;
    case kMrNe:
      return cmp != 0;
    case kMrLt:
      return cmp < 0;
    case kMrLe:
      return cmp <= 0;
    case kMrGt:
      return cmp > 0;
    default:
      return cmp >= 0;
  }
}

/* At once, where all values have a scale that the constant can be brought to. */
static bool compare_scaled(Predicate* p, int n, uint64* bits) {
  int64 values[kBatchRows];
  int scale;
  int64 with;
  if (!p->scaled || !numeric_column(p->column, n, values, &scale) || scale < p->scale) return false;
  if (__builtin_mul_overflow(p->scaled_value, kPowersOf10[scale - p->scale], &with)) return false;
  mr_compare_i64(values, n, p->op, with, bits);
  return true;
}

static bool numeric_holds(const Predicate* p, Datum value) {
  int64 v;
  int scale;
  int64 with;
  int cmp;
  if (p->scaled && numeric_to_scaled(value, &v, &scale) && scale >= p->scale &&
      !__builtin_mul_overflow(p->scaled_value, kPowersOf10[scale - p->scale], &with))
    cmp = v < with ? -1 : v > with;
  else
    cmp = DatumGetInt32(DirectFunctionCall2(numeric_cmp, value, p->value));
  return satisfies(cmp, p->op);
}

/* Calls holds(value) for the rows in alive that are not null. */
template <class Holds>
static void each_alive(const Predicate* p, int n, const uint64* alive, uint64* bits, Holds holds) {
  const Vector* column = p->column;
  for (int w = 0; w < (n + 63) / 64; w++) {
    uint64 rest = alive != nullptr ? alive[w] : ~UINT64CONST(0);
    if (n - w * 64 < 64) rest &= (UINT64CONST(1) << (n - w * 64)) - 1;
    for (; rest != 0; rest &= rest - 1) {
      const int bit = __builtin_ctzll(rest);
      const int i = w * 64 + bit;
      if (column->has_nulls && column->nulls[i]) continue;
      if (holds(column->values[i])) bits[w] |= UINT64CONST(1) << bit;
    }
  }
}

static int count_alive(const uint64* alive, int n) {
  int count = 0;
  for (int w = 0; w < (n + 63) / 64; w++) count += __builtin_popcountll(alive[w]);
  return count;
}

static void compare_numeric(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const bool few = alive != nullptr && count_alive(alive, n) * 2 < n;
  if (!few && compare_scaled(p, n, bits)) return;
  each_alive(p, n, alive, bits, [p](Datum value) { return numeric_holds(p, value); });
}

static int trimmed(const char* p, int n) {
  while (n > 0 && p[n - 1] == ' ') n--;
  return n;
}

static bool text_equal(const Predicate* p, Datum value, const char* other, int other_length) {
  struct varlena* v = reinterpret_cast<struct varlena*>(DatumGetPointer(value));
  const bool toasted = is_toasted(v);
  /* As texteq(): the length alone tells most, without detoasting. */
  if (toasted && p->domain == Domain::kText &&
      toast_raw_datum_size(value) - VARHDRSZ != static_cast<Size>(other_length))
    return false;
  if (toasted) v = pg_detoast_datum_packed(v);
  int n = static_cast<int>(VARSIZE_ANY_EXHDR(v));
  if (p->domain == Domain::kBpchar) n = trimmed(VARDATA_ANY(v), n);
  const bool equal = n == other_length && memcmp(VARDATA_ANY(v), other, n) == 0;
  if (toasted) pfree(v);
  return equal;
}

static void compare_text(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const char* other = VARDATA_ANY(DatumGetPointer(p->value));
  int length = static_cast<int>(VARSIZE_ANY_EXHDR(DatumGetPointer(p->value)));
  if (p->domain == Domain::kBpchar) length = trimmed(other, length);
  each_alive(p, n, alive, bits,
             [=](Datum value) { return text_equal(p, value, other, length) == (p->op == kMrEq); });
}

static void compare(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const int64* values = reinterpret_cast<const int64*>(p->column->values);
  int64 keys[kBatchRows];
  switch (p->domain) {
    case Domain::kFloat4: {
      float8 wide[kBatchRows];
      for (int i = 0; i < n; i++) wide[i] = DatumGetFloat4(p->column->values[i]);
      mr_float_order(wide, n, keys);
      values = keys;
      break;
    }
    case Domain::kFloat8:
      mr_float_order(reinterpret_cast<const float8*>(values), n, keys);
      values = keys;
      break;
    case Domain::kNumeric:
      return compare_numeric(p, n, alive, bits);
    case Domain::kText:
    case Domain::kBpchar:
      return compare_text(p, n, alive, bits);
    default:
      break;
  }
  mr_compare_i64(values, n, p->op, static_cast<int64>(p->value), bits);
}

/* From the rows where a strict condition holds to its three values. */
static void strict_truth(const Predicate* p, int n, Truth* out) {
  uint64 present[kMaskWords];
  mr_mask_fill(n, present);
  if (p->column->has_nulls) mr_mask_nonzero(p->column->nulls, n, out->no);
  for (int w = 0; w < (n + 63) / 64; w++) {
    if (p->column->has_nulls) present[w] &= ~out->no[w];
    out->yes[w] &= present[w];
    out->no[w] = present[w] & ~out->yes[w];
  }
}

/* The rows alive that are not decided yet. False: there are none. */
static bool find_open(int n, const uint64* alive, const uint64* decided, uint64* open) {
  mr_mask_fill(n, open);
  bool any = false;
  for (int w = 0; w < (n + 63) / 64; w++) {
    if (alive != nullptr) open[w] &= alive[w];
    open[w] &= ~decided[w];
    any |= open[w] != 0;
  }
  return any;
}

void predicate_eval(Predicate* p, ExprContext* econtext, int n, const uint64* alive, Truth* out) {
  const int words = (n + 63) / 64;
  memset(out->yes, 0, sizeof(uint64) * words);
  memset(out->no, 0, sizeof(uint64) * words);
  switch (p->kind) {
    case Kind::kCompare:
      if (!p->known) find_value(p, econtext);
      if (p->isnull) return;
      compare(p, n, alive, out->yes);
      strict_truth(p, n, out);
      return;
    case Kind::kIn: {
      uint64 hit[kMaskWords];
      for (int k = 0; k < p->n_values; k++) {
        memset(hit, 0, sizeof(uint64) * words);
        mr_compare_i64(reinterpret_cast<const int64*>(p->column->values), n, kMrEq, p->values[k], hit);
        for (int w = 0; w < words; w++) out->yes[w] |= hit[w];
      }
      strict_truth(p, n, out);
      if (p->null_value) memset(out->no, 0, sizeof(uint64) * words);
      return;
    }
    case Kind::kBoolean:
      mr_compare_i64(reinterpret_cast<const int64*>(p->column->values), n, kMrNe, 0, out->yes);
      strict_truth(p, n, out);
      return;
    case Kind::kIsNull:
      if (p->column->has_nulls) mr_mask_nonzero(p->column->nulls, n, out->yes);
      mr_mask_fill(n, out->no);
      for (int w = 0; w < words; w++) out->no[w] &= ~out->yes[w];
      return;
    case Kind::kNot: {
      Truth inner;
      predicate_eval(p->children[0], econtext, n, alive, &inner);
      memcpy(out->yes, inner.no, sizeof(uint64) * words);
      memcpy(out->no, inner.yes, sizeof(uint64) * words);
      return;
    }
    case Kind::kAnd:
    case Kind::kOr: {
      predicate_eval(p->children[0], econtext, n, alive, out);
      Truth inner;
      uint64 open[kMaskWords];
      const uint64* decided = p->kind == Kind::kAnd ? out->no : out->yes;
      for (int i = 1; i < p->n_children && find_open(n, alive, decided, open); i++) {
        predicate_eval(p->children[i], econtext, n, open, &inner);
        for (int w = 0; w < words; w++) {
          if (p->kind == Kind::kAnd) {
            out->yes[w] &= inner.yes[w];
            out->no[w] |= inner.no[w];
          } else {
            out->yes[w] |= inner.yes[w];
            out->no[w] &= inner.no[w];
          }
        }
      }
      return;
    }
  }
}

}  // namespace mr

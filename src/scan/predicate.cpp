/*
 * predicate.cpp: evaluating conditions down a batch, in three-valued logic.
 *
 * No function here can raise an error or see a difference by the order of rows,
 * so evaluating down a column instead of row by row cannot be noticed. Rows of compared expressions that
 * have no value (computed.h) are bad, but only where core would have come to evaluate them.
 */
#include "scan/predicates.h"

extern "C" {
#include "executor/executor.h"
}

#include "scan/once.h"

namespace mr {

static void bind_operand(Operand* o, Vector* const* columns) {
  if (o->attno > 0) o->column = columns[o->attno];
}

void predicate_bind(Predicate* p, Vector* const* columns, PlanState* parent) {
  bind_operand(&p->left, columns);
  bind_operand(&p->right, columns);
  if (p->expr != nullptr) p->state = init_once(p->expr, parent);
  for (int i = 0; i < p->n_children; i++) predicate_bind(p->children[i], columns, parent);
}

void predicate_reset(Predicate* p) {
  p->known = false;
  for (int i = 0; i < p->n_children; i++) predicate_reset(p->children[i]);
}

static void note_bad(const Operand* o, int n, Truth* out) {
  if (o->computed == nullptr || !o->computed->any_bad) return;
  if (!out->any_bad) memset(out->bad, 0, sizeof(uint64) * ((n + 63) / 64));
  out->any_bad = true;
  for (int w = 0; w < (n + 63) / 64; w++) out->bad[w] |= o->computed->bad[w];
}

/* Bits of the rows where the operand is null. */
static void null_rows(const Operand* o, int n, uint64* bits) {
  const Vector* v = operand_vector(o);
  if (v->has_nulls)
    mr_mask_nonzero(v->nulls, n, bits);
  else
    memset(bits, 0, sizeof(uint64) * ((n + 63) / 64));
}

/* From the rows where a strict condition holds to its three values. */
static void strict_truth(const Predicate* p, int n, Truth* out) {
  uint64 present[kMaskWords];
  uint64 nulls[kMaskWords];
  mr_mask_fill(n, present);
  null_rows(&p->left, n, nulls);
  for (int w = 0; w < (n + 63) / 64; w++) present[w] &= ~nulls[w];
  if (p->kind == Kind::kCompareVectors) {
    null_rows(&p->right, n, nulls);
    for (int w = 0; w < (n + 63) / 64; w++) present[w] &= ~nulls[w];
  }
  for (int w = 0; w < (n + 63) / 64; w++) {
    out->yes[w] &= present[w];
    out->no[w] = present[w] & ~out->yes[w];
  }
}

/* IS DISTINCT FROM: yes holds the rows whose values differ; nulls are equal to each other and to nothing else. */
static void distinct_truth(const Predicate* p, int n, Truth* out) {
  uint64 left[kMaskWords];
  uint64 right[kMaskWords];
  uint64 all[kMaskWords];
  mr_mask_fill(n, all);
  null_rows(&p->left, n, left);
  if (p->kind == Kind::kCompareVectors)
    null_rows(&p->right, n, right);
  else
    memset(right, p->isnull ? 0xFF : 0, sizeof(right));
  for (int w = 0; w < (n + 63) / 64; w++) {
    out->yes[w] = ((out->yes[w] & ~left[w] & ~right[w]) | (left[w] ^ right[w])) & all[w];
    out->no[w] = all[w] & ~out->yes[w];
  }
}

static void eval_comparison(Predicate* p, ExprContext* econtext, int n, const uint64* alive, Truth* out) {
  if (p->kind == Kind::kCompareVectors) {
    compare_vectors(p, n, alive, out->yes);
  } else {
    if (!p->known || p->zone != session_timezone) find_value(p, econtext);
    if (!p->isnull)
      compare_with_value(p, n, alive, out->yes);
    else if (!p->distinct)
      return;
  }
  if (p->distinct)
    distinct_truth(p, n, out);
  else
    strict_truth(p, n, out);
}

static void swap(Truth* t, int n) {
  for (int w = 0; w < (n + 63) / 64; w++) {
    const uint64 yes = t->yes[w];
    t->yes[w] = t->no[w];
    t->no[w] = yes;
  }
}

static void eval_in(Predicate* p, ExprContext* econtext, int n, const uint64* alive, Truth* out) {
  const InListFacts facts = in_list_facts(p, econtext);
  if (facts.is_null) return;
  if (facts.is_empty) {
    mr_mask_fill(n, out->no);
  } else {
    in_list_eval(p, n, alive, out->yes);
    strict_truth(p, n, out);
    if (facts.has_null) memset(out->no, 0, sizeof(uint64) * ((n + 63) / 64));
  }
  if (p->negated) swap(out, n);
}

/* IS [NOT] TRUE, FALSE, UNKNOWN of the child, whose truth is in out. */
static void test_truth(int test, int n, Truth* out) {
  uint64 all[kMaskWords];
  mr_mask_fill(n, all);
  for (int w = 0; w < (n + 63) / 64; w++) {
    const uint64 yes = out->yes[w];
    const uint64 no = out->no[w];
    uint64 holds = 0;
    switch (test) {
      case IS_TRUE:
        holds = yes;
        break;
      case IS_NOT_TRUE:
        holds = ~yes;
        break;
      case IS_FALSE:
        holds = no;
        break;
      case IS_NOT_FALSE:
        holds = ~no;
        break;
      case IS_UNKNOWN:
        holds = ~(yes | no);
        break;
      default:
        holds = yes | no;
    }
    out->yes[w] = holds & all[w];
    out->no[w] = ~holds & all[w];
  }
}

/* The rows alive that are not decided yet. False: there are none. */
static bool find_open(int n, const uint64* alive, const Truth* so_far, const uint64* decided, uint64* open) {
  mr_mask_fill(n, open);
  bool any = false;
  for (int w = 0; w < (n + 63) / 64; w++) {
    if (alive != nullptr) open[w] &= alive[w];
    open[w] &= ~decided[w];
    if (so_far->any_bad) open[w] &= ~so_far->bad[w];
    any |= open[w] != 0;
  }
  return any;
}

/* AND and OR: later conditions are of account only for rows that earlier ones leave open, as in core. */
static void eval_junction(Predicate* p, ExprContext* econtext, int n, const uint64* alive, Truth* out) {
  predicate_eval(p->children[0], econtext, n, alive, out);
  Truth inner;
  uint64 open[kMaskWords];
  const uint64* decided = p->kind == Kind::kAnd ? out->no : out->yes;
  for (int i = 1; i < p->n_children && find_open(n, alive, out, decided, open); i++) {
    predicate_eval(p->children[i], econtext, n, open, &inner);
    if (inner.any_bad) {
      if (!out->any_bad) memset(out->bad, 0, sizeof(out->bad));
      out->any_bad = true;
      for (int w = 0; w < (n + 63) / 64; w++) out->bad[w] |= inner.bad[w] & open[w];
    }
    for (int w = 0; w < (n + 63) / 64; w++) {
      if (p->kind == Kind::kAnd) {
        out->yes[w] &= inner.yes[w];
        out->no[w] |= inner.no[w];
      } else {
        out->yes[w] |= inner.yes[w];
        out->no[w] &= inner.no[w];
      }
    }
  }
}

/* Conditions that look at values themselves. */
static void eval_leaf(Predicate* p, ExprContext* econtext, int n, const uint64* alive, Truth* out) {
  note_bad(&p->left, n, out);
  note_bad(&p->right, n, out);
  uint64 look[kMaskWords];
  if (out->any_bad) {
    mr_mask_fill(n, look);
    for (int w = 0; w < (n + 63) / 64; w++) look[w] &= ~out->bad[w] & (alive != nullptr ? alive[w] : ~UINT64CONST(0));
    alive = look;
  }
  switch (p->kind) {
    case Kind::kCompare:
    case Kind::kCompareVectors:
      return eval_comparison(p, econtext, n, alive, out);
    case Kind::kIn:
      return eval_in(p, econtext, n, alive, out);
    case Kind::kLike:
      like_eval(p, n, alive, out->yes);
      return strict_truth(p, n, out);
    case Kind::kBoolean:
      mr_compare_i64(reinterpret_cast<const int64*>(operand_vector(&p->left)->values), n, kMrNe, 0, out->yes);
      return strict_truth(p, n, out);
    default: /* kIsNull */
      null_rows(&p->left, n, out->yes);
      mr_mask_fill(n, out->no);
      for (int w = 0; w < (n + 63) / 64; w++) out->no[w] &= ~out->yes[w];
  }
}

void predicate_eval(Predicate* p, ExprContext* econtext, int n, const uint64* alive, Truth* out) {
  const int words = (n + 63) / 64;
  switch (p->kind) {
    case Kind::kNot:
      predicate_eval(p->children[0], econtext, n, alive, out);
      return swap(out, n);
    case Kind::kTest:
      predicate_eval(p->children[0], econtext, n, alive, out);
      return test_truth(p->test, n, out);
    case Kind::kAnd:
    case Kind::kOr:
      return eval_junction(p, econtext, n, alive, out);
    default:
      break;
  }
  memset(out->yes, 0, sizeof(uint64) * words);
  memset(out->no, 0, sizeof(uint64) * words);
  out->any_bad = false;
  MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
  eval_leaf(p, econtext, n, alive, out);
  MemoryContextSwitchTo(old);
}

bool predicates_narrow(Predicate** predicates, int n_predicates, ExprContext* econtext, int n, uint64* bits) {
  bool any = true;
  for (int i = 0; i < n_predicates && any; i++) {
    Truth truth;
    predicate_eval(predicates[i], econtext, n, bits, &truth);
    any = false;
    for (int w = 0; w < (n + 63) / 64; w++) {
      if (truth.any_bad && (truth.bad[w] & bits[w]) != 0) return false;
      bits[w] &= truth.yes[w];
      any |= bits[w] != 0;
    }
  }
  return true;
}

}  // namespace mr

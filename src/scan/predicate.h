/*
 * predicate.h: conditions that can be told for a whole batch, without ever raising an error. Where core
 * would raise one, in expressions that are compared, rows are marked bad instead.
 */
#pragma once
#include "scan/batch.h"

extern "C" {
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
}

namespace mr {

constexpr int kMaskWords = kBatchRows / 64;

/* Three-valued result for a batch: a row in no set is null; of a bad one nothing is known. */
struct Truth {
  uint64 yes[kMaskWords];
  uint64 no[kMaskWords];
  uint64 bad[kMaskWords];
  bool any_bad; /* else bad is not set at all */
};

struct Predicate;
struct ComputeSet;

/*
 * Compiles a condition over Vars of one relation; NULL when some part of it is not known
 * here. Columns used are marked in used[attno]; functions whose EXECUTE privilege must be
 * checked are appended to *functions. Expressions in it become steps of compute, which must be run
 * before predicate_eval(); without compute only columns are known, and no row is ever bad. In
 * CurrentMemoryContext.
 */
Predicate* predicate_compile(Node* condition, bool* used, List** functions, ComputeSet* compute = nullptr);

/*
 * Splits a plan's quals into predicates, a prefix of them, and the rest; order stays. predicates has room for all; see
 * predicate_compile() for the others.
 */
void predicates_split(List* quals, bool* used, Predicate** predicates, int* n_predicates, List** residual,
                      List** functions, ComputeSet* compute = nullptr);

/*
 * Narrows bits to the rows for which all n_predicates hold. False: a row was bad that core would have evaluated, and bits tell
 * nothing.
 */
bool predicates_narrow(Predicate** predicates, int n_predicates, ExprContext* econtext, int n, uint64* bits);

/* How many of n rows are in bits. */
inline int count_rows(const uint64* bits, int n) {
  int count = 0;
  for (int w = 0; w < (n + 63) / 64; w++) count += __builtin_popcountll(bits[w]);
  return count;
}

/* An expression without the changes of type around it that change nothing. */
inline Node* without_relabels(Node* node) {
  while (IsA(node, RelabelType)) node = reinterpret_cast<Node*>(castNode(RelabelType, node)->arg);
  return node;
}

/* Is it a constant, a parameter, or the time of the transaction: one value for a statement, had without an error? */
bool is_fixed(Node* node);

/* The same, but for errors: functions of these too. For one session time zone. */
bool may_be_fixed(Node* node);

/* Does an expression have parameters that may be a subplan not run yet? That can raise any error. */
bool is_lazy(Node* expression, void* unused);

/* After compiling: columns[attno] are the vectors. Constants are evaluated in parent on first use. */
void predicate_bind(Predicate* predicate, Vector* const* columns, PlanState* parent);

/* Forgets parameter values: they may have changed. */
void predicate_reset(Predicate* predicate);

/*
 * Evaluates for n rows; only the result for rows in alive is meant (NULL: all). econtext is for
 * the parameters.
 */
void predicate_eval(Predicate* predicate, ExprContext* econtext, int n, const uint64* alive, Truth* out);

}  // namespace mr

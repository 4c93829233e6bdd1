/*
 * topn.h: which rows of a scan need not reach the Sort above it, since a Limit wants only the first few.
 *
 * A row may be left out when core's bounded sort would discard it: it then compares
 * greater than or equal to the k-th best of the rows before it. So the answer, the
 * order of equal rows included, stays that of core's sort.
 */
#pragma once
#include "scan/predicate.h"

extern "C" {
#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "nodes/plannodes.h"
#include "utils/rel.h"
}

namespace mr {

constexpr int kMaxPruneKeys = 4;

/* How values become 64-bit codes that sort as the values do. */
enum class CodeKind : uint8 { kInteger, kUnsigned, kByte, kFloat4, kFloat8, kNumeric, kText, kBpchar, kUuid };

struct PruneKey {
  AttrNumber attno;
  CodeKind kind;
  int16 width;   /* of the type, when by value */
  int scale;     /* kNumeric: codes are value * 10^scale */
  bool exact;    /* equal codes are equal values */
  bool descending;
  bool nulls_first;
};

/* Where a value stands in the sort: nulls before or after all others. */
struct Code {
  uint8 rank;
  int64 value;
};

struct TopN {
  /* what the planner found */
  int n_keys;
  PruneKey keys[kMaxPruneKeys];
  bool all_keys;      /* these are all sort keys, and exact: equal rows may go too */
  bool widest_rows;   /* rows of other tables come to the same Sort */
  ExprState* count;   /* the Limit's */
  ExprState* offset;

  /* of this scan */
  bool started;
  bool active;        /* rows are looked at */
  int64 bound;        /* rows wanted; 0: not known, or none */
  Size missing_bytes; /* of values that a tuple older than its columns does not hold */
  uint64 passed;      /* rows handed on */
  uint64 looked;      /* since pruning has begun */
  uint64 kept;
  Size bytes;         /* an upper bound of what the Sort needs for the rows handed on */
  MemoryContext memory;
  int64 n_heap;
  Code* heap;         /* the best `bound` rows so far, n_keys codes each, the worst on top */
  uint64 pruned;
};

/*
 * Works out the keys of a Sort whose input is this scan; in CustomScan form (topn_private()) or from
 * core's nodes. False: its first key is not one to prune by.
 */
bool topn_compile(TopN* topn, List* attnos, List* operators, List* collations, List* nulls_first, Relation rel);

/* Before the first row of a scan: the bound, from the Limit's expressions. */
void topn_start(TopN* topn, ExprContext* econtext, Relation rel);

/* Before a rescan. */
void topn_reset(TopN* topn);

/* Takes rows that cannot be wanted, by the first key's column, out of bits. */
void topn_prune(TopN* topn, const Vector* column, int n, uint64* bits);

/* Is the row in slot, which has tuple_bytes, wanted? It then counts as handed on. */
bool topn_admit(TopN* topn, TupleTableSlot* slot, Size tuple_bytes);

}  // namespace mr

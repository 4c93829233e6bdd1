/*
 * deform.h: takes only the used columns out of a batch of tuples.
 */
#pragma once
#include "scan/batch.h"

extern "C" {
#include "access/tupdesc.h"
#include "utils/rel.h"
}

namespace mr {

/* How a step of the walk along a tuple moves on and what it stores. */
enum class Store : uint8 { kNone, kByte, kInt16, kInt32, kInt64, kFixedPointer, kVarlena, kSkipVarlena, kCString };

struct DeformStep {
  Store store;
  uint8 align; /* 1, 2, 4 or 8 */
  int16 length;
  int16 attno; /* 1-based */
  Vector* to;  /* NULL: only walked over */
};

struct Deformer {
  TupleDesc desc;
  int last;         /* highest attribute number used; 0 when none is */
  int n_steps;      /* one step for each attribute up to last */
  DeformStep* steps;
  int n_fixed;      /* steps[0, n_fixed) lie at constant offsets in tuples without nulls */
  int* offsets;     /* of those, from the start of the tuple's data */
  int walk_from;    /* offset where the walk over the others starts */
};

/* used[attno] (1-based) is the vector for that column or NULL. Allocates in CurrentMemoryContext. */
void deformer_init(Deformer* deformer, TupleDesc desc, Vector* const* used);

/* Says that no vector has nulls yet; before the first deform() of a batch. */
void deform_start(const Deformer* deformer);

/*
 * Fills rows from to from + n of the vectors from n tuples. Raises nothing; by-reference values
 * point into the tuples.
 */
void deform(const Deformer* deformer, const HeapTupleHeader* tuples, int from, int n);

}  // namespace mr

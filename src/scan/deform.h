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
  int16 run;   /* variable-length attributes from here on that are walked over together; else 1 */
  Vector* to;  /* NULL: only walked over */
};

/* Columns at constant offsets that are taken together. */
constexpr int kMostAtOnce = 4;
struct FixedColumns {
  Store store;
  int n;
  int offset[kMostAtOnce]; /* from the start of the tuple */
  Vector* to[kMostAtOnce];
};

struct Deformer {
  TupleDesc desc;
  int last;             /* highest attribute number used; 0 when none is */
  DeformStep* steps;    /* one for each attribute up to last */
  int n_fixed;          /* steps[0, n_fixed) lie at constant offsets in tuples without nulls */
  int n_groups;
  FixedColumns* groups; /* those of them that are used */
  int walk_from;        /* offset in the tuple where the walk over the others starts */
  int header_bytes; /* t_hoff of a tuple without nulls */
  uint64 plain_header; /* bytes 16 to 23 of the header of a tuple with all attributes and no nulls ... */
  uint64 header_mask;  /* ... as far as they say so */
};

/* used[attno] (1-based) is the vector for that column or NULL. Allocates in CurrentMemoryContext. */
void deformer_init(Deformer* deformer, TupleDesc desc, Vector* const* used);

/* Says that no vector has nulls yet; before the first deform() of a batch. */
void deform_start(const Deformer* deformer);

/*
 * Fills rows from to from + n of the vectors from n tuples. Raises nothing; by-reference values
 * point into the tuples. upcoming: the page that is to be read next, or NULL.
 */
void deform(const Deformer* deformer, const HeapTupleHeader* tuples, int from, int n, const char* upcoming);

}  // namespace mr

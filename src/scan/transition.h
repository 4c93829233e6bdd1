/*
 * transition.h: aggregates, as a table of functions over column vectors.
 *
 * An aggregate of PostgreSQL is known by its transition function. find_agg_ops()
 * looks that up in the tables of agg_*.cpp; a new one is an entry there. States
 * are plain bytes that start zeroed; what leaves here is PostgreSQL's own
 * transition value, so that its final, serialize and combine functions do the rest.
 */
#pragma once
#include "scan/batch.h"

extern "C" {
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
}

namespace mr {

struct AggOps;

/* Values of one aggregate's argument for n rows. */
struct ArgVector {
  const Datum* values;
  const uint8* nulls; /* NULL: none is null (or filtered out) */
  int scale;          /* >= 0: numerics as integers, value * 10^scale, in values; -1: Datums */
  const uint8* scales; /* with scale >= 0, not NULL: each row's own scale instead */
};

/* So few groups that a batch can be summed up in small tables, group by group. */
constexpr uint32 kFewGroups = 64;

/* What is shared by the aggregates of one node. */
struct AggShared {
  AggState* fake;          /* the aggregate context that transition functions want to see */
  AggState* fake_final;    /* the same for final functions: memory of one output row */
  MemoryContext states;    /* lives as long as the states */
  MemoryContext scratch;   /* reset at will */
  uint32 n_groups;         /* of the table, while rows are grouped */
  const int64* counts;     /* rows of this batch in each group; NULL: more than kFewGroups */
};

/* One transition state of PostgreSQL's: aggregates with the same one share it. */
struct Transition {
  const AggOps* ops;
  Aggref* aggref;
  AggShared* shared;
  size_t offset; /* of its state among those of a group */
  int n_args;
  Oid transfn;
  Oid serialfn;   /* valid only for transition type internal */
  Oid deserialfn;
  Oid transtype;
  int16 translen;
  bool transbyval;
  bool init_is_null;
  Datum init_value;
  FmgrInfo transfn_info;
  FunctionCallInfo call; /* of transfn; arguments from 1 */
};

struct AggOps {
  Oid transfn;
  int n_args;
  size_t state_size;
  /* The argument may come as scaled integers: see ArgVector. */
  bool takes_scaled;
  /* result() gives the serialized form of transition type internal, not a transition value. */
  bool serialized;
  /* Sets up a zeroed state; NULL: zeroes it is. */
  void (*init)(Transition* t, char* state);
  /* n rows into one state; row i into the state at states + group[i] * stride. */
  void (*plain)(Transition* t, char* state, const ArgVector* args, int n);
  void (*grouped)(Transition* t, char* states, size_t stride, const uint32* group, const ArgVector* args, int n);
  /* The transition value in PostgreSQL's form, in CurrentMemoryContext; leaves the state as it is. */
  Datum (*result)(Transition* t, char* state, bool* isnull);
};

/* The functions for a transition function, or NULL: aggregate not known. */
const AggOps* find_agg_ops(Oid transfn);

/* Which error a transition function can raise: equal ones for errors with the same words; 0: none. */
Oid error_of_transition(const Transition* t);

/* The tables; each ends with transfn 0. */
extern const AggOps kCountOps[];
extern const AggOps kIntegerOps[];
extern const AggOps kFloatOps[];
extern const AggOps kNumericOps[];
extern const AggOps kCoreOps[];

/* Calls a function of core that wants to be called in aggregate context. */
Datum call_in_aggregate(PGFunction function, AggState* fake, Datum arg0, Datum arg1);

}  // namespace mr

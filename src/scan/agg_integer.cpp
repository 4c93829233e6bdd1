/*
 * agg_integer.cpp: sums, averages, extremes and bits of everything that is an
 * integer inside: int2/4/8, dates, times, timestamps, money, bool. Not sum(money): core
 * checks that one for overflow at each step.
 */
#include "scan/agg_template.h"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
}

#include "kernels/reduce.h"
#include "scan/numeric_state.h"

namespace mr {

/* A value and whether there is one yet: strict functions without initial value. */
struct Optional {
  int64 value;
  int64 any;
};

static Datum optional_result(Transition*, char* state, bool* isnull) {
  const Optional* s = reinterpret_cast<const Optional*>(state);
  *isnull = !s->any;
  return s->any ? static_cast<Datum>(s->value) : 0;
}

/* Not null values of the argument, side by side. */
static const int64* dense(const ArgVector* arg, int* n, int64* room) {
  if (arg->nulls == nullptr) return reinterpret_cast<const int64*>(arg->values);
  int m = 0;
  for (int i = 0; i < *n; i++) {
    room[m] = static_cast<int64>(arg->values[i]);
    m += arg->nulls[i] == 0;
  }
  *n = m;
  return room;
}

/* Sums of int2 and int4 fit: core's int4_sum() adds int64s without a check. */
static void add_sum(Optional* s, Datum value) {
  s->value = static_cast<int64>(static_cast<uint64>(s->value) + value);
  s->any = 1;
}

static void sum_plain(Transition*, char* state, const ArgVector* args, int n) {
  int64 room[kBatchRows];
  const int64* values = dense(args, &n, room);
  if (n == 0) return;
  Optional* s = reinterpret_cast<Optional*>(state);
  s->value = static_cast<int64>(static_cast<uint64>(s->value) + static_cast<uint64>(mr_sum_i64(values, n)));
  s->any = 1;
}

/* avg(int2) and avg(int4): core's {count, sum}. */
struct CountSum {
  int64 count;
  int64 sum;
};

static void add_avg(CountSum* s, Datum value) {
  s->count++;
  s->sum = static_cast<int64>(static_cast<uint64>(s->sum) + value);
}

static void avg_plain(Transition*, char* state, const ArgVector* args, int n) {
  int64 room[kBatchRows];
  const int64* values = dense(args, &n, room);
  CountSum* s = reinterpret_cast<CountSum*>(state);
  s->count += n;
  s->sum = static_cast<int64>(static_cast<uint64>(s->sum) + static_cast<uint64>(mr_sum_i64(values, n)));
}

static Datum avg_result(Transition*, char* state, bool* isnull) {
  CountSum* s = reinterpret_cast<CountSum*>(state);
  Datum items[2] = {Int64GetDatum(s->count), Int64GetDatum(s->sum)};
  *isnull = false;
  return PointerGetDatum(construct_array(items, 2, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* sum(int8) and avg(int8). */
struct Wide {
  int128 sum;
  int64 count;
};

static void add_wide(Wide* s, Datum value) {
  s->sum += static_cast<int64>(value);
  s->count++;
}

static void wide_plain(Transition*, char* state, const ArgVector* args, int n) {
  int64 room[kBatchRows];
  const int64* values = dense(args, &n, room);
  int64 high;
  uint64 low;
  mr_sum_i64_wide(values, n, &high, &low);
  Wide* s = reinterpret_cast<Wide*>(state);
  s->sum += static_cast<int128>(high) * (static_cast<int128>(1) << 32) + low;
  s->count += n;
}

static Datum wide_result(Transition*, char* state, bool* isnull) {
  const Wide* s = reinterpret_cast<const Wide*>(state);
  *isnull = false;
  return serialize_int8_avg(s->count, s->sum);
}

static void add_max(Optional* s, Datum value) {
  const int64 v = static_cast<int64>(value);
  if (!s->any || v > s->value) s->value = v;
  s->any = 1;
}

static void add_min(Optional* s, Datum value) {
  const int64 v = static_cast<int64>(value);
  if (!s->any || v < s->value) s->value = v;
  s->any = 1;
}

static void max_plain(Transition*, char* state, const ArgVector* args, int n) {
  int64 room[kBatchRows];
  const int64* values = dense(args, &n, room);
  if (n > 0) add_max(reinterpret_cast<Optional*>(state), static_cast<Datum>(mr_max_i64(values, n)));
}

static void min_plain(Transition*, char* state, const ArgVector* args, int n) {
  int64 room[kBatchRows];
  const int64* values = dense(args, &n, room);
  if (n > 0) add_min(reinterpret_cast<Optional*>(state), static_cast<Datum>(mr_min_i64(values, n)));
}

/* Also bool_and and bool_or: booleans are 0 and 1. */
static void add_and(Optional* s, Datum value) {
  s->value = s->any ? s->value & static_cast<int64>(value) : static_cast<int64>(value);
  s->any = 1;
}
static void add_or(Optional* s, Datum value) {
  s->value |= static_cast<int64>(value);
  s->any = 1;
}
static void add_xor(Optional* s, Datum value) {
  s->value ^= static_cast<int64>(value);
  s->any = 1;
}

using Sum = OneByOne<Optional, add_sum>;
using Avg = OneByOne<CountSum, add_avg>;
using WideSum = OneByOne<Wide, add_wide>;
using Max = OneByOne<Optional, add_max>;
using Min = OneByOne<Optional, add_min>;
using And = OneByOne<Optional, add_and>;
using Or = OneByOne<Optional, add_or>;
using Xor = OneByOne<Optional, add_xor>;

#define MR_MAX(fn) {fn, 1, sizeof(Optional), false, false, nullptr, max_plain, Max::grouped, optional_result}
#define MR_MIN(fn) {fn, 1, sizeof(Optional), false, false, nullptr, min_plain, Min::grouped, optional_result}
#define MR_BITS(fn, Op) {fn, 1, sizeof(Optional), false, false, nullptr, Op::plain, Op::grouped, optional_result}

const AggOps kIntegerOps[] = {
    {F_INT2_SUM, 1, sizeof(Optional), false, false, nullptr, sum_plain, Sum::grouped, optional_result},
    {F_INT4_SUM, 1, sizeof(Optional), false, false, nullptr, sum_plain, Sum::grouped, optional_result},
    {F_INT2_AVG_ACCUM, 1, sizeof(CountSum), false, false, nullptr, avg_plain, Avg::grouped, avg_result},
    {F_INT4_AVG_ACCUM, 1, sizeof(CountSum), false, false, nullptr, avg_plain, Avg::grouped, avg_result},
    {F_INT8_AVG_ACCUM, 1, sizeof(Wide), false, true, nullptr, wide_plain, WideSum::grouped, wide_result},
    MR_MAX(F_INT2LARGER), MR_MIN(F_INT2SMALLER), MR_MAX(F_INT4LARGER), MR_MIN(F_INT4SMALLER),
    MR_MAX(F_INT8LARGER), MR_MIN(F_INT8SMALLER), MR_MAX(F_DATE_LARGER), MR_MIN(F_DATE_SMALLER),
    MR_MAX(F_TIMESTAMP_LARGER), MR_MIN(F_TIMESTAMP_SMALLER), MR_MAX(F_TIMESTAMPTZ_LARGER),
    MR_MIN(F_TIMESTAMPTZ_SMALLER), MR_MAX(F_TIME_LARGER), MR_MIN(F_TIME_SMALLER), MR_MAX(F_CASHLARGER),
    MR_MIN(F_CASHSMALLER),
    MR_BITS(F_BOOLAND_STATEFUNC, And), MR_BITS(F_BOOLOR_STATEFUNC, Or),
    MR_BITS(F_INT2AND, And), MR_BITS(F_INT2OR, Or), MR_BITS(F_INT2XOR, Xor),
    MR_BITS(F_INT4AND, And), MR_BITS(F_INT4OR, Or), MR_BITS(F_INT4XOR, Xor),
    MR_BITS(F_INT8AND, And), MR_BITS(F_INT8OR, Or), MR_BITS(F_INT8XOR, Xor),
    {InvalidOid}};

}  // namespace mr

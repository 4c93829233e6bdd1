/*
 * agg_numeric.cpp: sum(numeric) and avg(numeric), exactly, in 128-bit integers.
 *
 * A state holds sum * 10^scale, where scale is the greatest display scale met, as
 * core's does. What does not fit (NaN, infinities, long numbers) goes to core's
 * own accumulator, kept beside; both are combined when the state leaves.
 */
#include "scan/agg_template.h"
#include "scan/numeric_state.h"

extern "C" {
#include "utils/fmgrprotos.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
}

namespace mr {

struct NumericSum {
  int128 sum;
  int64 n;
  int32 scale;
  Datum core; /* NumericAggState of numeric_avg_accum(), or 0 */
};

/* |sum| stays below this, so that a step can neither overflow nor go unnoticed. */
static const int128 kSumLimit = static_cast<int128>(1) << 126;

/* Brings the state to at least this scale. False when it does not fit. */
static bool raise_scale(NumericSum* s, int scale) {
  const int by = scale - s->scale;
  if (by > 18) return false;
  int128 sum;
  if (__builtin_mul_overflow(s->sum, static_cast<int128>(kPowersOf10[by]), &sum)) return false;
  if (sum > kSumLimit || sum < -kSumLimit) return false;
  s->sum = sum;
  s->scale = scale;
  return true;
}

/* n values with that sum. False when it does not fit: the state is as it was. */
static bool add_scaled(NumericSum* s, int64 value, int scale, int64 n = 1) {
  int128 wide = value;
  if (unlikely(scale != s->scale)) {
    if (scale > s->scale) {
      if (!raise_scale(s, scale)) return false;
    } else {
      wide *= kPowersOf10[s->scale - scale];
    }
  }
  const int128 sum = s->sum + wide;
  if (unlikely(sum > kSumLimit || sum < -kSumLimit)) return false;
  s->sum = sum;
  s->n += n;
  return true;
}

static void add_by_core(Transition* t, NumericSum* s, Datum value) {
  MemoryContext old = MemoryContextSwitchTo(t->shared->scratch);
  FunctionCallInfo call = t->call;
  call->args[0].value = s->core;
  call->args[0].isnull = s->core == 0;
  call->args[1].value = value;
  call->args[1].isnull = false;
  call->isnull = false;
  s->core = FunctionCallInvoke(call);
  MemoryContextSwitchTo(old);
  MemoryContextReset(t->shared->scratch);
}

static void add_datum(Transition* t, NumericSum* s, Datum value) {
  int64 v;
  int scale;
  if (!numeric_to_scaled(value, &v, &scale) || !add_scaled(s, v, scale)) add_by_core(t, s, value);
}

/* A scaled value that no longer fits beside the sum: the sum so far moves to core's accumulator. */
static void spill(Transition* t, NumericSum* s) {
  MemoryContext old = MemoryContextSwitchTo(t->shared->scratch);
  AggState* fake = t->shared->fake;
  Datum mine = call_in_aggregate(numeric_avg_deserialize, fake, serialize_numeric_avg(s->n, s->sum, s->scale), 0);
  if (s->core == 0) {
    /* A fresh core state, by a null input. */
    FunctionCallInfo call = t->call;
    call->args[0].value = 0;
    call->args[0].isnull = true;
    call->args[1].value = 0;
    call->args[1].isnull = true;
    call->isnull = false;
    s->core = FunctionCallInvoke(call);
  }
  s->core = call_in_aggregate(numeric_avg_combine, fake, s->core, mine);
  MemoryContextSwitchTo(old);
  MemoryContextReset(t->shared->scratch);
  s->sum = 0;
  s->n = 0;
}

static void add_value(Transition* t, NumericSum* s, int64 value, int scale) {
  if (likely(add_scaled(s, value, scale))) return;
  spill(t, s);
  s->scale = scale;
  (void)add_scaled(s, value, scale);
}

static void numeric_plain(Transition* t, char* state, const ArgVector* args, int n) {
  NumericSum* s = reinterpret_cast<NumericSum*>(state);
  const Datum* values = args->values;
  const uint8* nulls = args->nulls;
  if (args->scales != nullptr) {
    for (int i = 0; i < n; i++)
      if (nulls == nullptr || !nulls[i]) add_value(t, s, static_cast<int64>(values[i]), args->scales[i]);
    return;
  }
  if (args->scale < 0) {
    for (int i = 0; i < n; i++)
      if (nulls == nullptr || !nulls[i]) add_datum(t, s, values[i]);
    return;
  }
  int128 sum = 0;
  int64 count = 0;
  for (int i = 0; i < n; i++) {
    if (nulls != nullptr && nulls[i]) continue;
    sum += static_cast<int64>(values[i]);
    count++;
  }
  if (count == 0) return;
  if (args->scale == s->scale && s->sum + sum <= kSumLimit && s->sum + sum >= -kSumLimit) {
    s->sum += sum;
    s->n += count;
    return;
  }
  for (int i = 0; i < n; i++)
    if (nulls == nullptr || !nulls[i]) add_value(t, s, static_cast<int64>(values[i]), args->scale);
}

/*
 * A batch of few groups: summed up in 64 bits, then one addition for each group. Nothing is done, and false returned, when a sum
 * might not fit. Four tables in turn, as count_groups().
 */
static bool add_few(Transition* t, char* states, size_t stride, const uint32* group, const ArgVector* args, int n) {
  const int64* counts = t->shared->counts;
  const uint32 n_groups = t->shared->n_groups;
  const int64* values = reinterpret_cast<const int64*>(args->values);
  int64 sums[4][kFewGroups] = {};
  int64 wide = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; k++) {
      const int64 v = values[i + k];
      wide |= v ^ (v >> 63);
      sums[k][group[i + k]] = static_cast<int64>(static_cast<uint64>(sums[k][group[i + k]]) + static_cast<uint64>(v));
    }
  }
  for (; i < n; i++) {
    wide |= values[i] ^ (values[i] >> 63);
    sums[0][group[i]] = static_cast<int64>(static_cast<uint64>(sums[0][group[i]]) + static_cast<uint64>(values[i]));
  }
  static_assert(kBatchRows <= 1024, "so many values of 52 bits fit into 63");
  if (wide >> 52 != 0) return false;
  for (uint32 g = 0; g < n_groups; g++) {
    if (counts[g] == 0) continue;
    NumericSum* s = reinterpret_cast<NumericSum*>(states + g * stride);
    const int64 sum = sums[0][g] + sums[1][g] + sums[2][g] + sums[3][g];
    if (add_scaled(s, sum, args->scale, counts[g])) continue;
    spill(t, s);
    s->scale = args->scale;
    (void)add_scaled(s, sum, args->scale, counts[g]);
  }
  return true;
}

static void numeric_grouped(Transition* t, char* states, size_t stride, const uint32* group, const ArgVector* args,
                            int n) {
  const Datum* values = args->values;
  const uint8* nulls = args->nulls;
  const int scale = args->scale;
  if (scale >= 0 && args->scales == nullptr && nulls == nullptr && t->shared->counts != nullptr &&
      add_few(t, states, stride, group, args, n))
    return;
  for (int i = 0; i < n; i++) {
    if (nulls != nullptr && nulls[i]) continue;
    NumericSum* s = reinterpret_cast<NumericSum*>(states + group[i] * stride);
    if (scale < 0)
      add_datum(t, s, values[i]);
    else
      add_value(t, s, static_cast<int64>(values[i]), args->scales != nullptr ? args->scales[i] : scale);
  }
}

/* Both parts as one serialized state. Core's state is copied by a round trip: combining changes it. */
static Datum numeric_result(Transition* t, char* state, bool* isnull) {
  NumericSum* s = reinterpret_cast<NumericSum*>(state);
  *isnull = false;
  Datum mine = serialize_numeric_avg(s->n, s->sum, s->scale);
  if (s->core == 0) return mine;
  AggState* fake = t->shared->fake_final;
  Datum core = call_in_aggregate(numeric_avg_serialize, fake, s->core, 0);
  if (s->n == 0) return core;
  core = call_in_aggregate(numeric_avg_deserialize, fake, core, 0);
  mine = call_in_aggregate(numeric_avg_deserialize, fake, mine, 0);
  core = call_in_aggregate(numeric_avg_combine, fake, core, mine);
  return call_in_aggregate(numeric_avg_serialize, fake, core, 0);
}

const AggOps kNumericOps[] = {{F_NUMERIC_AVG_ACCUM, 1, sizeof(NumericSum), true, true, nullptr, numeric_plain,
                               numeric_grouped, numeric_result},
                              {InvalidOid}};

}  // namespace mr

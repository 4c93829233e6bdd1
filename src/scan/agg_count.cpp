/*
 * agg_count.cpp: count(*) and count(x). count(*) FILTER comes with a null for each row filtered out.
 */
#include "scan/transition.h"

extern "C" {
#include "utils/fmgroids.h"
}

namespace mr {

static void count_plain(Transition*, char* state, const ArgVector* args, int n) {
  int64 count = n;
  if (args->nulls != nullptr)
    for (int i = 0; i < n; i++) count -= args->nulls[i] != 0;
  *reinterpret_cast<int64*>(state) += count;
}

static void count_grouped(Transition* t, char* states, size_t stride, const uint32* group, const ArgVector* args,
                          int n) {
  if (args->nulls == nullptr && t->shared->counts != nullptr) {
    for (uint32 g = 0; g < t->shared->n_groups; g++)
      *reinterpret_cast<int64*>(states + g * stride) += t->shared->counts[g];
  } else if (args->nulls == nullptr) {
    for (int i = 0; i < n; i++) ++*reinterpret_cast<int64*>(states + group[i] * stride);
  } else {
    for (int i = 0; i < n; i++) *reinterpret_cast<int64*>(states + group[i] * stride) += args->nulls[i] == 0;
  }
}

static Datum count_result(Transition*, char* state, bool* isnull) {
  *isnull = false;
  return Int64GetDatum(*reinterpret_cast<int64*>(state));
}

const AggOps kCountOps[] = {
    {F_INT8INC, 0, sizeof(int64), false, false, nullptr, count_plain, count_grouped, count_result},
    {F_INT8INC_ANY, 1, sizeof(int64), false, false, nullptr, count_plain, count_grouped, count_result},
    {InvalidOid}};

}  // namespace mr

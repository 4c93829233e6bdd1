/*
 * agg_template.h: the two loops of an aggregate whose state takes one value at a time.
 */
#pragma once
#include "scan/transition.h"

namespace mr {

/*
 * kAdd takes (state, value) for every value that is not null, in row order.
 */
template <class State, void (*kAdd)(State*, Datum)>
struct OneByOne {
  static void plain(Transition*, char* state, const ArgVector* args, int n) {
    State local = *reinterpret_cast<State*>(state);
    const Datum* values = args->values;
    const uint8* nulls = args->nulls;
    if (nulls == nullptr) {
      for (int i = 0; i < n; i++) kAdd(&local, values[i]);
    } else {
      for (int i = 0; i < n; i++)
        if (!nulls[i]) kAdd(&local, values[i]);
    }
    *reinterpret_cast<State*>(state) = local;
  }

  static void grouped(Transition*, char* states, size_t stride, const uint32* group, const ArgVector* args, int n) {
    const Datum* values = args->values;
    const uint8* nulls = args->nulls;
    if (nulls == nullptr) {
      for (int i = 0; i < n; i++) kAdd(reinterpret_cast<State*>(states + group[i] * stride), values[i]);
    } else {
      for (int i = 0; i < n; i++)
        if (!nulls[i]) kAdd(reinterpret_cast<State*>(states + group[i] * stride), values[i]);
    }
  }
};

}  // namespace mr

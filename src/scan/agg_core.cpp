/*
 * agg_core.cpp: aggregates that are fed to core's own transition function row by
 * row, as advance_transition_function() does; they still gain by the fast reading.
 */
#include "scan/transition.h"

extern "C" {
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
}

namespace mr {

struct CoreState {
  Datum value;
  bool isnull;
  bool has_value; /* false: the first input of a strict function becomes the value */
};

static void core_init(Transition* t, char* state) {
  CoreState* s = reinterpret_cast<CoreState*>(state);
  s->isnull = t->init_is_null;
  s->has_value = !t->init_is_null;
  s->value = 0;
  if (t->init_is_null) return;
  MemoryContext old = MemoryContextSwitchTo(t->shared->states);
  s->value = datumCopy(t->init_value, t->transbyval, t->translen);
  MemoryContextSwitchTo(old);
}

static Datum keep(Transition* t, Datum value) {
  MemoryContext old = MemoryContextSwitchTo(t->shared->states);
  value = datumCopy(value, t->transbyval, t->translen);
  MemoryContextSwitchTo(old);
  return value;
}

static void core_row(Transition* t, CoreState* s, const ArgVector* args, int row) {
  FunctionCallInfo call = t->call;
  const bool strict = t->transfn_info.fn_strict;
  for (int j = 0; j < t->n_args; j++) {
    const bool isnull = args[j].nulls != nullptr && args[j].nulls[row];
    if (isnull && strict) return;
    call->args[j + 1].value = isnull ? 0 : args[j].values[row];
    call->args[j + 1].isnull = isnull;
  }
  if (strict) {
    if (!s->has_value) {
      s->value = keep(t, call->args[1].value);
      s->isnull = false;
      s->has_value = true;
      return;
    }
    if (s->isnull) return;
  }
  call->args[0].value = s->value;
  call->args[0].isnull = s->isnull;
  call->isnull = false;
  Datum value = FunctionCallInvoke(call);
  if (!t->transbyval && DatumGetPointer(value) != DatumGetPointer(s->value)) {
    /* What ExecAggTransReparent() does; the functions listed here give no expanded objects. */
    if (!call->isnull) value = keep(t, value);
    if (!s->isnull) pfree(DatumGetPointer(s->value));
  }
  s->value = call->isnull ? 0 : value;
  s->isnull = call->isnull;
}

static void core_plain(Transition* t, char* state, const ArgVector* args, int n) {
  MemoryContext old = MemoryContextSwitchTo(t->shared->scratch);
  for (int i = 0; i < n; i++) {
    core_row(t, reinterpret_cast<CoreState*>(state), args, i);
    MemoryContextReset(t->shared->scratch);
  }
  MemoryContextSwitchTo(old);
}

static void core_grouped(Transition* t, char* states, size_t stride, const uint32* group, const ArgVector* args,
                         int n) {
  MemoryContext old = MemoryContextSwitchTo(t->shared->scratch);
  for (int i = 0; i < n; i++) {
    core_row(t, reinterpret_cast<CoreState*>(states + group[i] * stride), args, i);
    MemoryContextReset(t->shared->scratch);
  }
  MemoryContextSwitchTo(old);
}

static Datum core_result(Transition*, char* state, bool* isnull) {
  const CoreState* s = reinterpret_cast<const CoreState*>(state);
  *isnull = s->isnull;
  return s->value;
}

#define MR_CORE(fn, n_args) \
  {fn, n_args, sizeof(CoreState), false, false, core_init, core_plain, core_grouped, core_result}

const AggOps kCoreOps[] = {
    MR_CORE(F_NUMERIC_ACCUM, 1), MR_CORE(F_INT2_ACCUM, 1), MR_CORE(F_INT4_ACCUM, 1), MR_CORE(F_INT8_ACCUM, 1),
    MR_CORE(F_NUMERIC_LARGER, 1), MR_CORE(F_NUMERIC_SMALLER, 1), MR_CORE(F_TEXT_LARGER, 1),
    MR_CORE(F_TEXT_SMALLER, 1), MR_CORE(F_BPCHAR_LARGER, 1), MR_CORE(F_BPCHAR_SMALLER, 1),
    MR_CORE(F_INTERVAL_PL, 1), MR_CORE(F_INTERVAL_LARGER, 1), MR_CORE(F_INTERVAL_SMALLER, 1),
    MR_CORE(F_TIMETZ_LARGER, 1), MR_CORE(F_TIMETZ_SMALLER, 1), MR_CORE(F_CASH_PL, 1),
    MR_CORE(F_NETWORK_LARGER, 1), MR_CORE(F_NETWORK_SMALLER, 1), MR_CORE(F_PG_LSN_LARGER, 1),
    MR_CORE(F_PG_LSN_SMALLER, 1), MR_CORE(F_OIDLARGER, 1),
    MR_CORE(F_OIDSMALLER, 1), MR_CORE(F_BITAND, 1), MR_CORE(F_BITOR, 1), MR_CORE(F_BITXOR, 1),
    MR_CORE(F_INT8INC_FLOAT8_FLOAT8, 2), MR_CORE(F_FLOAT8_REGR_ACCUM, 2),
    {InvalidOid}};

}  // namespace mr

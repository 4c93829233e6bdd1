/*
 * agg_float.cpp: sums, averages, variances and extremes of float4 and float8, in
 * row order and with core's formulas: results are bit-identical to a serial plan's.
 */
#include "scan/agg_template.h"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
}

#include "scan/float_datum.h"

namespace mr {

template <class Float>
struct FloatState {
  Float value;
  int32 any;
};

template <class Float>
static Datum float_result(Transition*, char* state, bool* isnull) {
  const FloatState<Float>* s = reinterpret_cast<const FloatState<Float>*>(state);
  *isnull = !s->any;
  return s->any ? to_datum(s->value) : 0;
}

/* float4_pl() and float8_pl(). Float sums of many rows overflow rarely: the error is core's. */
template <class Float>
static void add_float(FloatState<Float>* s, Datum datum) {
  const Float value = from_datum<Float>(datum);
  if (unlikely(!s->any)) {
    s->value = value;
    s->any = 1;
    return;
  }
  const Float sum = s->value + value;
  if (unlikely(isinf(sum)) && !isinf(s->value) && !isinf(value)) float_overflow_error();
  s->value = sum;
}

/* Core keeps the new one of equals: it shows for 0 and -0. NaN is the greatest and equal to itself. */
template <class Float>
static bool float_greater(Float a, Float b) {
  return !isnan(b) && (isnan(a) || a > b);
}

template <class Float>
static void add_float_max(FloatState<Float>* s, Datum datum) {
  const Float value = from_datum<Float>(datum);
  if (!s->any || !float_greater(s->value, value)) s->value = value;
  s->any = 1;
}

template <class Float>
static void add_float_min(FloatState<Float>* s, Datum datum) {
  const Float value = from_datum<Float>(datum);
  if (!s->any || !float_greater(value, s->value)) s->value = value;
  s->any = 1;
}

/* float8_accum() and float4_accum(): Youngs and Cramer's update. */
struct Moments {
  float8 n;
  float8 sx;
  float8 sxx;
};

template <class Float>
static void add_moments(Moments* s, Datum datum) {
  const float8 value = from_datum<Float>(datum);
  const float8 old_n = s->n;
  const float8 old_sx = s->sx;
  const float8 n = old_n + 1.0;
  const float8 sx = old_sx + value;
  float8 sxx = s->sxx;
  if (old_n > 0.0) {
    const float8 tmp = value * n - sx;
    sxx += tmp * tmp / (n * old_n);
    if (unlikely(isinf(sx) || isinf(sxx))) {
      if (!isinf(old_sx) && !isinf(value)) float_overflow_error();
      sxx = get_float8_nan();
    }
  } else if (isnan(value) || isinf(value)) {
    sxx = get_float8_nan();
  }
  s->n = n;
  s->sx = sx;
  s->sxx = sxx;
}

static Datum moments_result(Transition*, char* state, bool* isnull) {
  const Moments* s = reinterpret_cast<const Moments*>(state);
  Datum items[3] = {Float8GetDatum(s->n), Float8GetDatum(s->sx), Float8GetDatum(s->sxx)};
  *isnull = false;
  return PointerGetDatum(construct_array(items, 3, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

template <class State, void (*kAdd)(State*, Datum)>
static constexpr AggOps float_ops(Oid transfn, Datum (*result)(Transition*, char*, bool*)) {
  return AggOps{transfn, 1, sizeof(State), false, false, nullptr, OneByOne<State, kAdd>::plain,
                OneByOne<State, kAdd>::grouped, result};
}

const AggOps kFloatOps[] = {
    float_ops<FloatState<float4>, add_float<float4>>(F_FLOAT4PL, float_result<float4>),
    float_ops<FloatState<float8>, add_float<float8>>(F_FLOAT8PL, float_result<float8>),
    float_ops<FloatState<float4>, add_float_max<float4>>(F_FLOAT4LARGER, float_result<float4>),
    float_ops<FloatState<float8>, add_float_max<float8>>(F_FLOAT8LARGER, float_result<float8>),
    float_ops<FloatState<float4>, add_float_min<float4>>(F_FLOAT4SMALLER, float_result<float4>),
    float_ops<FloatState<float8>, add_float_min<float8>>(F_FLOAT8SMALLER, float_result<float8>),
    float_ops<Moments, add_moments<float4>>(F_FLOAT4_ACCUM, moments_result),
    float_ops<Moments, add_moments<float8>>(F_FLOAT8_ACCUM, moments_result),
    {InvalidOid}};

}  // namespace mr

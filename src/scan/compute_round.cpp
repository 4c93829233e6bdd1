/*
 * compute_round.cpp: what rounds: casts to integers, to numeric(p, s) and to real, round(), trunc(), ceil(), floor().
 *
 * Rules are those of numeric.c (halves away from zero) and float.c (halves to even).
 */
#include "scan/computed.h"

extern "C" {
#include "utils/float.h"
#include "utils/fmgroids.h"
}

#include "scan/float_datum.h"
#include "scan/numeric_state.h"

namespace mr {

/* What becomes of a / b, b > 0, when it is no integer. */
struct HalfAway {
  static int64 divide(int64 a, int64 b) {
    const int64 rest = a % b;
    const int64 size = rest < 0 ? -rest : rest;
    return a / b + (size >= b - size ? (a < 0 ? -1 : 1) : 0);
  }
};
struct TowardZero {
  static int64 divide(int64 a, int64 b) { return a / b; }
};
struct Upward {
  static int64 divide(int64 a, int64 b) { return a / b + (a % b > 0); }
};
struct Downward {
  static int64 divide(int64 a, int64 b) { return a / b - (a % b < 0); }
};

/* From one scale to another, which may be negative: then hundreds or thousands are left, at scale 0. False: it does not fit. */
template <class Rule>
static bool rescale(int64 value, int from, int to, int64* out) {
  if (to > 18 || from - to > 18) return false;
  if (to >= from) return !__builtin_mul_overflow(value, kPowersOf10[to - from], out);
  const int64 rounded = Rule::divide(value, kPowersOf10[from - to]);
  return !__builtin_mul_overflow(rounded, kPowersOf10[Max(-to, 0)], out);
}

/* Brings the first argument to the scales that target(i) gives; one for all rows if same. */
template <class Rule, class Target>
static void rescale_column(Computed* c, int n, bool same, Target target) {
  const Computed* x = c->args[0];
  c->has_scales = !same;
  c->scale = 0;
  for (int i = 0; i < n; i++) {
    if (c->has_scales) c->scales[i] = 0;
    integers_out(c)[i] = 0;
    if (row_is_null(&c->out, i)) continue;
    const int64 to = target(i);
    if (to < -18 || to > 18 || !rescale<Rule>(integers(x)[i], scale_of(x, i), static_cast<int>(to), &integers_out(c)[i])) {
      mark_bad(c, i);
      continue;
    }
    const int scale = Max(static_cast<int>(to), 0);
    if (c->has_scales) c->scales[i] = static_cast<uint8>(scale);
    c->scale = Max(c->scale, scale);
  }
}

/* round(numeric, integer) and trunc(numeric, integer). */
template <class Rule>
static void run_to_scale(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const int64* scales = integers(c->args[1]);
  rescale_column<Rule>(c, n, c->args[1]->is_scalar, [=](int i) { return scales[i]; });
}

template <class Rule>
static void run_to_whole(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  rescale_column<Rule>(c, n, true, [](int) { return 0; });
}

/* As numeric_typmod_precision() and numeric_typmod_scale(), which numeric.c keeps to itself. */
static int precision_of(int64 typmod) { return static_cast<int>((typmod - VARHDRSZ) >> 16 & 0xFFFF); }
static int typmod_scale(int64 typmod) { return static_cast<int>(((typmod - VARHDRSZ) & 0x7FF) ^ 1024) - 1024; }

static bool too_long(int64 value, int digits) {
  return digits < 0 || (digits <= 18 && (value >= kPowersOf10[digits] || value <= -kPowersOf10[digits]));
}

/* numeric(numeric, typmod): what a column of that type would store, or its overflow. */
static void run_to_typmod(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const int64* typmods = integers(c->args[1]);
  const bool same = c->args[1]->is_scalar;
  find_bad(c, n, [=](int i) { return typmods[i] < VARHDRSZ; });
  rescale_column<HalfAway>(c, n, same, [=](int i) { return typmod_scale(typmods[i]); });
  find_bad(c, n, [=](int i) {
    const int scale = typmod_scale(typmods[i]);
    return too_long(integers_out(c)[i], precision_of(typmods[i]) + (scale < 0 ? -scale : 0));
  });
}

static void run_numeric_to_integer(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const Computed* x = c->args[0];
  for (int i = 0; i < n; i++) integers_out(c)[i] = HalfAway::divide(integers(x)[i], kPowersOf10[scale_of(x, i)]);
  find_bad(c, n, [=](int i) { return too_wide(c, integers_out(c)[i]); });
}

/* Below 2^24 integers, and powers of ten up to 10^10, are exact as real: see run_numeric_to_float(). */
static void run_numeric_to_real(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const Computed* x = c->args[0];
  constexpr int64 kExact = 1 << 24;
  for (int i = 0; i < n; i++) {
    if (row_is_null(&c->out, i)) continue;
    const int64 value = integers(x)[i];
    const int scale = scale_of(x, i);
    if (value > kExact || value < -kExact || scale > 10) mark_bad(c, i);
    c->out.values[i] = to_datum(static_cast<float4>(value) / static_cast<float4>(kPowersOf10[scale]));
  }
}

/* dtoi4(), ftoi4() and their kin. */
template <class Float>
static void run_float_to_integer(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const Datum* a = c->args[0]->vector->values;
  const float8 limit = ldexp(1.0, c->bytes * 8 - 1);
  for (int i = 0; i < n; i++) {
    const float8 whole = rint(from_datum<Float>(a[i]));
    const bool fits = whole >= -limit && whole < limit;
    integers_out(c)[i] = fits ? static_cast<int64>(whole) : 0;
    if (unlikely(!fits) && !row_is_null(&c->out, i)) mark_bad(c, i);
  }
}

static void run_float_round(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(rint(DatumGetFloat8(a))); });
}

static void run_float_ceil(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(ceil(DatumGetFloat8(a))); });
}

static void run_float_floor(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(floor(DatumGetFloat8(a))); });
}

static void run_float_trunc(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum {
    const float8 x = DatumGetFloat8(a);
    return to_datum(x >= 0 ? floor(x) : -floor(-x));
  });
}

#define MR_TO_INTEGER(fn, bytes, run) \
  { fn, 1, Form::kInteger, bytes, true, run }
#define MR_TO_NUMERIC(fn, n_args, run) \
  { fn, n_args, Form::kNumeric, 8, true, run }
#define MR_TO_FLOAT(fn, run) \
  { fn, 1, Form::kFloat8, 8, false, run }

const Operation kRounding[] = {
    MR_TO_INTEGER(F_INT2_NUMERIC, 2, run_numeric_to_integer),
    MR_TO_INTEGER(F_INT4_NUMERIC, 4, run_numeric_to_integer),
    MR_TO_INTEGER(F_INT8_NUMERIC, 8, run_numeric_to_integer),
    MR_TO_INTEGER(F_INT2_FLOAT4, 2, run_float_to_integer<float4>),
    MR_TO_INTEGER(F_INT4_FLOAT4, 4, run_float_to_integer<float4>),
    MR_TO_INTEGER(F_INT8_FLOAT4, 8, run_float_to_integer<float4>),
    MR_TO_INTEGER(F_INT2_FLOAT8, 2, run_float_to_integer<float8>),
    MR_TO_INTEGER(F_INT4_FLOAT8, 4, run_float_to_integer<float8>),
    MR_TO_INTEGER(F_INT8_FLOAT8, 8, run_float_to_integer<float8>),
    MR_TO_NUMERIC(F_NUMERIC_NUMERIC_INT4, 2, run_to_typmod),
    MR_TO_NUMERIC(F_ROUND_NUMERIC_INT4, 2, run_to_scale<HalfAway>),
    MR_TO_NUMERIC(F_TRUNC_NUMERIC_INT4, 2, run_to_scale<TowardZero>),
    MR_TO_NUMERIC(F_CEIL_NUMERIC, 1, run_to_whole<Upward>),
    MR_TO_NUMERIC(F_CEILING_NUMERIC, 1, run_to_whole<Upward>),
    MR_TO_NUMERIC(F_FLOOR_NUMERIC, 1, run_to_whole<Downward>),
    MR_TO_FLOAT(F_ROUND_FLOAT8, run_float_round),
    MR_TO_FLOAT(F_DROUND, run_float_round),
    MR_TO_FLOAT(F_CEIL_FLOAT8, run_float_ceil),
    MR_TO_FLOAT(F_CEILING_FLOAT8, run_float_ceil),
    MR_TO_FLOAT(F_FLOOR_FLOAT8, run_float_floor),
    MR_TO_FLOAT(F_TRUNC_FLOAT8, run_float_trunc),
    MR_TO_FLOAT(F_DTRUNC, run_float_trunc),
    {F_FLOAT4_NUMERIC, 1, Form::kDatum, 4, true, run_numeric_to_real},
    {InvalidOid}};

}  // namespace mr

/*
 * compute_number.cpp: arithmetic of integers, floats and numerics, and casts that do not round.
 *
 * Scales of numerics follow numeric.c: the greater one for + and -, the sum for *.
 */
#include "scan/computed.h"

#include <functional>

extern "C" {
#include "utils/float.h"
#include "utils/fmgroids.h"
}

#include "kernels/arithmetic.h"
#include "scan/float_datum.h"
#include "scan/numeric_state.h"

namespace mr {

/*
 * column() does all rows at once, or says that there may be some that overflow 64 bits or have no result; apply() tells for
 * each.
 */
struct Plus {
  static bool column(const int64* a, const int64* b, int n, int64* r) { return mr_add_i64(a, b, n, r); }
  static bool apply(int64 a, int64 b, int64* r) { return __builtin_add_overflow(a, b, r); }
};
struct Minus {
  static bool column(const int64* a, const int64* b, int n, int64* r) { return mr_subtract_i64(a, b, n, r); }
  static bool apply(int64 a, int64 b, int64* r) { return __builtin_sub_overflow(a, b, r); }
};
struct Times {
  static bool column(const int64* a, const int64* b, int n, int64* r) { return mr_multiply_i64(a, b, n, r); }
  static bool apply(int64 a, int64 b, int64* r) { return __builtin_mul_overflow(a, b, r); }
};
struct Divide {
  static bool column(const int64*, const int64*, int, int64*) { return false; }
  static bool apply(int64 a, int64 b, int64* r) {
    if (unlikely(b == 0 || b == -1)) {
      *r = 0;
      return b == 0 || __builtin_sub_overflow(static_cast<int64>(0), a, r);
    }
    *r = a / b;
    return false;
  }
};
/* int4mod() and its kin: what is divided by -1 leaves 0, without overflow. */
struct Modulo {
  static bool column(const int64*, const int64*, int, int64*) { return false; }
  static bool apply(int64 a, int64 b, int64* r) {
    *r = b == 0 || b == -1 ? 0 : a % b;
    return b == 0;
  }
};

template <class Op>
static void run_integers(Computed* c, const int64* a, const int64* b, int n) {
  int64* out = integers_out(c);
  bool overflow = false;
  if (!Op::column(a, b, n, out))
    for (int i = 0; i < n; i++) overflow |= Op::apply(a[i], b[i], &out[i]);
  if (c->form == Form::kInteger && c->bytes < 8)
    for (int i = 0; i < n; i++) overflow |= too_wide(c, out[i]);
  if (unlikely(overflow)) find_bad(c, n, [=](int i) {
    int64 r;
    return Op::apply(a[i], b[i], &r) || too_wide(c, r);
  });
}

template <class Op>
static void run_integer(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  run_integers<Op>(c, integers(c->args[0]), integers(c->args[1]), n);
}

static const int64 kZeros[kBatchRows] = {};

static void run_integer_negate(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  run_integers<Minus>(c, kZeros, integers(c->args[0]), n);
}

static void run_integer_abs(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const int64* a = integers(c->args[0]);
  int64* out = integers_out(c);
  bool overflow = false;
  for (int i = 0; i < n; i++) {
    out[i] = a[i] < 0 ? static_cast<int64>(-static_cast<uint64>(a[i])) : a[i];
    overflow |= out[i] < 0 || too_wide(c, out[i]);
  }
  if (unlikely(overflow)) find_bad(c, n, [=](int i) { return out[i] < 0 || too_wide(c, out[i]); });
}

/* Of integers as wide as Datums: the signs come out right. */
template <class Bits>
static void run_bits(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const Datum* a = c->args[0]->vector->values;
  const Datum* b = c->args[c->n_args - 1]->vector->values;
  for (int i = 0; i < n; i++) c->out.values[i] = Bits()(a[i], b[i]);
}

struct BitNot {
  Datum operator()(Datum a, Datum) const { return ~a; }
};

/* To another width, or to numeric. */
static void run_integer_cast(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  c->scale = 0;
  memcpy(c->out.values, c->args[0]->vector->values, sizeof(Datum) * n);
  const int64* out = integers_out(c);
  if (c->args[0]->bytes > c->bytes) find_bad(c, n, [=](int i) { return too_wide(c, out[i]); });
}

/* float8_pl(), float4_pl() and their kin raise errors where these say so. */
struct FloatPlus {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
  template <class T>
  static bool fails(T a, T b, T r) {
    return isinf(r) && !isinf(a) && !isinf(b);
  }
};
struct FloatMinus {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
  template <class T>
  static bool fails(T a, T b, T r) {
    return FloatPlus::fails(a, b, r);
  }
};
struct FloatTimes {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
  template <class T>
  static bool fails(T a, T b, T r) {
    return FloatPlus::fails(a, b, r) || (r == 0 && a != 0 && b != 0);
  }
};
struct FloatDivide {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
  template <class T>
  static bool fails(T a, T b, T r) {
    if (b == 0 && !isnan(a)) return true;
    return (isinf(r) && !isinf(a)) || (r == 0 && a != 0 && !isinf(b));
  }
};

/* Of a Left and a Right; with both real the result is real too. */
template <class Op, class Left = float8, class Right = float8>
static void run_float(Computed* c, ExprContext*, int n) {
  using T = decltype(Left() + Right());
  start_strict(c, n);
  const Datum* a = c->args[0]->vector->values;
  const Datum* b = c->args[1]->vector->values;
  bool suspect = false;
  for (int i = 0; i < n; i++) {
    const T x = from_datum<Left>(a[i]);
    const T y = from_datum<Right>(b[i]);
    const T r = Op::apply(x, y);
    suspect |= Op::fails(x, y, r);
    c->out.values[i] = to_datum(r);
  }
  if (likely(!suspect)) return;
  find_bad(c, n, [=](int i) {
    return Op::template fails<T>(from_datum<Left>(a[i]), from_datum<Right>(b[i]), from_datum<T>(c->out.values[i]));
  });
}

constexpr uint64 kSignBit = UINT64CONST(1) << 63;

static void run_float_negate(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return a ^ kSignBit; });
}

static void run_float_abs(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return a & ~kSignBit; });
}

static void run_integer_to_float(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(static_cast<float8>(static_cast<int64>(a))); });
}

/* Reals are no Form of their own: their Datums are what is calculated with. */
static void run_real_negate(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(-DatumGetFloat4(a)); });
}

static void run_real_abs(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(fabsf(DatumGetFloat4(a))); });
}

static void run_integer_to_real(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(static_cast<float4>(static_cast<int64>(a))); });
}

static void run_float8_to_float4(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(static_cast<float4>(DatumGetFloat8(a))); });
  const Datum* a = c->args[0]->vector->values;
  find_bad(c, n, [=](int i) {
    const float8 f = DatumGetFloat8(a[i]);
    const float4 r = DatumGetFloat4(c->out.values[i]);
    return (isinf(r) && !isinf(f)) || (r == 0 && f != 0);
  });
}

static void run_float4_to_float8(Computed* c, ExprContext*, int n) {
  each_value(c, n, [](Datum a) -> Datum { return to_datum(static_cast<float8>(DatumGetFloat4(a))); });
}

/*
 * Core goes through the number's text. Both integer and power of ten being exact, one division rounds
 * as strtod() does (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
 */
static void run_numeric_to_float(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const Computed* arg = c->args[0];
  const int64* a = integers(arg);
  constexpr int64 kExact = INT64CONST(1) << 53;
  for (int i = 0; i < n; i++) {
    if (row_is_null(&c->out, i)) continue;
    const int scale = scale_of(arg, i);
    if (a[i] > kExact || a[i] < -kExact) mark_bad(c, i);
    c->out.values[i] = Float8GetDatum(static_cast<float8>(a[i]) / static_cast<float8>(kPowersOf10[scale]));
  }
}

/* One operation on rows that have scales of their own. Fails: true. */
template <class Op, bool kProduct>
static bool scaled_row(int64 a, int scale_a, int64 b, int scale_b, int64* r, int* scale) {
  if (kProduct) {
    *scale = scale_a + scale_b;
    return *scale > 18 || Op::apply(a, b, r);
  }
  *scale = Max(scale_a, scale_b);
  if (__builtin_mul_overflow(a, kPowersOf10[*scale - scale_a], &a)) return true;
  if (__builtin_mul_overflow(b, kPowersOf10[*scale - scale_b], &b)) return true;
  return Op::apply(a, b, r);
}

template <class Op, bool kProduct>
static void run_mixed(Computed* c, int n) {
  const Computed* x = c->args[0];
  const Computed* y = c->args[1];
  c->has_scales = true;
  c->scale = 0;
  for (int i = 0; i < n; i++) {
    int scale = 0;
    c->scales[i] = 0;
    if (row_is_null(&c->out, i)) continue;
    if (scaled_row<Op, kProduct>(integers(x)[i], scale_of(x, i), integers(y)[i], scale_of(y, i), &integers_out(c)[i], &scale)) {
      mark_bad(c, i);
      continue;
    }
    c->scales[i] = static_cast<uint8>(scale);
    c->scale = Max(c->scale, scale);
  }
}

/* The values of c at a scale that is greater by `by`. False: some do not fit. */
static bool raise(const Computed* c, int n, int by, int64* out) {
  bool overflow = false;
  const int64* values = integers(c);
  if (c->is_scalar) {
    overflow = __builtin_mul_overflow(values[0], kPowersOf10[by], &out[0]);
    for (int i = 1; i < n; i++) out[i] = out[0];
  } else {
    for (int i = 0; i < n; i++) overflow |= __builtin_mul_overflow(values[i], kPowersOf10[by], &out[i]);
  }
  return !overflow;
}

template <class Op, bool kProduct>
static void run_numeric(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  const Computed* x = c->args[0];
  const Computed* y = c->args[1];
  if (x->has_scales || y->has_scales) return run_mixed<Op, kProduct>(c, n);
  const int64* a = integers(x);
  const int64* b = integers(y);
  if (kProduct) {
    c->scale = x->scale + y->scale;
    if (c->scale > 18) {
      c->scale = 0;
      return mark_all_bad(c, n);
    }
    return run_integers<Op>(c, a, b, n);
  }
  c->scale = Max(x->scale, y->scale);
  int64 raised[kBatchRows];
  const int by = x->scale - y->scale;
  if (by != 0) {
    if (!raise(by > 0 ? y : x, n, by > 0 ? by : -by, raised)) return run_mixed<Op, kProduct>(c, n);
    (by > 0 ? b : a) = raised;
  }
  run_integers<Op>(c, a, b, n);
}

static void keep_scale(Computed* c, int n) {
  const Computed* arg = c->args[0];
  c->scale = arg->scale;
  c->has_scales = arg->has_scales;
  if (arg->has_scales) memcpy(c->scales, arg->scales, n);
}

static void run_numeric_negate(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  keep_scale(c, n);
  run_integers<Minus>(c, kZeros, integers(c->args[0]), n);
}

static void run_numeric_abs(Computed* c, ExprContext* econtext, int n) {
  run_integer_abs(c, econtext, n);
  keep_scale(c, n);
}

static void run_same(Computed* c, ExprContext*, int n) {
  start_strict(c, n);
  if (c->form == Form::kNumeric) keep_scale(c, n);
  memcpy(c->out.values, c->args[0]->vector->values, sizeof(Datum) * n);
}

#define MR_INTEGER(fn, n_args, bytes, run) \
  { fn, n_args, Form::kInteger, bytes, true, run }
#define MR_BITS(name, n_args, bits)                                     \
  {F_INT2##name, n_args, Form::kInteger, 2, false, run_bits<bits>},     \
      {F_INT4##name, n_args, Form::kInteger, 4, false, run_bits<bits>}, \
      {F_INT8##name, n_args, Form::kInteger, 8, false, run_bits<bits>}
#define MR_CAST(fn, bytes, can_fail) \
  { fn, 1, Form::kInteger, bytes, can_fail, run_integer_cast }
#define MR_FLOAT(fn, n_args, can_fail, run) \
  { fn, n_args, Form::kFloat8, 8, can_fail, run }
#define MR_REAL(fn, n_args, can_fail, run) \
  { fn, n_args, Form::kDatum, 4, can_fail, run }
#define MR_NUMERIC(fn, n_args, run) \
  { fn, n_args, Form::kNumeric, 8, true, run }

const Operation kArithmetic[] = {
    MR_INTEGER(F_INT2PL, 2, 2, run_integer<Plus>),
    MR_INTEGER(F_INT4PL, 2, 4, run_integer<Plus>),
    MR_INTEGER(F_INT24PL, 2, 4, run_integer<Plus>),
    MR_INTEGER(F_INT42PL, 2, 4, run_integer<Plus>),
    MR_INTEGER(F_INT8PL, 2, 8, run_integer<Plus>),
    MR_INTEGER(F_INT28PL, 2, 8, run_integer<Plus>),
    MR_INTEGER(F_INT82PL, 2, 8, run_integer<Plus>),
    MR_INTEGER(F_INT48PL, 2, 8, run_integer<Plus>),
    MR_INTEGER(F_INT84PL, 2, 8, run_integer<Plus>),
    MR_INTEGER(F_INT2MI, 2, 2, run_integer<Minus>),
    MR_INTEGER(F_INT4MI, 2, 4, run_integer<Minus>),
    MR_INTEGER(F_INT24MI, 2, 4, run_integer<Minus>),
    MR_INTEGER(F_INT42MI, 2, 4, run_integer<Minus>),
    MR_INTEGER(F_INT8MI, 2, 8, run_integer<Minus>),
    MR_INTEGER(F_INT28MI, 2, 8, run_integer<Minus>),
    MR_INTEGER(F_INT82MI, 2, 8, run_integer<Minus>),
    MR_INTEGER(F_INT48MI, 2, 8, run_integer<Minus>),
    MR_INTEGER(F_INT84MI, 2, 8, run_integer<Minus>),
    MR_INTEGER(F_INT2MUL, 2, 2, run_integer<Times>),
    MR_INTEGER(F_INT4MUL, 2, 4, run_integer<Times>),
    MR_INTEGER(F_INT24MUL, 2, 4, run_integer<Times>),
    MR_INTEGER(F_INT42MUL, 2, 4, run_integer<Times>),
    MR_INTEGER(F_INT8MUL, 2, 8, run_integer<Times>),
    MR_INTEGER(F_INT28MUL, 2, 8, run_integer<Times>),
    MR_INTEGER(F_INT82MUL, 2, 8, run_integer<Times>),
    MR_INTEGER(F_INT48MUL, 2, 8, run_integer<Times>),
    MR_INTEGER(F_INT84MUL, 2, 8, run_integer<Times>),
    MR_INTEGER(F_INT2DIV, 2, 2, run_integer<Divide>),
    MR_INTEGER(F_INT4DIV, 2, 4, run_integer<Divide>),
    MR_INTEGER(F_INT24DIV, 2, 4, run_integer<Divide>),
    MR_INTEGER(F_INT42DIV, 2, 4, run_integer<Divide>),
    MR_INTEGER(F_INT8DIV, 2, 8, run_integer<Divide>),
    MR_INTEGER(F_INT28DIV, 2, 8, run_integer<Divide>),
    MR_INTEGER(F_INT82DIV, 2, 8, run_integer<Divide>),
    MR_INTEGER(F_INT48DIV, 2, 8, run_integer<Divide>),
    MR_INTEGER(F_INT84DIV, 2, 8, run_integer<Divide>),
    MR_INTEGER(F_INT2MOD, 2, 2, run_integer<Modulo>),
    MR_INTEGER(F_INT4MOD, 2, 4, run_integer<Modulo>),
    MR_INTEGER(F_INT8MOD, 2, 8, run_integer<Modulo>),
    MR_INTEGER(F_MOD_INT2_INT2, 2, 2, run_integer<Modulo>),
    MR_INTEGER(F_MOD_INT4_INT4, 2, 4, run_integer<Modulo>),
    MR_INTEGER(F_MOD_INT8_INT8, 2, 8, run_integer<Modulo>),
    MR_INTEGER(F_INT2UM, 1, 2, run_integer_negate),
    MR_INTEGER(F_INT4UM, 1, 4, run_integer_negate),
    MR_INTEGER(F_INT8UM, 1, 8, run_integer_negate),
    MR_INTEGER(F_INT2ABS, 1, 2, run_integer_abs),
    MR_INTEGER(F_INT4ABS, 1, 4, run_integer_abs),
    MR_INTEGER(F_INT8ABS, 1, 8, run_integer_abs),
    MR_INTEGER(F_ABS_INT2, 1, 2, run_integer_abs),
    MR_INTEGER(F_ABS_INT4, 1, 4, run_integer_abs),
    MR_INTEGER(F_ABS_INT8, 1, 8, run_integer_abs),
    MR_BITS(AND, 2, std::bit_and<>),
    MR_BITS(OR, 2, std::bit_or<>),
    MR_BITS(XOR, 2, std::bit_xor<>),
    MR_BITS(NOT, 1, BitNot),
    MR_CAST(F_INT2UP, 2, false),
    MR_CAST(F_INT4UP, 4, false),
    MR_CAST(F_INT8UP, 8, false),
    MR_CAST(F_INT4_INT2, 4, false),
    MR_CAST(F_INT8_INT2, 8, false),
    MR_CAST(F_INT8_INT4, 8, false),
    MR_CAST(F_INT2_INT4, 2, true),
    MR_CAST(F_INT2_INT8, 2, true),
    MR_CAST(F_INT4_INT8, 4, true),
    MR_CAST(F_INT4_BOOL, 4, false),
    MR_FLOAT(F_FLOAT8PL, 2, true, run_float<FloatPlus>),
    MR_FLOAT(F_FLOAT8MI, 2, true, run_float<FloatMinus>),
    MR_FLOAT(F_FLOAT8MUL, 2, true, run_float<FloatTimes>),
    MR_FLOAT(F_FLOAT8DIV, 2, true, run_float<FloatDivide>),
    MR_FLOAT(F_FLOAT48PL, 2, true, (run_float<FloatPlus, float4, float8>)),
    MR_FLOAT(F_FLOAT48MI, 2, true, (run_float<FloatMinus, float4, float8>)),
    MR_FLOAT(F_FLOAT48MUL, 2, true, (run_float<FloatTimes, float4, float8>)),
    MR_FLOAT(F_FLOAT48DIV, 2, true, (run_float<FloatDivide, float4, float8>)),
    MR_FLOAT(F_FLOAT84PL, 2, true, (run_float<FloatPlus, float8, float4>)),
    MR_FLOAT(F_FLOAT84MI, 2, true, (run_float<FloatMinus, float8, float4>)),
    MR_FLOAT(F_FLOAT84MUL, 2, true, (run_float<FloatTimes, float8, float4>)),
    MR_FLOAT(F_FLOAT84DIV, 2, true, (run_float<FloatDivide, float8, float4>)),
    MR_REAL(F_FLOAT4PL, 2, true, (run_float<FloatPlus, float4, float4>)),
    MR_REAL(F_FLOAT4MI, 2, true, (run_float<FloatMinus, float4, float4>)),
    MR_REAL(F_FLOAT4MUL, 2, true, (run_float<FloatTimes, float4, float4>)),
    MR_REAL(F_FLOAT4DIV, 2, true, (run_float<FloatDivide, float4, float4>)),
    MR_REAL(F_FLOAT4UM, 1, false, run_real_negate),
    MR_REAL(F_FLOAT4UP, 1, false, run_same),
    MR_REAL(F_FLOAT4ABS, 1, false, run_real_abs),
    MR_REAL(F_ABS_FLOAT4, 1, false, run_real_abs),
    MR_REAL(F_FLOAT4_INT2, 1, false, run_integer_to_real),
    MR_REAL(F_FLOAT4_INT4, 1, false, run_integer_to_real),
    MR_REAL(F_FLOAT4_INT8, 1, false, run_integer_to_real),
    MR_REAL(F_FLOAT4_FLOAT8, 1, true, run_float8_to_float4),
    MR_FLOAT(F_FLOAT8UM, 1, false, run_float_negate),
    MR_FLOAT(F_FLOAT8UP, 1, false, run_same),
    MR_FLOAT(F_FLOAT8ABS, 1, false, run_float_abs),
    MR_FLOAT(F_ABS_FLOAT8, 1, false, run_float_abs),
    MR_FLOAT(F_FLOAT8_INT2, 1, false, run_integer_to_float),
    MR_FLOAT(F_FLOAT8_INT4, 1, false, run_integer_to_float),
    MR_FLOAT(F_FLOAT8_INT8, 1, false, run_integer_to_float),
    MR_FLOAT(F_FLOAT8_FLOAT4, 1, false, run_float4_to_float8),
    MR_FLOAT(F_FLOAT8_NUMERIC, 1, true, run_numeric_to_float),
    MR_NUMERIC(F_NUMERIC_ADD, 2, (run_numeric<Plus, false>)),
    MR_NUMERIC(F_NUMERIC_SUB, 2, (run_numeric<Minus, false>)),
    MR_NUMERIC(F_NUMERIC_MUL, 2, (run_numeric<Times, true>)),
    MR_NUMERIC(F_NUMERIC_MOD, 2, (run_numeric<Modulo, false>)),
    MR_NUMERIC(F_MOD_NUMERIC_NUMERIC, 2, (run_numeric<Modulo, false>)),
    MR_NUMERIC(F_NUMERIC_UMINUS, 1, run_numeric_negate),
    MR_NUMERIC(F_NUMERIC_UPLUS, 1, run_same),
    MR_NUMERIC(F_NUMERIC_ABS, 1, run_numeric_abs),
    MR_NUMERIC(F_ABS_NUMERIC, 1, run_numeric_abs),
    MR_NUMERIC(F_NUMERIC_INT2, 1, run_integer_cast),
    MR_NUMERIC(F_NUMERIC_INT4, 1, run_integer_cast),
    MR_NUMERIC(F_NUMERIC_INT8, 1, run_integer_cast),
    {InvalidOid}};

}  // namespace mr

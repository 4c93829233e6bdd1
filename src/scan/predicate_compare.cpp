/*
 * predicate_compare.cpp: a column or expression against a constant or parameter, or against another one.
 */
#include "scan/predicates.h"

extern "C" {
#include "access/detoast.h"
#include "access/toast_internals.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"
}

#include "scan/numeric_state.h"

namespace mr {

int64 float_key(Datum value, Oid type) {
  const float8 f = type == FLOAT4OID ? static_cast<float8>(DatumGetFloat4(value)) : DatumGetFloat8(value);
  int64 key;
  mr_float_order(&f, 1, &key);
  return key;
}

const int64* float_keys(const Operand* o, int n, int64* room) {
  const Datum* values = operand_vector(o)->values;
  if (o->type == FLOAT4OID) {
    float8 wide[kBatchRows];
    for (int i = 0; i < n; i++) wide[i] = DatumGetFloat4(values[i]);
    mr_float_order(wide, n, room);
  } else {
    mr_float_order(reinterpret_cast<const float8*>(values), n, room);
  }
  return room;
}

/* ---- dates against timestamps ---- */

/*
 * A timestamp to compare dates with: dates are midnights, so `date < t` is `date < the first
 * midnight at or after t`, and so on. As date_cmp_timestamp_internal(), where dates too late for
 * a timestamp are above all finite ones.
 */
void date_bound(Predicate* p) {
  const Timestamp t = DatumGetTimestamp(p->value);
  if (TIMESTAMP_IS_NOBEGIN(t) || TIMESTAMP_IS_NOEND(t)) {
    p->value = static_cast<Datum>(static_cast<int64>(TIMESTAMP_IS_NOEND(t) ? DATEVAL_NOEND : DATEVAL_NOBEGIN));
    return;
  }
  int64 day = t / USECS_PER_DAY;
  if (t % USECS_PER_DAY < 0) day--;
  const bool midnight = day * USECS_PER_DAY == t;
  if (!midnight && (p->op == kMrEq || p->op == kMrNe))
    day = PG_INT64_MIN; /* no date is that */
  else if (!midnight && (p->op == kMrLt || p->op == kMrGe))
    day++;
  p->value = static_cast<Datum>(day);
}

int64 timestamp_key(int64 date) {
  if (date == DATEVAL_NOBEGIN) return DT_NOBEGIN;
  if (date == DATEVAL_NOEND) return DT_NOEND;
  if (date >= TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE) return DT_NOEND - 1;
  return date * USECS_PER_DAY;
}

/* ---- numerics ---- */

/* One side of a comparison, as far as it could be brought to integers. */
struct NumericSide {
  const Operand* operand;
  const int64* values; /* NULL: look at each Datum */
  int scale;
  const uint8* scales;
};

static NumericSide numeric_side(const Operand* o, int n, int64* room) {
  NumericSide side = {o, nullptr, 0, nullptr};
  if (o->attno == 0) {
    side.values = integers(o->computed);
    side.scale = o->computed->scale;
    if (o->computed->has_scales) side.scales = o->computed->scales;
  } else if (numeric_column(o->column, n, room, &side.scale)) {
    side.values = room;
  }
  return side;
}

static bool side_value(const NumericSide* side, int i, int64* value, int* scale) {
  if (side->values == nullptr) return numeric_to_scaled(side->operand->column->values[i], value, scale);
  *value = side->values[i];
  *scale = side->scales != nullptr ? side->scales[i] : side->scale;
  return true;
}

static Datum side_datum(const NumericSide* side, int i) {
  if (side->operand->attno > 0) return side->operand->column->values[i];
  int64 value;
  int scale;
  (void)side_value(side, i, &value, &scale);
  return NumericGetDatum(int64_div_fast_to_numeric(value, scale));
}

static int compare_datums(Datum a, Datum b) { return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b)); }

/* The predicate's value at a scale; false where it has none. */
static bool value_at_scale(const Predicate* p, int scale, int64* value) {
  return p->scaled && scale >= p->scale && !__builtin_mul_overflow(p->scaled_value, kPowersOf10[scale - p->scale], value);
}

/* Few rows of a column, moved together. False: nothing is done, they are no integers of one scale. */
static bool compare_few_numerics(const Predicate* p, int n, const uint64* alive, uint64* bits) {
  const Vector* v = p->left.column;
  if (v->has_nulls || !p->scaled) return false;
  Datum some[kBatchRows];
  int64 values[kBatchRows];
  uint64 holds[kMaskWords];
  const Vector moved = {some, nullptr, false};
  const int m = static_cast<int>(mr_compress_i64(reinterpret_cast<const int64*>(v->values), alive, n, reinterpret_cast<int64*>(some)));
  int scale;
  int64 with;
  if (!numeric_column(&moved, m, values, &scale) || !value_at_scale(p, scale, &with)) return false;
  mr_compare_i64(values, m, p->op, with, holds);
  int k = -1;
  each_alive(nullptr, n, alive, bits, [&](int) {
    k++;
    return (holds[k / 64] >> (k % 64) & 1) != 0;
  });
  return true;
}

static void compare_numeric(Predicate* p, int n, const uint64* alive, uint64* bits) {
  int64 room[kBatchRows];
  const bool few = p->left.attno > 0 && alive != nullptr && count_rows(alive, n) * 2 < n;
  if (few && compare_few_numerics(p, n, alive, bits)) return;
  NumericSide side = {&p->left, nullptr, 0, nullptr};
  if (!few) side = numeric_side(&p->left, n, room);
  int64 with;
  if (side.values != nullptr && side.scales == nullptr && value_at_scale(p, side.scale, &with))
    return mr_compare_i64(side.values, n, p->op, with, bits);
  each_alive(operand_vector(&p->left), n, alive, bits, [&](int i) {
    int64 v;
    int scale;
    if (p->scaled && side_value(&side, i, &v, &scale))
      return satisfies(compare_scaled(v, scale, p->scaled_value, p->scale), p->op);
    return satisfies(compare_datums(side_datum(&side, i), p->value), p->op);
  });
}

static void compare_numerics(Predicate* p, int n, const uint64* alive, uint64* bits) {
  int64 room_left[kBatchRows];
  int64 room_right[kBatchRows];
  const NumericSide a = numeric_side(&p->left, n, room_left);
  const NumericSide b = numeric_side(&p->right, n, room_right);
  if (a.values != nullptr && b.values != nullptr && a.scales == nullptr && b.scales == nullptr && a.scale == b.scale)
    return mr_compare_columns_i64(a.values, b.values, n, p->op, bits);
  const Vector* right = operand_vector(&p->right);
  each_alive(operand_vector(&p->left), n, alive, bits, [&](int i) {
    int64 v, w;
    int scale_v, scale_w;
    if (row_is_null(right, i)) return false;
    if (side_value(&a, i, &v, &scale_v) && side_value(&b, i, &w, &scale_w))
      return satisfies(compare_scaled(v, scale_v, w, scale_w), p->op);
    return satisfies(compare_datums(side_datum(&a, i), side_datum(&b, i)), p->op);
  });
}

/* ---- bytes ---- */

static bool bytes_equal(Domain domain, Datum value, const char* other, int length) {
  struct varlena* v = reinterpret_cast<struct varlena*>(DatumGetPointer(value));
  /* As texteq(): the length alone tells most, without detoasting. */
  if (is_toasted(v) && domain == Domain::kBytes && toast_raw_datum_size(value) - VARHDRSZ != static_cast<Size>(length))
    return false;
  const Bytes b = bytes_of(value, domain);
  const bool equal = b.n == length && memcmp(b.p, other, length) == 0;
  free_bytes(b);
  return equal;
}

static void compare_text(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const Bytes other = bytes_of(p->value, p->domain);
  const Vector* v = operand_vector(&p->left);
  if (p->op == kMrEq || p->op == kMrNe)
    return each_alive(v, n, alive, bits, [=](int i) {
      return bytes_equal(p->domain, v->values[i], other.p, other.n) == (p->op == kMrEq);
    });
  each_alive(v, n, alive, bits, [=](int i) {
    const Bytes b = bytes_of(v->values[i], p->domain);
    const int cmp = compare_bytes(b.p, b.n, other.p, other.n);
    free_bytes(b);
    return satisfies(cmp, p->op);
  });
}

static void compare_texts(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const Vector* left = operand_vector(&p->left);
  const Vector* right = operand_vector(&p->right);
  each_alive(left, n, alive, bits, [=](int i) {
    if (row_is_null(right, i)) return false;
    const Bytes a = bytes_of(left->values[i], p->domain);
    const Bytes b = bytes_of(right->values[i], p->domain);
    const int cmp = compare_bytes(a.p, a.n, b.p, b.n);
    free_bytes(a);
    free_bytes(b);
    return satisfies(cmp, p->op);
  });
}

/* ---- */

void find_value(Predicate* p, ExprContext* econtext) {
  if (p->copy != nullptr) pfree(p->copy);
  p->copy = nullptr;
  p->value = ExecEvalExprSwitchContext(p->state, econtext, &p->isnull);
  p->known = true;
  p->zone = session_timezone;
  if (p->isnull) return;
  const Oid type = getBaseType(exprType(reinterpret_cast<Node*>(p->expr)));
  MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_query_memory);
  switch (p->domain) {
    case Domain::kInteger:
      p->value = canonical(p->value, get_typlen(type));
      break;
    case Domain::kDateZoned:
    case Domain::kTimestampZoned:
    case Domain::kZonedDate:
    case Domain::kZonedTimestamp:
      p->value = canonical(p->value, get_typlen(type));
      find_zoned_value(p);
      break;
    case Domain::kDateTimestamp:
      date_bound(p);
      break;
    case Domain::kTimestampDate:
      p->value = static_cast<Datum>(timestamp_key(DatumGetDateADT(p->value)));
      break;
    case Domain::kFloat:
      p->value = static_cast<Datum>(float_key(p->value, type));
      break;
    case Domain::kUuid:
      p->copy = static_cast<struct varlena*>(palloc(UUID_LEN));
      memcpy(p->copy, DatumGetPointer(p->value), UUID_LEN);
      p->value = PointerGetDatum(p->copy);
      break;
    default:
      p->copy = PG_DETOAST_DATUM_COPY(p->value);
      p->value = PointerGetDatum(p->copy);
      if (p->domain == Domain::kNumeric) p->scaled = numeric_to_scaled(p->value, &p->scaled_value, &p->scale);
  }
  MemoryContextSwitchTo(old);
}

void compare_with_value(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const Vector* v = operand_vector(&p->left);
  const int64* values = reinterpret_cast<const int64*>(v->values);
  int64 keys[kBatchRows];
  if (is_zoned(p->domain) && !p->plain) return compare_zoned_with_value(p, n, alive, bits);
  switch (p->domain) {
    case Domain::kNumeric:
      return compare_numeric(p, n, alive, bits);
    case Domain::kBytes:
    case Domain::kBpchar:
      return compare_text(p, n, alive, bits);
    case Domain::kUuid:
      return each_alive(v, n, alive, bits, [=](int i) {
        return satisfies(memcmp(DatumGetPointer(v->values[i]), DatumGetPointer(p->value), UUID_LEN), p->op);
      });
    case Domain::kFloat:
      values = float_keys(&p->left, n, keys);
      break;
    default:
      break;
  }
  mr_compare_i64(values, n, p->op, static_cast<int64>(p->value), bits);
}

static const int64* timestamp_keys(const int64* dates, int n, int64* room) {
  for (int i = 0; i < n; i++) room[i] = timestamp_key(dates[i]);
  return room;
}

void compare_vectors(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const Vector* left = operand_vector(&p->left);
  const Vector* right = operand_vector(&p->right);
  const int64* a = reinterpret_cast<const int64*>(left->values);
  const int64* b = reinterpret_cast<const int64*>(right->values);
  int64 room_left[kBatchRows];
  int64 room_right[kBatchRows];
  if (is_zoned(p->domain)) return compare_zoned(p, n, alive, bits);
  switch (p->domain) {
    case Domain::kNumeric:
      return compare_numerics(p, n, alive, bits);
    case Domain::kBytes:
    case Domain::kBpchar:
      return compare_texts(p, n, alive, bits);
    case Domain::kUuid:
      return each_alive(left, n, alive, bits, [=](int i) {
        return !row_is_null(right, i) &&
               satisfies(memcmp(DatumGetPointer(left->values[i]), DatumGetPointer(right->values[i]), UUID_LEN), p->op);
      });
    case Domain::kFloat:
      a = float_keys(&p->left, n, room_left);
      b = float_keys(&p->right, n, room_right);
      break;
    case Domain::kDateTimestamp:
      a = timestamp_keys(a, n, room_left);
      break;
    case Domain::kTimestampDate:
      b = timestamp_keys(b, n, room_right);
      break;
    default:
      break;
  }
  mr_compare_columns_i64(a, b, n, p->op, bits);
}

}  // namespace mr

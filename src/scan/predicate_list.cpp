/*
 * predicate_list.cpp: IN and NOT IN: = ANY and <> ALL of an array that is a constant or parameter.
 *
 * The list is brought to sorted integers, or to strings sorted by length and bytes, once.
 */
#include "scan/predicates.h"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/uuid.h"
}

#include "scan/numeric_state.h"

namespace mr {

struct InList {
  MemoryContext context; /* holds all of it; reset when a parameter has changed */
  InListFacts facts;
  int n;
  int64* keys; /* integers, floats as keys, numerics at scale */
  int scale;
  int n_odd; /* numerics that do not fit */
  Datum* odd;
  Bytes* strings;
};

InList* in_list_make() { return static_cast<InList*>(palloc0(sizeof(InList))); }

static int by_value(const void* a, const void* b) {
  const int64 x = *static_cast<const int64*>(a);
  const int64 y = *static_cast<const int64*>(b);
  return x < y ? -1 : x > y;
}

static int order_of(const char* a, int n, const char* b, int m) { return n != m ? n - m : memcmp(a, b, n); }

static int by_length(const void* a, const void* b) {
  const Bytes* x = static_cast<const Bytes*>(a);
  const Bytes* y = static_cast<const Bytes*>(b);
  return order_of(x->p, x->n, y->p, y->n);
}

/* All at the greatest scale there is among them; those that do not fit are odd. */
static void take_numerics(InList* list, const Datum* items, int n) {
  int* scales = static_cast<int*>(palloc(sizeof(int) * n));
  Datum* taken = static_cast<Datum*>(palloc(sizeof(Datum) * n));
  list->odd = static_cast<Datum*>(palloc(sizeof(Datum) * n));
  list->scale = 0;
  for (int i = 0; i < n; i++) {
    if (!numeric_to_scaled(items[i], &list->keys[list->n], &scales[list->n])) {
      list->odd[list->n_odd++] = items[i];
      continue;
    }
    list->scale = Max(list->scale, scales[list->n]);
    taken[list->n++] = items[i];
  }
  int m = 0;
  for (int i = 0; i < list->n; i++) {
    int64 key;
    if (__builtin_mul_overflow(list->keys[i], kPowersOf10[list->scale - scales[i]], &key))
      list->odd[list->n_odd++] = taken[i];
    else
      list->keys[m++] = key;
  }
  list->n = m;
}

static void take_items(Predicate* p, const Datum* items, int n, Oid type, int16 length) {
  InList* list = p->list;
  list->keys = static_cast<int64*>(palloc(sizeof(int64) * n));
  switch (p->domain) {
    case Domain::kNumeric:
      take_numerics(list, items, n);
      break;
    case Domain::kFloat:
      for (int i = 0; i < n; i++) list->keys[list->n++] = float_key(items[i], type);
      break;
    case Domain::kBytes:
    case Domain::kBpchar:
    case Domain::kUuid:
      list->strings = static_cast<Bytes*>(palloc(sizeof(Bytes) * n));
      for (int i = 0; i < n; i++) {
        Bytes* b = &list->strings[list->n++];
        if (p->domain == Domain::kUuid)
          *b = {static_cast<const char*>(DatumGetPointer(items[i])), UUID_LEN, nullptr};
        else
          *b = bytes_of(items[i], p->domain);
      }
      qsort(list->strings, list->n, sizeof(Bytes), by_length);
      return;
    default:
      for (int i = 0; i < n; i++) list->keys[list->n++] = static_cast<int64>(canonical(items[i], length));
  }
  qsort(list->keys, list->n, sizeof(int64), by_value);
}

static void find_list(Predicate* p, ExprContext* econtext) {
  InList* list = p->list;
  if (list->context == nullptr)
    list->context = AllocSetContextCreate(econtext->ecxt_per_query_memory, "millrace list", ALLOCSET_SMALL_SIZES);
  MemoryContextReset(list->context);
  const MemoryContext context = list->context;
  *list = {};
  list->context = context;
  bool isnull;
  const Datum value = ExecEvalExprSwitchContext(p->state, econtext, &isnull);
  list->facts.is_null = isnull;
  if (isnull) return;
  MemoryContext old = MemoryContextSwitchTo(context);
  ArrayType* array = DatumGetArrayTypePCopy(value);
  const Oid type = ARR_ELEMTYPE(array);
  int16 length;
  bool byval;
  char align;
  get_typlenbyvalalign(type, &length, &byval, &align);
  Datum* items;
  bool* nulls;
  int n;
  deconstruct_array(array, type, length, byval, align, &items, &nulls, &n);
  list->facts.is_empty = n == 0;
  int m = 0;
  for (int i = 0; i < n; i++) {
    if (nulls[i])
      list->facts.has_null = true;
    else
      items[m++] = items[i];
  }
  if (m > 0) take_items(p, items, m, type, length);
  MemoryContextSwitchTo(old);
}

InListFacts in_list_facts(Predicate* p, ExprContext* econtext) {
  if (!p->known) find_list(p, econtext);
  p->known = true;
  return p->list->facts;
}

static bool among(const InList* list, int64 value) {
  int low = 0;
  for (int n = list->n; n > 0;) {
    const int half = n / 2;
    const bool right = list->keys[low + half] < value;
    low = right ? low + half + 1 : low;
    n = right ? n - half - 1 : half;
  }
  return low < list->n && list->keys[low] == value;
}

static bool among_strings(const InList* list, const char* p, int n) {
  int low = 0;
  int high = list->n;
  while (low < high) {
    const int middle = (low + high) / 2;
    const int cmp = order_of(list->strings[middle].p, list->strings[middle].n, p, n);
    if (cmp == 0) return true;
    if (cmp < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

static void integers_among(const InList* list, const int64* values, const Vector* v, int n, const uint64* alive,
                           uint64* bits) {
  if (list->n > 8) return each_alive(v, n, alive, bits, [=](int i) { return among(list, values[i]); });
  uint64 hit[kMaskWords];
  for (int k = 0; k < list->n; k++) {
    mr_compare_i64(values, n, kMrEq, list->keys[k], hit);
    for (int w = 0; w < (n + 63) / 64; w++) bits[w] |= hit[w];
  }
}

static bool scaled_among(const InList* list, int64 value, int scale) {
  if (scale <= list->scale) {
    if (__builtin_mul_overflow(value, kPowersOf10[list->scale - scale], &value)) return false;
  } else {
    const int64 by = kPowersOf10[scale - list->scale];
    if (value % by != 0) return false;
    value /= by;
  }
  return among(list, value);
}

static bool numeric_among(const InList* list, Datum value) {
  int64 v;
  int scale;
  const bool fits = numeric_to_scaled(value, &v, &scale);
  if (fits && scaled_among(list, v, scale)) return true;
  for (int k = 0; k < list->n_odd; k++)
    if (DatumGetBool(DirectFunctionCall2(numeric_eq, value, list->odd[k]))) return true;
  if (fits) return false;
  /* More digits than fit may still be zeroes. */
  for (int k = 0; k < list->n; k++) {
    const Datum item = NumericGetDatum(int64_div_fast_to_numeric(list->keys[k], list->scale));
    if (DatumGetBool(DirectFunctionCall2(numeric_eq, value, item))) return true;
  }
  return false;
}

static void numerics_among(const Predicate* p, int n, const uint64* alive, uint64* bits) {
  const InList* list = p->list;
  const Vector* v = operand_vector(&p->left);
  if (p->left.attno > 0)
    return each_alive(v, n, alive, bits, [=](int i) { return numeric_among(list, v->values[i]); });
  const Computed* c = p->left.computed;
  each_alive(v, n, alive, bits, [=](int i) {
    const int scale = scale_of(c, i);
    if (list->n_odd == 0) return scaled_among(list, integers(c)[i], scale);
    return numeric_among(list, NumericGetDatum(int64_div_fast_to_numeric(integers(c)[i], scale)));
  });
}

void in_list_eval(Predicate* p, int n, const uint64* alive, uint64* bits) {
  const InList* list = p->list;
  const Vector* v = operand_vector(&p->left);
  switch (p->domain) {
    case Domain::kNumeric:
      return numerics_among(p, n, alive, bits);
    case Domain::kFloat: {
      int64 keys[kBatchRows];
      return integers_among(list, float_keys(&p->left, n, keys), v, n, alive, bits);
    }
    case Domain::kUuid:
      return each_alive(v, n, alive, bits, [=](int i) {
        return among_strings(list, static_cast<const char*>(DatumGetPointer(v->values[i])), UUID_LEN);
      });
    case Domain::kBytes:
    case Domain::kBpchar:
      return each_alive(v, n, alive, bits, [=](int i) {
        const Bytes b = bytes_of(v->values[i], p->domain);
        const bool found = among_strings(list, b.p, b.n);
        free_bytes(b);
        return found;
      });
    default:
      return integers_among(list, reinterpret_cast<const int64*>(v->values), v, n, alive, bits);
  }
}

}  // namespace mr

/*
 * topn.cpp: the best k rows so far, as codes, and who is not among them.
 *
 *   topn_compile()  sort keys that have codes
 *   topn_prune()    a batch: the first key's codes against the worst of the best k
 *   topn_admit()    a row: all keys' codes
 *
 * tuplesort.c with a bound of k keeps all rows until it has 2 k + 1, then a heap of the
 * best k, and from then on a row that compares >= the heap's top changes nothing
 * (puttuple_common(), TSS_BOUNDED). Only such rows are left out here, and only after 2 k + 1
 * rows were handed on: with less it would have run a quicksort, which orders equal rows
 * differently. With too little memory for k rows it would have gone to tapes; such scans are
 * not pruned.
 */
#include "scan/topn.h"

extern "C" {
#include "access/nbtree.h"
#include "executor/executor.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/uuid.h"
}

#include "kernels/filter.h"
#include "pg/compat_scan.h"
#include "scan/numeric_state.h"

namespace mr {

constexpr int64 kMaxBound = 100000;
constexpr int kScaleOfUnlimited = 6; /* for numeric without a scale; values with more digits are not pruned */

struct Comparator {
  Oid function; /* btree support function 1 */
  CodeKind kind;
  bool exact;
};

static const Comparator kComparators[] = {{F_BTINT2CMP, CodeKind::kInteger, true},
                                          {F_BTINT4CMP, CodeKind::kInteger, true},
                                          {F_BTINT8CMP, CodeKind::kInteger, true},
                                          {F_BTBOOLCMP, CodeKind::kInteger, true},
                                          {F_BTOIDCMP, CodeKind::kUnsigned, true},
                                          {F_BTCHARCMP, CodeKind::kByte, true},
                                          {F_DATE_CMP, CodeKind::kInteger, true},
                                          {F_TIME_CMP, CodeKind::kInteger, true},
                                          {F_TIMESTAMP_CMP, CodeKind::kInteger, true},
                                          {F_TIMESTAMPTZ_CMP, CodeKind::kInteger, true},
                                          {F_CASH_CMP, CodeKind::kInteger, true},
                                          {F_BTFLOAT4CMP, CodeKind::kFloat4, true},
                                          {F_BTFLOAT8CMP, CodeKind::kFloat8, true},
                                          {F_NUMERIC_CMP, CodeKind::kNumeric, true},
                                          {F_BTTEXTCMP, CodeKind::kText, false},
                                          {F_BPCHARCMP, CodeKind::kBpchar, false},
                                          {F_UUID_CMP, CodeKind::kUuid, false}};

/* numeric_typmod_scale(). */
static int scale_of(int32 typmod) {
  if (typmod < static_cast<int32>(VARHDRSZ)) return kScaleOfUnlimited;
  const int scale = (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
  return Max(0, Min(scale, 18));
}

static bool compile_key(PruneKey* key, AttrNumber attno, Oid op, Oid collation, bool nulls_first, Relation rel) {
  Oid family;
  Oid type;
  bool descending;
  if (attno <= 0 || attno > RelationGetNumberOfAttributes(rel)) return false;
  if (!mr_ordering_operator(op, &family, &type, &descending)) return false;
  const Oid function = get_opfamily_proc(family, type, type, BTORDER_PROC);
  for (const Comparator& c : kComparators) {
    if (c.function != function) continue;
    if ((c.kind == CodeKind::kText || c.kind == CodeKind::kBpchar) && !mr_collate_is_c(collation)) return false;
    Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attno - 1);
    const bool varlena = c.kind == CodeKind::kNumeric || c.kind == CodeKind::kText || c.kind == CodeKind::kBpchar;
    /* A type of another shape that is binary-compatible, if there is one. */
    if (att->attbyval != get_typbyval(type) || att->attlen != (varlena ? -1 : get_typlen(type))) return false;
    *key = {};
    key->attno = attno;
    key->kind = c.kind;
    key->width = att->attbyval ? att->attlen : static_cast<int16>(sizeof(Datum));
    key->scale = c.kind == CodeKind::kNumeric ? scale_of(att->atttypmod) : 0;
    key->exact = c.exact;
    key->descending = descending;
    key->nulls_first = nulls_first;
    return true;
  }
  return false;
}

bool topn_compile(TopN* topn, List* attnos, List* operators, List* collations, List* nulls_first, Relation rel) {
  topn->n_keys = 0;
  topn->all_keys = false;
  const int n = list_length(attnos);
  for (int i = 0; i < Min(n, kMaxPruneKeys); i++) {
    if (!compile_key(&topn->keys[i], list_nth_int(attnos, i), list_nth_oid(operators, i), list_nth_oid(collations, i),
                     list_nth_int(nulls_first, i) != 0, rel))
      break;
    topn->n_keys = i + 1;
    if (!topn->keys[i].exact) break; /* equal codes: the next key may not decide */
  }
  topn->all_keys = topn->n_keys == n && topn->keys[n - 1].exact;
  return topn->n_keys > 0;
}

static Size missing_bytes(TupleDesc desc) {
  Size bytes = 0;
  for (int i = 0; i < desc->natts; i++) {
    Form_pg_attribute att = TupleDescAttr(desc, i);
    if (!att->atthasmissing) continue;
    bool isnull;
    const Datum value = getmissingattr(desc, i + 1, &isnull);
    if (!isnull) bytes += MAXALIGN(datumGetSize(value, att->attbyval, att->attlen));
  }
  return bytes;
}

/* recompute_limits() has run by now, and raised what there is to raise. 0: no bound. */
static int64 find_bound(TopN* topn, ExprContext* econtext) {
  bool isnull;
  const int64 count = DatumGetInt64(ExecEvalExprSwitchContext(topn->count, econtext, &isnull));
  if (isnull || count < 0) return 0;
  int64 offset = 0;
  if (topn->offset != nullptr) {
    offset = DatumGetInt64(ExecEvalExprSwitchContext(topn->offset, econtext, &isnull));
    if (isnull) offset = 0;
  }
  int64 bound;
  if (offset < 0 || __builtin_add_overflow(count, offset, &bound)) return 0;
  return bound;
}

void topn_start(TopN* topn, ExprContext* econtext, Relation rel) {
  topn->started = true;
  topn->bound = find_bound(topn, econtext);
  topn->active = topn->bound > 0 && topn->bound <= kMaxBound;
  if (!topn->active) return;
  topn->missing_bytes = missing_bytes(RelationGetDescr(rel));
  topn->heap = static_cast<Code*>(
      MemoryContextAlloc(topn->memory, sizeof(Code) * topn->n_keys * static_cast<Size>(topn->bound)));
}

void topn_reset(TopN* topn) {
  MemoryContextReset(topn->memory);
  topn->heap = nullptr;
  topn->started = topn->active = false;
  topn->n_heap = 0;
  topn->bound = 0;
  topn->passed = topn->looked = topn->kept = 0;
  topn->bytes = 0;
}

/* The first eight bytes, as a number that compares as they do. Shorter ones are followed by zeroes, which text has not. */
static int64 code_of_bytes(const char* p, int n) {
  uint64 v = 0;
  for (int i = 0; i < 8; i++) v = v << 8 | (i < n ? static_cast<uint8>(p[i]) : 0);
  return static_cast<int64>(v ^ (UINT64CONST(1) << 63));
}

static bool code_of_varlena(const PruneKey* key, const void* datum, int64* code) {
  if (is_toasted(datum)) return false;
  const char* p = VARDATA_ANY(datum);
  int n = static_cast<int>(VARSIZE_ANY_EXHDR(datum));
  if (key->kind == CodeKind::kBpchar) n = without_blanks(p, n);
  *code = code_of_bytes(p, n);
  return true;
}

/* False: not known. Such rows are always handed on, and not counted among the best. */
static bool code_of_numeric(const PruneKey* key, Datum value, int64* code) {
  int scale;
  if (is_toasted(DatumGetPointer(value)) || !numeric_to_scaled(value, code, &scale) || scale > key->scale) return false;
  return !__builtin_mul_overflow(*code, kPowersOf10[key->scale - scale], code);
}

static bool code_of_value(const PruneKey* key, Datum value, int64* code) {
  float8 f;
  switch (key->kind) {
    case CodeKind::kInteger:
      *code = static_cast<int64>(canonical(value, key->width));
      return true;
    case CodeKind::kUnsigned:
      *code = DatumGetObjectId(value);
      return true;
    case CodeKind::kByte:
      *code = DatumGetUInt8(value);
      return true;
    case CodeKind::kFloat4:
      f = DatumGetFloat4(value);
      mr_float_order(&f, 1, code);
      return true;
    case CodeKind::kFloat8:
      f = DatumGetFloat8(value);
      mr_float_order(&f, 1, code);
      return true;
    case CodeKind::kNumeric:
      return code_of_numeric(key, value, code);
    case CodeKind::kUuid:
      *code = code_of_bytes(static_cast<const char*>(static_cast<void*>(DatumGetPointer(value))), UUID_LEN);
      return true;
    default:
      return code_of_varlena(key, DatumGetPointer(value), code);
  }
}

/* Smaller codes come first, whatever the key's direction. */
static bool code_of(const PruneKey* key, Datum value, bool isnull, Code* code) {
  code->value = 0;
  code->rank = !isnull ? 1 : key->nulls_first ? 0 : 2;
  if (isnull) return true;
  if (!code_of_value(key, value, &code->value)) return false;
  if (key->descending) code->value = ~code->value;
  return true;
}

static int compare_codes(const TopN* topn, const Code* a, const Code* b) {
  for (int i = 0; i < topn->n_keys; i++) {
    if (a[i].rank != b[i].rank) return a[i].rank < b[i].rank ? -1 : 1;
    if (a[i].value != b[i].value) return a[i].value < b[i].value ? -1 : 1;
  }
  return 0;
}

static Code* heap_at(TopN* topn, int64 i) { return topn->heap + i * topn->n_keys; }

static void heap_set(TopN* topn, int64 i, const Code* codes) {
  memcpy(heap_at(topn, i), codes, sizeof(Code) * topn->n_keys);
}

static void heap_push(TopN* topn, const Code* codes) {
  int64 i = topn->n_heap++;
  while (i > 0 && compare_codes(topn, codes, heap_at(topn, (i - 1) / 2)) > 0) {
    heap_set(topn, i, heap_at(topn, (i - 1) / 2));
    i = (i - 1) / 2;
  }
  heap_set(topn, i, codes);
}

static void heap_replace_top(TopN* topn, const Code* codes) {
  int64 i = 0;
  for (;;) {
    int64 child = 2 * i + 1;
    if (child >= topn->n_heap) break;
    if (child + 1 < topn->n_heap && compare_codes(topn, heap_at(topn, child + 1), heap_at(topn, child)) > 0) child++;
    if (compare_codes(topn, heap_at(topn, child), codes) <= 0) break;
    heap_set(topn, i, heap_at(topn, child));
    i = child;
  }
  heap_set(topn, i, codes);
}

/* The Sort has a heap of its own by now, and it is full. */
static bool may_prune(const TopN* topn) {
  return topn->active && topn->n_heap == topn->bound && topn->passed > static_cast<uint64>(topn->bound) * 2;
}

/* Codes of the first key for the rows in bits; unknown ones get the smallest. */
static void codes_of_column(const PruneKey* key, const Vector* column, int n, const uint64* bits, int64* codes) {
  if (key->kind == CodeKind::kInteger) {
    memcpy(codes, column->values, sizeof(int64) * n);
  } else if (key->kind == CodeKind::kFloat8) {
    mr_float_order(reinterpret_cast<const float8*>(column->values), n, codes);
  } else {
    int scale;
    if (key->kind == CodeKind::kNumeric && numeric_column(column, n, codes, &scale) && scale == key->scale) {
      /* done */
    } else {
      for (int i = 0; i < n; i++) {
        const bool wanted = (bits[i / 64] >> (i % 64) & 1) && !(column->has_nulls && column->nulls[i]);
        codes[i] = 0;
        if (wanted && !code_of_value(key, column->values[i], &codes[i]))
          codes[i] = key->descending ? PG_INT64_MAX : PG_INT64_MIN;
      }
    }
  }
  if (!key->descending) return;
  for (int i = 0; i < n; i++) codes[i] = ~codes[i];
}

void topn_prune(TopN* topn, const Vector* column, int n, uint64* bits) {
  if (!may_prune(topn)) return;
  const PruneKey* key = &topn->keys[0];
  const Code top = *heap_at(topn, 0);
  uint64 better[kMaskWords] = {};
  uint64 nulls[kMaskWords] = {};
  if (column->has_nulls) mr_mask_nonzero(column->nulls, n, nulls);
  if (top.rank == 1) {
    int64 codes[kBatchRows];
    codes_of_column(key, column, n, bits, codes);
    mr_compare_i64(codes, n, kMrLe, top.value, better);
  } else if (top.rank == 2) {
    mr_mask_fill(n, better); /* the worst is a null at the end: all are as good */
  }
  const bool nulls_too = key->nulls_first || top.rank == 2;
  for (int w = 0; w < (n + 63) / 64; w++) {
    const uint64 wanted = nulls_too ? better[w] | nulls[w] : better[w] & ~nulls[w];
    const uint64 out = bits[w] & ~wanted;
    topn->pruned += __builtin_popcountll(out);
    bits[w] &= wanted;
    topn->looked += __builtin_popcountll(out);
  }
}

/* Would the Sort hold `bound` rows in memory? In half of work_mem, so that it could also double its array of them. */
static bool sort_fits(const TopN* topn) { return topn->bytes + 32 * 1024 <= static_cast<Size>(work_mem) * 512; }

static void hand_on(TopN* topn, Size tuple_bytes) {
  topn->passed++;
  if (topn->passed > static_cast<uint64>(topn->bound) + 1) return;
  const Size size = topn->widest_rows ? BLCKSZ : MAXALIGN(tuple_bytes);
  /* Twice for other padding of columns in another order, and again for chunks rounded up to powers of two. */
  topn->bytes += 4 * (size + topn->missing_bytes + 64) + 96;
  if (!sort_fits(topn)) topn->active = false;
}

bool topn_admit(TopN* topn, TupleTableSlot* slot, Size tuple_bytes) {
  if (!topn->active) return true;
  Code codes[kMaxPruneKeys];
  bool known = true;
  for (int i = 0; i < topn->n_keys && known; i++) {
    bool isnull;
    const Datum value = slot_getattr(slot, topn->keys[i].attno, &isnull);
    known = code_of(&topn->keys[i], value, isnull, &codes[i]);
  }
  const int order = known && topn->n_heap == topn->bound ? compare_codes(topn, codes, topn->heap) : -1;
  if (may_prune(topn)) {
    topn->looked++;
    if (known && (order > 0 || (order == 0 && topn->all_keys))) {
      topn->pruned++;
      return false;
    }
    /* Where most rows are better than all before them, as in a table in descending order, this is of no use. */
    topn->kept++;
    if (topn->looked >= 4096 && topn->kept * 2 > topn->looked) topn->active = false;
  }
  if (known && topn->n_heap < topn->bound)
    heap_push(topn, codes);
  else if (known && order < 0)
    heap_replace_top(topn, codes);
  hand_on(topn, tuple_bytes);
  return true;
}

}  // namespace mr

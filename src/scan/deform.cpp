/*
 * deform.cpp: column vectors out of tuples.
 *
 * Attributes before the first variable-length one lie at offsets that are the
 * same in every tuple without nulls: those are taken column by column. The rest
 * is walked a few tuples at a time, attribute by attribute. Tuples with nulls, or
 * older than the last column wanted, go one by one through deform_careful().
 */
#include "scan/deform.h"

extern "C" {
#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
}

namespace mr {

/*
 * Tuples taken apart together: few enough for their lines to be in the cache from the first step to the last, and to meet
 * memory nearly in order (16 aggregates of ints: 56 ms, 61 with 64 at a time; TPC-H Q6 over 600,000 rows: 8.8 ms, 9.3 with 16).
 */
constexpr int kStrip = 16;
constexpr int kWalkedStrip = 12;

/* Variable-length attributes walked over in one go. */
constexpr int kMostInRun = 6;

constexpr int kCacheLine = 64;

static Store store_of(Form_pg_attribute att) {
  if (att->attlen == -1) return Store::kVarlena;
  if (att->attlen == -2) return Store::kCString;
  if (!att->attbyval) return Store::kFixedPointer;
  switch (att->attlen) {
    case 1:
      return Store::kByte;
    case 2:
      return Store::kInt16;
    case 4:
      return Store::kInt32;
    default:
      return Store::kInt64;
  }
}

static uint8 alignment_of(char attalign) {
  switch (attalign) {
    case TYPALIGN_CHAR:
      return 1;
    case TYPALIGN_SHORT:
      return ALIGNOF_SHORT;
    case TYPALIGN_INT:
      return ALIGNOF_INT;
    default:
      return ALIGNOF_DOUBLE;
  }
}

/* Puts a column at a constant offset into a group of up to four of one kind. */
static void add_fixed(Deformer* d, const DeformStep* step, int offset) {
  FixedColumns* f = nullptr;
  for (int k = 0; k < d->n_groups; k++)
    if (d->groups[k].store == step->store && d->groups[k].n < kMostAtOnce) f = &d->groups[k];
  if (f == nullptr) f = &d->groups[d->n_groups++];
  f->store = step->store;
  f->offset[f->n] = offset;
  f->to[f->n++] = step->to;
}

void deformer_init(Deformer* d, TupleDesc desc, Vector* const* used) {
  d->desc = desc;
  d->last = 0;
  for (int attno = 1; attno <= desc->natts; attno++)
    if (used[attno] != nullptr) d->last = attno;
  d->steps = static_cast<DeformStep*>(palloc0(sizeof(DeformStep) * (d->last + 1)));
  d->groups = static_cast<FixedColumns*>(palloc0(sizeof(FixedColumns) * (d->last + 1)));
  d->n_groups = 0;
  d->n_fixed = 0;
  d->header_bytes = MAXALIGN(SizeofHeapTupleHeader);
  int offset = d->header_bytes;
  bool fixed = true;
  for (int i = 0; i < d->last; i++) {
    Form_pg_attribute att = TupleDescAttr(desc, i);
    DeformStep* step = &d->steps[i];
    step->attno = i + 1;
    step->length = att->attlen;
    step->align = alignment_of(att->attalign);
    step->store = store_of(att);
    step->to = used[i + 1];
    if (step->to == nullptr && step->store == Store::kVarlena) step->store = Store::kSkipVarlena;
    if (step->to == nullptr && att->attlen > 0) step->store = Store::kNone;
    if (att->attlen < 0) fixed = false;
    if (!fixed) continue;
    const int at = static_cast<int>(TYPEALIGN(step->align, offset));
    if (step->to != nullptr) add_fixed(d, step, at);
    offset = at + att->attlen;
    d->n_fixed = i + 1;
  }
  d->walk_from = offset;
  for (int i = d->last - 1; i >= d->n_fixed; i--) {
    DeformStep* step = &d->steps[i];
    step->run = 1;
    const bool varlena = step->length == -1;
    if (varlena && i + 1 < d->last && step[1].length == -1 && step[1].run < kMostInRun) step->run = step[1].run + 1;
  }
  HeapTupleHeaderData plain = {};
  HeapTupleHeaderData mask = {};
  plain.t_infomask2 = desc->natts;
  mask.t_infomask2 = HEAP_NATTS_MASK;
  mask.t_infomask = HEAP_HASNULL;
  plain.t_hoff = static_cast<uint8>(d->header_bytes);
  mask.t_hoff = 0xFF;
  memcpy(&d->plain_header, reinterpret_cast<const char*>(&plain) + 16, sizeof(uint64));
  memcpy(&d->header_mask, reinterpret_cast<const char*>(&mask) + 16, sizeof(uint64));
}

static inline Datum fetch(Store store, const char* p) {
  switch (store) {
    case Store::kByte:
      return CharGetDatum(*p);
    case Store::kInt16:
      return Int16GetDatum(*reinterpret_cast<const int16*>(p));
    case Store::kInt32:
      return Int32GetDatum(*reinterpret_cast<const int32*>(p));
    case Store::kInt64:
      return *reinterpret_cast<const Datum*>(p);
    default:
      return PointerGetDatum(p);
  }
}

static inline const char* align_to(const char* p, uintptr_t align) {
  return reinterpret_cast<const char*>((reinterpret_cast<uintptr_t>(p) + align - 1) & ~(align - 1));
}

/* A short varlena is not aligned, and padding before a long one is zero: att_align_pointer(). */
static inline const char* align_varlena(const char* p, uintptr_t align) { return *p != 0 ? p : align_to(p, align); }

/* One tuple of any kind: nulls, fewer attributes than the table has now. */
static void deform_careful(const Deformer* d, HeapTupleHeader tuple, int row) {
  const int natts = Min(static_cast<int>(HeapTupleHeaderGetNatts(tuple)), d->last);
  const bool has_nulls = (tuple->t_infomask & HEAP_HASNULL) != 0;
  const char* p = reinterpret_cast<const char*>(tuple) + tuple->t_hoff;
  for (int i = 0; i < d->last; i++) {
    const DeformStep* step = &d->steps[i];
    Vector* to = step->to;
    if (i >= natts) {
      if (to == nullptr) continue;
      bool isnull;
      const Datum missing = getmissingattr(d->desc, i + 1, &isnull);
      Form_pg_attribute att = TupleDescAttr(d->desc, i);
      to->values[row] = canonical(missing, att->attbyval ? att->attlen : static_cast<int>(sizeof(Datum)));
      to->nulls[row] = isnull;
      if (isnull) {
        to->values[row] = 0;
        to->has_nulls = true;
      }
      continue;
    }
    if (has_nulls && att_isnull(i, tuple->t_bits)) {
      if (to == nullptr) continue;
      to->values[row] = 0;
      to->nulls[row] = 1;
      to->has_nulls = true;
      continue;
    }
    p = step->length == -1 ? align_varlena(p, step->align) : align_to(p, step->align);
    if (to != nullptr) {
      to->values[row] = fetch(step->store, p);
      to->nulls[row] = 0;
    }
    if (step->length > 0)
      p += step->length;
    else if (step->length == -1)
      p += VARSIZE_ANY(p);
    else
      p += strlen(p) + 1;
  }
}

/* One attribute of many tuples: at[i] is where it may start, and moves behind it. */
template <class Take>
static inline void step_down(const char** at, int n, Take take) {
  for (int i = n - 1; i >= 0; i--) at[i] = take(at[i], i);
}

/*
 * Over kLength variable-length attributes in a row, tuple by tuple; out[j][i] is where the j-th of tuple i starts.
 * A one-byte header is 2 * length + 1, and 1 marks a toast pointer: turned by one bit, all that is plain is above 0x80.
 */
template <int kLength>
static void varlenas_down(const DeformStep* step, const char** at, int n, Datum* const* out) {
  for (int i = n - 1; i >= 0; i--) {
    const char* p = at[i];
    for (int j = 0; j < kLength; j++) {
      const uint8 header = static_cast<uint8>(*p);
#ifdef WORDS_BIGENDIAN
      const uint8 turned = header;
#else
      const uint8 turned = static_cast<uint8>(header >> 1 | header << 7);
#endif
      if (likely(turned > 0x80)) {
        out[j][i] = PointerGetDatum(p);
        p += turned & 0x7F;
      } else {
        p = align_varlena(p, step[j].align);
        out[j][i] = PointerGetDatum(p);
        p += VARSIZE_ANY(p);
      }
    }
    at[i] = p;
  }
}

static void run_down(const DeformStep* step, int length, const char** at, int from, int n) {
  Datum nowhere[kStrip];
  Datum* out[kMostInRun];
  for (int j = 0; j < length; j++) out[j] = step[j].to != nullptr ? step[j].to->values + from : nowhere;
  switch (length) {
    case 1:
      return varlenas_down<1>(step, at, n, out);
    case 2:
      return varlenas_down<2>(step, at, n, out);
    case 3:
      return varlenas_down<3>(step, at, n, out);
    case 4:
      return varlenas_down<4>(step, at, n, out);
    case 5:
      return varlenas_down<5>(step, at, n, out);
    default:
      return varlenas_down<6>(step, at, n, out);
  }
}

template <class T>
static void value_down(const DeformStep* step, const char** at, int from, int n) {
  Datum* values = step->to != nullptr ? step->to->values + from : nullptr;
  const uintptr_t align = step->align;
  step_down(at, n, [=](const char* p, int i) {
    p = align_to(p, align);
    values[i] = static_cast<Datum>(static_cast<int64>(*reinterpret_cast<const T*>(p)));
    return p + sizeof(T);
  });
}

static void deform_down(const DeformStep* step, const char** at, int from, int n) {
  Datum* values = step->to != nullptr ? step->to->values + from : nullptr;
  switch (step->store) {
    case Store::kSkipVarlena:
    case Store::kVarlena:
      return; /* run_down() */
    case Store::kByte:
      return value_down<int8>(step, at, from, n);
    case Store::kInt16:
      return value_down<int16>(step, at, from, n);
    case Store::kInt32:
      return value_down<int32>(step, at, from, n);
    case Store::kInt64:
      return value_down<int64>(step, at, from, n);
    case Store::kNone:
      return step_down(at, n, [=](const char* p, int) { return align_to(p, step->align) + step->length; });
    case Store::kFixedPointer:
      return step_down(at, n, [=](const char* p, int i) {
        p = align_to(p, step->align);
        values[i] = PointerGetDatum(p);
        return p + step->length;
      });
    case Store::kCString:
      return step_down(at, n, [=](const char* p, int i) {
        p = align_to(p, step->align);
        if (values != nullptr) values[i] = PointerGetDatum(p);
        return p + strlen(p) + 1;
      });
  }
}

/* Up to four columns of one kind at a time: each tuple's address is loaded once. */
template <Store kStore, int kColumns>
static void fixed_columns(const FixedColumns* f, const HeapTupleHeader* tuples, int from, int n) {
  int offset[kColumns];
  Datum* values[kColumns];
  for (int j = 0; j < kColumns; j++) {
    offset[j] = f->offset[j];
    values[j] = f->to[j]->values + from;
  }
  for (int i = n - 1; i >= 0; i--) {
    const char* tuple = reinterpret_cast<const char*>(tuples[i]);
    for (int j = 0; j < kColumns; j++) values[j][i] = fetch(kStore, tuple + offset[j]);
  }
}

template <Store kStore>
static void fixed_columns_of(const FixedColumns* f, const HeapTupleHeader* tuples, int from, int n) {
  switch (f->n) {
    case 1:
      return fixed_columns<kStore, 1>(f, tuples, from, n);
    case 2:
      return fixed_columns<kStore, 2>(f, tuples, from, n);
    case 3:
      return fixed_columns<kStore, 3>(f, tuples, from, n);
    default:
      return fixed_columns<kStore, 4>(f, tuples, from, n);
  }
}

static void deform_fixed(const Deformer* d, const HeapTupleHeader* tuples, int from, int n) {
  for (int k = 0; k < d->n_groups; k++) {
    const FixedColumns* f = &d->groups[k];
    switch (f->store) {
      case Store::kByte:
        fixed_columns_of<Store::kByte>(f, tuples, from, n);
        break;
      case Store::kInt16:
        fixed_columns_of<Store::kInt16>(f, tuples, from, n);
        break;
      case Store::kInt32:
        fixed_columns_of<Store::kInt32>(f, tuples, from, n);
        break;
      case Store::kInt64:
        fixed_columns_of<Store::kInt64>(f, tuples, from, n);
        break;
      default:
        fixed_columns_of<Store::kFixedPointer>(f, tuples, from, n);
    }
  }
}

/* nulls are all 0 while has_nulls is not set: only tuples that have nulls write there. */
void deform_start(const Deformer* d) {
  for (int i = 0; i < d->last; i++) {
    Vector* v = d->steps[i].to;
    if (v == nullptr || !v->has_nulls) continue;
    memset(v->nulls, 0, kBatchRows);
    v->has_nulls = false;
  }
}

/* Bytes 16 to 23 of a tuple's header: t_infomask2, t_infomask and t_hoff lie side by side there. */
static inline uint64 header_word(HeapTupleHeader tuple) {
  static_assert(offsetof(HeapTupleHeaderData, t_infomask2) == 18 && offsetof(HeapTupleHeaderData, t_infomask) == 20 &&
                    offsetof(HeapTupleHeaderData, t_hoff) == 22,
                "layout of tuple headers");
  uint64 word;
  memcpy(&word, reinterpret_cast<const char*>(tuple) + 16, sizeof(word));
  return word;
}

/* Do all tuples have just the attributes of the table and no nulls? One load and one comparison each. */
static inline bool all_plain(const Deformer* d, const HeapTupleHeader* tuples, int n) {
  uint64 different = 0;
  for (int i = n - 1; i >= 0; i--) different |= header_word(tuples[i]) ^ d->plain_header;
  return (different & d->header_mask) == 0;
}

/* Has a tuple all attributes wanted, none of them or others null? */
static inline bool is_plain(const Deformer* d, HeapTupleHeader tuple) {
  return !(tuple->t_infomask & HEAP_HASNULL) && HeapTupleHeaderGetNatts(tuple) >= d->last &&
         tuple->t_hoff == d->header_bytes;
}

static void deform_plain(const Deformer* d, const HeapTupleHeader* tuples, int from, int n) {
  deform_fixed(d, tuples, from, n);
  if (d->n_fixed == d->last) return;
  const char* at[kStrip];
  for (int i = 0; i < n; i++) at[i] = reinterpret_cast<const char*>(tuples[i]) + d->walk_from;
  for (const DeformStep* step = d->steps + d->n_fixed; step < d->steps + d->last; step += step->run) {
    if (step->store == Store::kVarlena || step->store == Store::kSkipVarlena)
      run_down(step, step->run, at, from, n);
    else
      deform_down(step, at, from, n);
  }
}

static void deform_strip(const Deformer* d, const HeapTupleHeader* tuples, int from, int n) {
  if (all_plain(d, tuples, n)) return deform_plain(d, tuples, from, n);
  for (int i = 0; i < n;) {
    int end = i;
    while (end < n && is_plain(d, tuples[end])) end++;
    if (end > i) deform_plain(d, tuples + i, from + i, end - i);
    if (end < n) deform_careful(d, tuples[end], from + end);
    i = end + 1;
  }
}

/*
 * The last tuple of a page lies lowest: from it on addresses ascend, as processors like it. The upcoming page is brought into the cache
 * meanwhile, a share with each strip (TPC-H Q6 over 600,000 rows: 11.2 ms, 10.1 with this, 14 with every second line only; where pages
 * lie in no order, twice as fast).
 */
void deform(const Deformer* d, const HeapTupleHeader* tuples, int from, int n, const char* upcoming) {
  if (d->last == 0 || n == 0) return;
  const int strip = d->last > d->n_fixed ? kWalkedStrip : kStrip;
  const int share = BLCKSZ * strip / n;
  int brought = upcoming != nullptr ? 0 : BLCKSZ;
  for (int end = n; end > 0; end -= strip) {
    const int start = Max(0, end - strip);
    for (const int to = Min(brought + share, BLCKSZ); brought < to; brought += kCacheLine)
      __builtin_prefetch(upcoming + brought, 0, 2);
    deform_strip(d, tuples + start, from + start, end - start);
  }
}

}  // namespace mr

#include "copy/tuples.h"

extern "C" {
#include "access/htup_details.h"
#include "access/tupmacs.h"
}

#include "copy/columns.h"

namespace mr {

TupleFormer* tuple_former_create(TupleDesc tupdesc, uint32 capacity) {
  TupleFormer* former = static_cast<TupleFormer*>(palloc0(sizeof(TupleFormer)));
  former->natts = tupdesc->natts;
  former->plain_hoff = MAXALIGN(SizeofHeapTupleHeader);
  former->bitmap_hoff = MAXALIGN(SizeofHeapTupleHeader + BITMAPLEN(tupdesc->natts));
  former->prefix_offset = static_cast<uint32*>(palloc(tupdesc->natts * sizeof(uint32)));
  former->length = static_cast<uint32*>(palloc(capacity * sizeof(uint32)));
  former->has_null = static_cast<uint8*>(palloc(capacity));
  former->has_varwidth = static_cast<uint8*>(palloc(capacity));
  former->at = static_cast<char**>(palloc(capacity * sizeof(char*)));
  return former;
}

static inline uint32 align_up(uint32 offset, uint32 align) { return (offset + align - 1) & ~(align - 1); }

static inline char* align_up(char* p, uintptr_t align) {
  return reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(p) + align - 1) & ~(align - 1));
}

/* Longest payload that takes a one-byte length word. */
constexpr uint32 kShortPayload = VARATT_SHORT_MAX - VARHDRSZ_SHORT;

/* Offset behind a varlena given as payload length. */
static inline uint32 after_payload(uint32 offset, uint32 len, uint32 align, bool short_header) {
  if (short_header && len <= kShortPayload) return offset + VARHDRSZ_SHORT + len;
  return align_up(offset, align) + VARHDRSZ + len;
}

/* Offset behind a varlena given whole; it is plain, with a long or a short length word. */
static inline uint32 after_datum(uint32 offset, const void* value, uint32 align, bool short_header) {
  if (VARATT_IS_SHORT(value)) return offset + VARSIZE_SHORT(value);
  return after_payload(offset, VARSIZE(value) - VARHDRSZ, align, short_header);
}

/*
 * The measuring functions move the offset of each row's next attribute, counted from the
 * tuple's start. Both header lengths are multiples of the largest alignment.
 */
static void measure_fixed(const Column* c, uint32 n, TupleFormer* former) {
  uint32* offset = former->length;
  const uint32 align = c->align, width = c->att->attlen;
  if (c->all_values) {
    for (uint32 r = 0; r < n; r++) offset[r] = align_up(offset[r], align) + width;
    return;
  }
  for (uint32 r = 0; r < n; r++) {
    if (c->state[r] == MR_NULL)
      former->has_null[r] = 1;
    else
      offset[r] = align_up(offset[r], align) + width;
  }
}

static void measure_varlena(const Column* c, uint32 n, TupleFormer* former) {
  uint32* offset = former->length;
  const uint32 align = c->align;
  const bool short_header = c->short_header;
  if (c->all_values) {
    for (uint32 r = 0; r < n; r++) offset[r] = after_payload(offset[r], c->len[r], align, short_header);
    memset(former->has_varwidth, 1, n);
    return;
  }
  for (uint32 r = 0; r < n; r++) {
    if (c->state[r] == MR_NULL) {
      former->has_null[r] = 1;
      continue;
    }
    former->has_varwidth[r] = 1;
    offset[r] = c->state[r] == kDatum
                    ? after_datum(offset[r], DatumGetPointer(c->datum[r]), align, short_header)
                    : after_payload(offset[r], c->len[r], align, short_header);
  }
}

/* Finds the fixed prefix; a batch with formed or excluded rows has none. */
static void measure_prefix(TupleFormer* former, const Batch* batch) {
  int m = 0;
  uint32 offset = 0;
  for (; m < batch->natts; m++) {
    const Column* c = &batch->columns[m];
    if (!c->all_values || c->vector != Vector::kFixed) break;
    offset = align_up(offset, c->align);
    former->prefix_offset[m] = offset;
    offset += c->att->attlen;
  }
  former->prefix = m;
  former->prefix_size = offset;
}

void tuple_former_measure(TupleFormer* former, const Batch* batch) {
  const uint32 n = batch->rows;
  measure_prefix(former, batch);
  for (uint32 r = 0; r < n; r++) former->length[r] = former->plain_hoff + former->prefix_size;
  memset(former->has_null, 0, n);
  memset(former->has_varwidth, 0, n);
  for (int m = former->prefix; m < batch->natts; m++) {
    const Column* c = &batch->columns[m];
    if (c->all_null)
      memset(former->has_null, 1, n);
    else if (c->vector == Vector::kFixed)
      measure_fixed(c, n, former);
    else
      measure_varlena(c, n, former);
  }
  former->any_null = memchr(former->has_null, 1, n) != nullptr;
  if (former->any_null)
    for (uint32 r = 0; r < n; r++)
      if (former->has_null[r]) former->length[r] += former->bitmap_hoff - former->plain_hoff;
  if (!batch->any_tuple) return;
  for (uint32 r = 0; r < n; r++)
    if (batch->row_state[r] == RowState::kTuple) former->length[r] = batch->tuple[r]->t_len;
}

/* Copies len bytes and not one more: the bytes behind belong to the next tuple. */
static inline void copy_exact(char* to, const char* from, uint32 len) {
  if (len <= 16) {
    if (len >= 8) {
      uint64 head, tail;
      memcpy(&head, from, 8);
      memcpy(&tail, from + len - 8, 8);
      memcpy(to, &head, 8);
      memcpy(to + len - 8, &tail, 8);
    } else if (len >= 4) {
      uint32 head, tail;
      memcpy(&head, from, 4);
      memcpy(&tail, from + len - 4, 4);
      memcpy(to, &head, 4);
      memcpy(to + len - 4, &tail, 4);
    } else if (len > 0) {
      to[0] = from[0];
      to[len / 2] = from[len / 2];
      to[len - 1] = from[len - 1];
    }
  } else if (len <= 32) {
    struct {
      uint64 a, b;
    } head, tail;
    memcpy(&head, from, 16);
    memcpy(&tail, from + len - 16, 16);
    memcpy(to, &head, 16);
    memcpy(to + len - 16, &tail, 16);
  } else {
    memcpy(to, from, len);
  }
}

static inline char* put_payload(char* to, const char* from, uint32 len, uint32 align, bool short_header) {
  if (short_header && len <= kShortPayload) {
    SET_VARSIZE_SHORT(to, len + VARHDRSZ_SHORT);
    copy_exact(to + VARHDRSZ_SHORT, from, len);
    return to + VARHDRSZ_SHORT + len;
  }
  to = align_up(to, align);
  SET_VARSIZE(to, len + VARHDRSZ);
  copy_exact(to + VARHDRSZ, from, len);
  return to + VARHDRSZ + len;
}

static inline char* put_datum(char* to, const char* value, uint32 align, bool short_header) {
  if (VARATT_IS_SHORT(value)) {
    memcpy(to, value, VARSIZE_SHORT(value));
    return to + VARSIZE_SHORT(value);
  }
  return put_payload(to, VARDATA(value), VARSIZE(value) - VARHDRSZ, align, short_header);
}

/* Sets the attribute's bit in the NULL bitmaps of the tuples that have one. */
static void set_not_null(const TupleFormer* former, const Column* c, int m, uint32 from, uint32 to, char** dest) {
  if (!former->any_null) return;
  for (uint32 r = from; r < to; r++)
    if (former->has_null[r] && c->state[r] != MR_NULL)
      reinterpret_cast<HeapTupleHeader>(dest[r - from])->t_bits[m >> 3] |= 1 << (m & 7);
}

/* An attribute of the fixed prefix: `at` is already behind the prefix, so the place is a constant before it. */
template <uint32 kWidth>
static void write_prefix(const TupleFormer* former, const Column* c, int m, uint32 from, uint32 to) {
  const uint32 width = kWidth ? kWidth : c->att->attlen;
  const int64 back = static_cast<int64>(former->prefix_size) - former->prefix_offset[m];
  const char* value = c->values + static_cast<Size>(from) * width;
  if (c->all_values) {
    for (uint32 r = from; r < to; r++, value += width) memcpy(former->at[r] - back, value, width);
    return;
  }
  /* a row was formed after measuring: for toast */
  for (uint32 r = from; r < to; r++, value += width)
    if (c->state[r] != MR_NULL) memcpy(former->at[r] - back, value, width);
}

template <uint32 kWidth>
static void write_fixed(const TupleFormer* former, const Column* c, int m, uint32 from, uint32 to) {
  if (m < former->prefix) {
    write_prefix<kWidth>(former, c, m, from, to);
    return;
  }
  const uint32 width = kWidth ? kWidth : c->att->attlen, align = c->align;
  const char* value = c->values + static_cast<Size>(from) * width;
  for (uint32 r = from; r < to; r++, value += width) {
    if (!c->all_values && c->state[r] == MR_NULL) continue;
    char* p = align_up(former->at[r], align);
    memcpy(p, value, width);
    former->at[r] = p + width;
  }
}

static void write_varlena(const TupleFormer* former, const Column* c, uint32 from, uint32 to) {
  char** at = former->at;
  const uint32 align = c->align;
  const bool short_header = c->short_header;
  if (c->all_values) {
    for (uint32 r = from; r < to; r++)
      at[r] = put_payload(at[r], c->payload + c->start[r], c->len[r], align, short_header);
    return;
  }
  for (uint32 r = from; r < to; r++) {
    uint8 state = c->state[r];
    if (state == MR_NULL) continue;
    at[r] = state == kDatum ? put_datum(at[r], DatumGetPointer(c->datum[r]), align, short_header)
                            : put_payload(at[r], c->payload + c->start[r], c->len[r], align, short_header);
  }
}

/* Copies a tuple that was formed before and makes its header the load's. */
static void write_formed(char* to, HeapTuple formed, const TupleHeader* header) {
  HeapTupleHeader tuple = reinterpret_cast<HeapTupleHeader>(to);
  ItemPointerData ctid = tuple->t_ctid;
  memcpy(to, formed->t_data, formed->t_len);
  tuple->t_ctid = ctid;
  tuple->t_infomask = (tuple->t_infomask & ~HEAP_XACT_MASK) | header->infomask;
  tuple->t_infomask2 &= ~HEAP2_XACT_MASK;
  tuple->t_choice.t_heap.t_xmin = header->xid;
  tuple->t_choice.t_heap.t_xmax = InvalidTransactionId;
  tuple->t_choice.t_heap.t_field3.t_cid = header->cid;
}

static void write_headers(TupleFormer* former, const Batch* batch, uint32 from, uint32 to, char** dest,
                          const TupleHeader* header) {
  for (uint32 r = from; r < to; r++) {
    if (batch->any_tuple) {
      if (batch->row_state[r] == RowState::kTuple) write_formed(dest[r - from], batch->tuple[r], header);
      if (batch->row_state[r] != RowState::kVectors) continue;
    }
    HeapTupleHeader tuple = reinterpret_cast<HeapTupleHeader>(dest[r - from]);
    tuple->t_choice.t_heap.t_xmin = header->xid;
    tuple->t_choice.t_heap.t_field3.t_cid = header->cid;
    tuple->t_infomask2 = former->natts;
    tuple->t_infomask = header->infomask | (former->has_null[r] ? HEAP_HASNULL : 0) |
                        (former->has_varwidth[r] ? HEAP_HASVARWIDTH : 0);
    tuple->t_hoff = former->has_null[r] ? former->bitmap_hoff : former->plain_hoff;
    former->at[r] = dest[r - from] + tuple->t_hoff + former->prefix_size;
  }
}

static void write_column(const TupleFormer* former, const Column* c, int m, uint32 from, uint32 to) {
  if (c->vector == Vector::kVarlena) {
    write_varlena(former, c, from, to);
    return;
  }
  switch (c->att->attlen) {
    case 1:
      return write_fixed<1>(former, c, m, from, to);
    case 2:
      return write_fixed<2>(former, c, m, from, to);
    case 4:
      return write_fixed<4>(former, c, m, from, to);
    case 8:
      return write_fixed<8>(former, c, m, from, to);
    case 16:
      return write_fixed<16>(former, c, m, from, to);
    default:
      return write_fixed<0>(former, c, m, from, to);
  }
}

void tuple_former_write(TupleFormer* former, const Batch* batch, uint32 from, uint32 to, char** dest,
                        const TupleHeader* header) {
  write_headers(former, batch, from, to, dest, header);
  for (int m = 0; m < batch->natts; m++) {
    const Column* c = &batch->columns[m];
    if (c->all_null) continue;
    write_column(former, c, m, from, to);
    set_not_null(former, c, m, from, to, dest);
  }
}

HeapTuple tuple_from_row(const Batch* batch, TupleDesc tupdesc, uint32 row) {
  Datum* values = static_cast<Datum*>(palloc(batch->natts * sizeof(Datum)));
  bool* nulls = static_cast<bool*>(palloc(batch->natts * sizeof(bool)));
  for (int m = 0; m < batch->natts; m++) values[m] = column_get(&batch->columns[m], row, &nulls[m]);
  HeapTuple tuple = heap_form_tuple(tupdesc, values, nulls);
  pfree(values);
  pfree(nulls);
  return tuple;
}

/* A row that is not stored from the vectors must look empty there: the column loops skip NULLs. */
static void empty_row(Batch* batch, uint32 row) {
  batch->any_tuple = true;
  for (int m = 0; m < batch->natts; m++) {
    batch->columns[m].state[row] = MR_NULL;
    batch->columns[m].all_values = false;
  }
}

void batch_set_tuple(Batch* batch, uint32 row, HeapTuple tuple) {
  empty_row(batch, row);
  batch->row_state[row] = RowState::kTuple;
  batch->tuple[row] = tuple;
}

void batch_exclude(Batch* batch, uint32 row) {
  empty_row(batch, row);
  batch->row_state[row] = RowState::kExcluded;
}

}  // namespace mr

#include "copy/tuples.h"

extern "C" {
#include "access/htup_details.h"
#include "access/tupmacs.h"
}

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
    const bool null = c->state[r] == MR_NULL;
    former->has_null[r] |= null;
    offset[r] = null ? offset[r] : align_up(offset[r], align) + width;
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

/* Finds the fixed prefix; a batch that already has formed or excluded rows has none. */
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

/*
 * Copies a payload in steps of 16 bytes. It writes up to 16 bytes too much, which is why headers
 * are written last: behind a tuple's end lies the header of its neighbor (22 bytes at
 * least) or slack, and behind an attribute lies what is written next.
 */
static inline void copy_loosely(char* to, const char* from, uint32 len) {
  memcpy(to, from, 16);
  for (uint32 i = 16; i < len; i += 16) memcpy(to + i, from + i, 16);
}

/* Aligns `to` and clears the bytes it steps over: readers tell padding from a short varlena by its being zero. */
static inline char* pad_to(char* to, uint32 align) {
  memset(to, 0, 8);
  return align_up(to, align);
}

static inline char* put_payload(char* to, const char* from, uint32 len, uint32 align, bool short_header) {
  if (short_header && len <= kShortPayload) {
    SET_VARSIZE_SHORT(to, len + VARHDRSZ_SHORT);
    copy_loosely(to + VARHDRSZ_SHORT, from, len);
    return to + VARHDRSZ_SHORT + len;
  }
  to = pad_to(to, align);
  SET_VARSIZE(to, len + VARHDRSZ);
  copy_loosely(to + VARHDRSZ, from, len);
  return to + VARHDRSZ + len;
}

/* A varlena from an input function; nothing may be read behind it. */
static inline char* put_datum(char* to, const void* value, uint32 align, bool short_header) {
  uint32 len = VARSIZE_ANY_EXHDR(value);
  if (VARATT_IS_SHORT(value) || (short_header && len <= kShortPayload)) {
    SET_VARSIZE_SHORT(to, len + VARHDRSZ_SHORT);
    memcpy(to + VARHDRSZ_SHORT, VARDATA_ANY(value), len);
    return to + VARHDRSZ_SHORT + len;
  }
  to = pad_to(to, align);
  memcpy(to, value, len + VARHDRSZ);
  return to + VARHDRSZ + len;
}

/* Columns of the fixed prefix written in one walk over the rows, so that each tuple is touched once. */
constexpr int kPrefixGroup = 8;

/*
 * Writes attributes [first, last) of the prefix, all of width kWidth. `at` is already behind the prefix, so
 * their places are constants before it.
 */
template <uint32 kWidth>
static void write_prefix(const TupleFormer* former, const Batch* batch, int first, int last, uint32 from, uint32 to) {
  const char* value[kPrefixGroup];
  int64 back[kPrefixGroup];
  const int n = last - first;
  for (int i = 0; i < n; i++) {
    value[i] = batch->columns[first + i].values;
    back[i] = static_cast<int64>(former->prefix_size) - former->prefix_offset[first + i];
  }
  for (uint32 r = from; r < to; r++) {
    if (batch->any_tuple && batch->row_state[r] != RowState::kVectors) continue;
    char* at = former->at[r];
    for (int i = 0; i < n; i++) memcpy(at - back[i], value[i] + static_cast<Size>(r) * kWidth, kWidth);
  }
}

/* The same for a width that is not a machine word's. */
static void write_wide_prefix(const TupleFormer* former, const Batch* batch, int m, uint32 from, uint32 to) {
  const Column* c = &batch->columns[m];
  const Size width = c->att->attlen;
  const int64 back = static_cast<int64>(former->prefix_size) - former->prefix_offset[m];
  for (uint32 r = from; r < to; r++)
    if (!batch->any_tuple || batch->row_state[r] == RowState::kVectors)
      memcpy(former->at[r] - back, c->values + r * width, width);
}

static void write_prefix(const TupleFormer* former, const Batch* batch, uint32 from, uint32 to) {
  for (int m = 0; m < former->prefix;) {
    const int width = batch->columns[m].att->attlen;
    int last = m + 1;
    while (last < former->prefix && last - m < kPrefixGroup && batch->columns[last].att->attlen == width) last++;
    switch (width) {
      case 1:
        write_prefix<1>(former, batch, m, last, from, to);
        break;
      case 2:
        write_prefix<2>(former, batch, m, last, from, to);
        break;
      case 4:
        write_prefix<4>(former, batch, m, last, from, to);
        break;
      case 8:
        write_prefix<8>(former, batch, m, last, from, to);
        break;
      default:
        last = m + 1;
        write_wide_prefix(former, batch, m, from, to);
        break;
    }
    m = last;
  }
}

/* A NULL is written too, but not stepped over: the next attribute takes its place. */
template <uint32 kWidth>
static void write_fixed(const TupleFormer* former, const Column* c, uint32 from, uint32 to) {
  const uint32 width = kWidth ? kWidth : c->att->attlen, align = c->align;
  const char* value = c->values + static_cast<Size>(from) * width;
  for (uint32 r = from; r < to; r++, value += width) {
    const bool null = c->state[r] == MR_NULL;
    if (kWidth == 0 && null) continue; /* too long to be written for nothing */
    char* p = pad_to(former->at[r], align);
    memcpy(p, value, width);
    former->at[r] = null ? former->at[r] : p + width;
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

static void write_column(const TupleFormer* former, const Column* c, uint32 from, uint32 to) {
  if (c->vector == Vector::kVarlena) {
    write_varlena(former, c, from, to);
    return;
  }
  switch (c->att->attlen) {
    case 1:
      return write_fixed<1>(former, c, from, to);
    case 2:
      return write_fixed<2>(former, c, from, to);
    case 4:
      return write_fixed<4>(former, c, from, to);
    case 8:
      return write_fixed<8>(former, c, from, to);
    case 16:
      return write_fixed<16>(former, c, from, to);
    default:
      return write_fixed<0>(former, c, from, to);
  }
}

/* The NULL bitmap, a byte of it (8 attributes) for all rows at a time. */
static void write_bitmaps(const TupleFormer* former, const Batch* batch, uint32 from, uint32 to, char** dest) {
  uint8 bits[kFlushRows];
  for (int first = 0; first < batch->natts; first += 8) {
    memset(bits, 0, to - from);
    for (int m = first; m < Min(first + 8, batch->natts); m++) {
      const uint8* state = batch->columns[m].state + from;
      for (uint32 i = 0; i < to - from; i++) bits[i] |= static_cast<uint8>(state[i] != MR_NULL) << (m - first);
    }
    for (uint32 i = 0; i < to - from; i++)
      if (former->has_null[from + i] && batch->row_state[from + i] == RowState::kVectors)
        reinterpret_cast<HeapTupleHeader>(dest[i])->t_bits[first / 8] = bits[i];
  }
}

/* Copies a tuple that was formed before and makes its header the load's. */
static void write_formed(char* to, HeapTuple formed, const TupleHeader* header) {
  HeapTupleHeader tuple = reinterpret_cast<HeapTupleHeader>(to);
  memcpy(to, formed->t_data, formed->t_len);
  tuple->t_infomask = (tuple->t_infomask & ~HEAP_XACT_MASK) | header->infomask;
  tuple->t_infomask2 &= ~HEAP2_XACT_MASK;
}

/* The headers, last of all. */
static void write_headers(const TupleFormer* former, const Batch* batch, uint32 from, uint32 to, char** dest,
                          const TupleHeader* header, const ItemPointerData* ctid) {
  for (uint32 r = from; r < to; r++) {
    if (batch->any_tuple && batch->row_state[r] == RowState::kExcluded) continue;
    HeapTupleHeader tuple = reinterpret_cast<HeapTupleHeader>(dest[r - from]);
    if (batch->any_tuple && batch->row_state[r] == RowState::kTuple) {
      write_formed(dest[r - from], batch->tuple[r], header);
    } else {
      tuple->t_infomask2 = former->natts;
      tuple->t_infomask = header->infomask | (former->has_null[r] ? HEAP_HASNULL : 0) |
                          (former->has_varwidth[r] ? HEAP_HASVARWIDTH : 0);
      tuple->t_hoff = former->has_null[r] ? former->bitmap_hoff : former->plain_hoff;
    }
    tuple->t_choice.t_heap.t_xmin = header->xid;
    tuple->t_choice.t_heap.t_xmax = InvalidTransactionId;
    tuple->t_choice.t_heap.t_field3.t_cid = header->cid;
    tuple->t_ctid = ctid[r - from];
  }
}

void tuple_former_write(TupleFormer* former, const Batch* batch, uint32 from, uint32 to, char** dest,
                        const TupleHeader* header, const ItemPointerData* ctid) {
  char nowhere[64]; /* where rows that are not in the vectors have their NULLs written */
  for (uint32 r = from; r < to; r++)
    former->at[r] = dest[r - from] + (former->has_null[r] ? former->bitmap_hoff : former->plain_hoff) +
                    former->prefix_size;
  for (uint32 r = from; batch->any_tuple && r < to; r++)
    if (batch->row_state[r] != RowState::kVectors) former->at[r] = nowhere;
  write_prefix(former, batch, from, to);
  for (int m = former->prefix; m < batch->natts; m++)
    if (!batch->columns[m].all_null) write_column(former, &batch->columns[m], from, to);
  if (former->any_null) write_bitmaps(former, batch, from, to, dest);
  /* zeros from the end of the last attribute to the end of the tuple's room */
  for (uint32 r = from; r < to; r++)
    if (batch->row_state[r] != RowState::kExcluded) memset(dest[r - from] + former->length[r], 0, 8);
  write_headers(former, batch, from, to, dest, header, ctid);
}

HeapTuple tuple_former_one(TupleFormer* former, const Batch* batch, uint32 row, const TupleHeader* header) {
  HeapTuple tuple = static_cast<HeapTuple>(palloc(sizeof(HeapTupleData)));
  ItemPointerSetInvalid(&tuple->t_self);
  tuple->t_tableOid = InvalidOid;
  tuple->t_len = former->length[row];
  char* data = static_cast<char*>(palloc0(MAXALIGN(tuple->t_len) + kTupleSlack));
  tuple->t_data = reinterpret_cast<HeapTupleHeader>(data);
  tuple_former_write(former, batch, row, row + 1, &data, header, &tuple->t_self);
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

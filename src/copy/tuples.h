/*
 * tuples.h: forms the heap tuples of a batch, a loop per column, straight into the
 * memory they will be stored from. Gives the bytes heap_form_tuple() would.
 */
#pragma once
#include "copy/batch.h"

namespace mr {

/* What every tuple's header has in common. */
struct TupleHeader {
  TransactionId xid;
  CommandId cid;
  uint16 infomask; /* beside HEAP_HASNULL and HEAP_HASVARWIDTH */
};

struct TupleFormer {
  int natts;
  uint32 bitmap_hoff; /* t_hoff of a tuple with NULLs, and without */
  uint32 plain_hoff;
  /*
   * The leading attributes that are fixed-length values in every row of the batch: they lie
   * at the same offset in each tuple.
   */
  int prefix;            /* how many */
  uint32 prefix_size;    /* bytes of data they take */
  uint32* prefix_offset; /* one entry an attribute */
  bool any_null;         /* some row of the batch has a NULL */
  /* One entry a row. */
  uint32* length; /* t_len: whole tuple, not aligned */
  uint8* has_null;
  uint8* has_varwidth;
  char** at; /* during writing: where the next attribute goes */
};

/* Lives in CurrentMemoryContext. */
TupleFormer* tuple_former_create(TupleDesc tupdesc, uint32 capacity);

/* Sets length for every row that is stored (a formed tuple's is its t_len). */
void tuple_former_measure(TupleFormer* former, const Batch* batch);

/* Bytes that tuple_former_write() may write behind a tuple; kTupleSlack of them must follow the last one. */
constexpr uint32 kTupleSlack = 32;

/*
 * Writes rows [from, to) to dest[row - from], each MAXALIGN(length[row]) bytes of zeroed memory
 * aligned to 8, and their t_ctid from ctid[row - from]. Rows that are excluded have no dest. The rows may lie side by
 * side in ascending or descending order; each is right when all are written.
 */
void tuple_former_write(TupleFormer* former, const Batch* batch, uint32 from, uint32 to, char** dest,
                        const TupleHeader* header, const ItemPointerData* ctid);

/* One measured row as a tuple in CurrentMemoryContext, for what wants single tuples: toast. */
HeapTuple tuple_former_one(TupleFormer* former, const Batch* batch, uint32 row, const TupleHeader* header);

/* Makes the row a formed one. tuple must live as long as the batch. */
void batch_set_tuple(Batch* batch, uint32 row, HeapTuple tuple);

/* Takes the row out of the batch: COPY's WHERE clause rejected it. */
void batch_exclude(Batch* batch, uint32 row);

}  // namespace mr

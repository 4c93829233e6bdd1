/*
 * batch.h: rows on their way through a scan: tuples of a few pinned pages, and
 * the columns taken out of them.
 */
#pragma once
#include "pg/pg.h"

extern "C" {
#include "access/htup_details.h"
#include "storage/buf.h"
}

namespace mr {

/* Rows a batch holds at most. A page is only added while all its line pointers would fit. */
constexpr int kBatchRows = 1024;
constexpr int kBatchPins = 16;

static_assert(sizeof(Datum) == 8, "columns hold 64-bit integers as Datums");

/*
 * One column of a batch. values are Datums as PostgreSQL makes them (integers
 * sign-extended, by-reference types pointers into pinned pages, perhaps toasted).
 * nulls is only meaningful while has_nulls; the value of a null is 0.
 */
struct Vector {
  Datum* values;
  uint8* nulls;
  bool has_nulls;
};

/* Room for a batch, zeroed, in CurrentMemoryContext. */
inline void vector_init(Vector* v) {
  v->values = static_cast<Datum*>(palloc0(sizeof(Datum) * kBatchRows));
  v->nulls = static_cast<uint8*>(palloc0(kBatchRows));
  v->has_nulls = false;
}

/* Visible tuples of the pinned pages, in physical order. */
struct RowBatch {
  int n;
  int most; /* rows to hold at most; 0: kBatchRows */
  int n_pins;
  HeapTupleHeader tuples[kBatchRows];
  Buffer pins[kBatchPins];
};

/*
 * A by-value Datum as columns hold it, sign-extended from the width of its type (8 for by-reference
 * types). What expressions give is not: hashtext() leaves 32 bits with zeroes above, a constant of
 * type oid too.
 */
inline Datum canonical(Datum value, int width) {
  switch (width) {
    case 1:
      return CharGetDatum(DatumGetChar(value));
    case 2:
      return Int16GetDatum(DatumGetInt16(value));
    case 4:
      return Int32GetDatum(DatumGetInt32(value));
    default:
      return value;
  }
}

/* The length of p[0, n) without blanks at its end: what counts of a char(n). */
inline int without_blanks(const char* p, int n) {
  while (n > 0 && p[n - 1] == ' ') n--;
  return n;
}

/* Is a varlena's value somewhere else or compressed? Not VARATT_IS_SHORT(): out-of-line pointers are "short" too. */
inline bool is_toasted(const void* value) { return VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value); }

}  // namespace mr

/*
 * plain.h: what the kernels and their callers share.
 *
 * The kernels know nothing of PostgreSQL: they take spans, write into memory
 * the caller owns, never allocate, never throw and never ereport.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Readable slack, in bytes, that every caller guarantees before the first and
 * after the last byte of a text buffer given to a kernel. The bytes there may
 * hold anything; kernels may load them, but their values never change a result.
 */
#define MR_SLACK 64

/*
 * State of one field (or value) in a column of a batch.
 *
 * Before a converter runs a field is MR_NULL or MR_VALUE (to be converted). A
 * converter leaves MR_NULL alone, leaves MR_VALUE where it wrote a value, and
 * sets MR_REFUSED where the spelling is not one it is sure of: those fields go
 * to the type's own input function, which gives the value or the error.
 */
enum {
  MR_NULL = 0,
  MR_VALUE = 1,
  MR_REFUSED = 2,
  MR_LOCAL = 3 /* timestamptz only: a local time without zone, to be resolved by the session's time zone */
};

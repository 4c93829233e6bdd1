/*
 * filter.h: masks of rows, a bit each, and columns narrowed by them. A mask of n
 * rows is (n + 63) / 64 words; bits past n are 0.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { kMrEq, kMrNe, kMrLt, kMrLe, kMrGt, kMrGe } MrCompare;

/* bits: the rows whose value compares so with `with`. */
void mr_compare_i64(const int64_t* values, size_t n, MrCompare op, int64_t with, uint64_t* bits);
void mr_compare_i64_scalar(const int64_t* values, size_t n, MrCompare op, int64_t with, uint64_t* bits);

/* bits: the rows where a compares so with b. */
void mr_compare_columns_i64(const int64_t* a, const int64_t* b, size_t n, MrCompare op, uint64_t* bits);
void mr_compare_columns_i64_scalar(const int64_t* a, const int64_t* b, size_t n, MrCompare op, uint64_t* bits);

/* out[i] = values[i] for the rows in bits; the others keep what they have. out is not values. */
void mr_blend_i64(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out);
void mr_blend_i64_scalar(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out);

/* bits: all n rows. */
void mr_mask_fill(size_t n, uint64_t* bits);

/* bits: the rows whose byte is not 0. */
void mr_mask_nonzero(const uint8_t* bytes, size_t n, uint64_t* bits);
void mr_mask_nonzero_scalar(const uint8_t* bytes, size_t n, uint64_t* bits);

/*
 * Moves the values of the rows in bits to the front of out, which may be values itself and else has
 * room for n; returns how many. What lies behind them in out[0, n) is then undefined.
 */
size_t mr_compress_i64(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out);
size_t mr_compress_i64_scalar(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out);

/*
 * Integers that compare as PostgreSQL compares floats: 0 = -0, NaN = NaN, NaN above all.
 * The doubles may be a column's Datums.
 */
void mr_float_order(const double* values, size_t n, int64_t* keys);

#ifdef __cplusplus
}
#endif

/*
 * arithmetic.h: columns of 64-bit integers added, subtracted and multiplied.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = a[i] + b[i], modulo 2^64, for i < n. Returns 0 when some sum does not fit into 64 bits, else 1. */
int mr_add_i64(const int64_t* a, const int64_t* b, size_t n, int64_t* out);
int mr_add_i64_scalar(const int64_t* a, const int64_t* b, size_t n, int64_t* out);

/* The same for a[i] - b[i]. */
int mr_subtract_i64(const int64_t* a, const int64_t* b, size_t n, int64_t* out);
int mr_subtract_i64_scalar(const int64_t* a, const int64_t* b, size_t n, int64_t* out);

/*
 * The same for a[i] * b[i], but 0 already when some product might not fit: when the most bits of any a and the most bits of
 * any b, signs not counted, are 63 or more together.
 */
int mr_multiply_i64(const int64_t* a, const int64_t* b, size_t n, int64_t* out);
int mr_multiply_i64_scalar(const int64_t* a, const int64_t* b, size_t n, int64_t* out);

#ifdef __cplusplus
}
#endif

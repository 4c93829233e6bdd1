/*
 * reduce.h: one number out of a column of 64-bit integers.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sum of values[0, n), modulo 2^64. */
int64_t mr_sum_i64(const int64_t* values, size_t n);
int64_t mr_sum_i64_scalar(const int64_t* values, size_t n);

/* The exact sum, as *high * 2^32 + *low. For n below 2^31. */
void mr_sum_i64_wide(const int64_t* values, size_t n, int64_t* high, uint64_t* low);
void mr_sum_i64_wide_scalar(const int64_t* values, size_t n, int64_t* high, uint64_t* low);

/* Least and greatest of values[0, n), n > 0. */
int64_t mr_min_i64(const int64_t* values, size_t n);
int64_t mr_min_i64_scalar(const int64_t* values, size_t n);
int64_t mr_max_i64(const int64_t* values, size_t n);
int64_t mr_max_i64_scalar(const int64_t* values, size_t n);

#ifdef __cplusplus
}
#endif

/*
 * decimal.h: stored numerics to integers, a column at a time.
 */
#pragma once
#include "base/plain.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * values[i] points to a stored numeric: a varlena with base-10000 digits behind a short header.
 * For each that has a one-byte varlena header, a short numeric header with display scale `scale`,
 * up to four digits, and fits so, out[i] becomes its value times 10^scale. Returns how many could be
 * done before the first that is anything else. scale is 0 to 18. Little-endian machines only (0 elsewhere).
 *
 * The 8 bytes before each value must be readable, as they are within a tuple, and what lies between its end and the next
 * 4096-byte boundary: up to 4 bytes of that are read. Source of the layout: numeric.c, NumericShort; of exact
 * division by a power of ten: Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994, section 9.
 */
size_t mr_decimal_column(const char* const* values, size_t n, int scale, int64_t* out);
size_t mr_decimal_column_scalar(const char* const* values, size_t n, int scale, int64_t* out);

#ifdef __cplusplus
}
#endif

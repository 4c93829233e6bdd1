/*
 * numeric_state.h: core's numerics, from and to integers.
 */
#pragma once
#include "scan/batch.h"

extern "C" {
#include "utils/numeric.h"
}

namespace mr {

/* What numeric_avg_serialize() gives for n values with the sum `sum` * 10^-scale, of display scale `scale`. */
Datum serialize_numeric_avg(int64 n, int128 sum, int scale);

/* What int8_avg_serialize() gives for n values with that sum. */
Datum serialize_int8_avg(int64 n, int128 sum);

/*
 * Takes a stored, not toasted numeric apart: *value * 10^-*scale, *scale its display scale.
 * False when it is NaN, infinite, or does not fit.
 */
bool numeric_to_scaled(Datum numeric, int64* value, int* scale);

/*
 * The same for a column: out[i] for its first n rows, 0 where it is null. False when some value
 * does not fit or not all have one display scale; with nothing but nulls *scale is 0.
 */
bool numeric_column(const Vector* column, int n, int64* out, int* scale);

/* Orders a * 10^-scale_a and b * 10^-scale_b: less than, equal to or greater than 0. Scales are 0 to 18. */
int compare_scaled(int64 a, int scale_a, int64 b, int scale_b);

/* 10^i for i up to 18. */
extern const int64 kPowersOf10[19];

}  // namespace mr

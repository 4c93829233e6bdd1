/* reduce_scalar.cpp: sums and extremes a value at a time. */
#include "kernels/reduce.h"

int64_t mr_sum_i64_scalar(const int64_t* values, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += static_cast<uint64_t>(values[i]);
  return static_cast<int64_t>(sum);
}

void mr_sum_i64_wide_scalar(const int64_t* values, size_t n, int64_t* high, uint64_t* low) {
  *high = 0;
  *low = 0;
  for (size_t i = 0; i < n; i++) {
    *high += values[i] >> 32;
    *low += static_cast<uint32_t>(values[i]);
  }
}

int64_t mr_min_i64_scalar(const int64_t* values, size_t n) {
  int64_t least = values[0];
  for (size_t i = 1; i < n; i++) least = values[i] < least ? values[i] : least;
  return least;
}

int64_t mr_max_i64_scalar(const int64_t* values, size_t n) {
  int64_t greatest = values[0];
  for (size_t i = 1; i < n; i++) greatest = values[i] > greatest ? values[i] : greatest;
  return greatest;
}

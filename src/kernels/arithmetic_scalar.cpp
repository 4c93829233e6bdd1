/* arithmetic_scalar.cpp: integers added, subtracted and multiplied one at a time. */
#include "kernels/arithmetic.h"

int mr_add_i64_scalar(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
  bool overflow = false;
  for (size_t i = 0; i < n; i++) overflow |= __builtin_add_overflow(a[i], b[i], &out[i]);
  return !overflow;
}

int mr_subtract_i64_scalar(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
  bool overflow = false;
  for (size_t i = 0; i < n; i++) overflow |= __builtin_sub_overflow(a[i], b[i], &out[i]);
  return !overflow;
}

/* Bits of the widest value, its sign not counted: of x or, where it is negative, of ~x. */
static int Width(uint64_t all) { return all == 0 ? 0 : 64 - __builtin_clzll(all); }

int mr_multiply_i64_scalar(const int64_t* a, const int64_t* b, size_t n, int64_t* out) {
  uint64_t all_a = 0;
  uint64_t all_b = 0;
  for (size_t i = 0; i < n; i++) {
    all_a |= static_cast<uint64_t>(a[i] ^ (a[i] >> 63));
    all_b |= static_cast<uint64_t>(b[i] ^ (b[i] >> 63));
    out[i] = static_cast<int64_t>(static_cast<uint64_t>(a[i]) * static_cast<uint64_t>(b[i]));
  }
  return Width(all_a) + Width(all_b) < 63;
}

/* filter_scalar.cpp: masks a row at a time. */
#include <string.h>

#include "kernels/filter.h"

namespace {

bool Holds(int64_t value, MrCompare op, int64_t with) {
  switch (op) {
    case kMrEq:
      return value == with;
    case kMrNe:
      return value != with;
    case kMrLt:
      return value < with;
    case kMrLe:
      return value <= with;
    case kMrGt:
      return value > with;
    default:
      return value >= with;
  }
}

}  // namespace

void mr_compare_i64_scalar(const int64_t* values, size_t n, MrCompare op, int64_t with, uint64_t* bits) {
  memset(bits, 0, (n + 63) / 64 * sizeof(*bits));
  for (size_t i = 0; i < n; i++) bits[i / 64] |= static_cast<uint64_t>(Holds(values[i], op, with)) << (i % 64);
}

void mr_compare_columns_i64_scalar(const int64_t* a, const int64_t* b, size_t n, MrCompare op, uint64_t* bits) {
  memset(bits, 0, (n + 63) / 64 * sizeof(*bits));
  for (size_t i = 0; i < n; i++) bits[i / 64] |= static_cast<uint64_t>(Holds(a[i], op, b[i])) << (i % 64);
}

void mr_blend_i64_scalar(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out) {
  for (size_t i = 0; i < n; i++)
    if (bits[i / 64] >> (i % 64) & 1) out[i] = values[i];
}

void mr_mask_fill(size_t n, uint64_t* bits) {
  memset(bits, 0xFF, n / 64 * sizeof(*bits));
  if (n % 64 != 0) bits[n / 64] = (uint64_t{1} << (n % 64)) - 1;
}

void mr_mask_nonzero_scalar(const uint8_t* bytes, size_t n, uint64_t* bits) {
  memset(bits, 0, (n + 63) / 64 * sizeof(*bits));
  for (size_t i = 0; i < n; i++) bits[i / 64] |= static_cast<uint64_t>(bytes[i] != 0) << (i % 64);
}

size_t mr_compress_i64_scalar(const int64_t* values, const uint64_t* bits, size_t n, int64_t* out) {
  size_t m = 0;
  for (size_t i = 0; i < n; i++) {
    out[m] = values[i];
    m += bits[i / 64] >> (i % 64) & 1;
  }
  return m;
}

void mr_float_order(const double* values, size_t n, int64_t* keys) {
  for (size_t i = 0; i < n; i++) {
    const double value = values[i] + 0.0; /* -0 becomes 0 */
    int64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    /* Negative floats are ordered the other way round by their bits. */
    bits ^= static_cast<int64_t>(static_cast<uint64_t>(bits >> 63) >> 1);
    keys[i] = value != value ? INT64_MAX : bits;
  }
}

/* Sums and extremes: the chosen target against scalar, scalar against 128-bit integers. */
#include "kernels/reduce.h"
#include "scan_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input in(data, size);
  const char* target = fuzz::ForceTarget(in.Byte());
  const fuzz::Column column(in.Rest());
  const int64_t* v = column.data();
  const size_t n = column.size();
  __int128 sum = 0;
  for (size_t i = 0; i < n; i++) sum += v[i];
  if (mr_sum_i64_scalar(v, n) != static_cast<int64_t>(sum)) fuzz::Fail("scalar", "sum");
  if (mr_sum_i64(v, n) != mr_sum_i64_scalar(v, n)) fuzz::Fail(target, "sum");
  int64_t high;
  uint64_t low;
  mr_sum_i64_wide_scalar(v, n, &high, &low);
  if (sum != static_cast<__int128>(high) * (int64_t{1} << 32) + low) fuzz::Fail("scalar", "wide sum");
  mr_sum_i64_wide(v, n, &high, &low);
  if (sum != static_cast<__int128>(high) * (int64_t{1} << 32) + low) fuzz::Fail(target, "wide sum");
  if (n == 0) return 0;
  if (mr_min_i64(v, n) != mr_min_i64_scalar(v, n)) fuzz::Fail(target, "least");
  if (mr_max_i64(v, n) != mr_max_i64_scalar(v, n)) fuzz::Fail(target, "greatest");
  return 0;
}

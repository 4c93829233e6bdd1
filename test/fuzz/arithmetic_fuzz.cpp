/* Sums, differences and products: the chosen target against scalar, scalar against 128-bit integers. */
#include "kernels/arithmetic.h"
#include "scan_fuzzing.h"

using Function = int (*)(const int64_t*, const int64_t*, size_t, int64_t*);

static void Check(const char* target, Function scalar, Function kernel, const int64_t* a, const int64_t* b, size_t n) {
  const std::unique_ptr<int64_t[]> x(new int64_t[n]), y(new int64_t[n]);
  if ((scalar(a, b, n, x.get()) != 0) != (kernel(a, b, n, y.get()) != 0)) fuzz::Fail(target, "overflow");
  if (n > 0 && memcmp(x.get(), y.get(), n * sizeof(int64_t)) != 0) fuzz::Fail(target, "values");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input in(data, size);
  const char* target = fuzz::ForceTarget(in.Byte());
  const std::string_view rest = in.Rest();
  const size_t n = rest.size() / 2;
  const fuzz::Column a(rest.substr(0, n)), b(rest.substr(n, n));
  Check(target, mr_add_i64_scalar, mr_add_i64, a.data(), b.data(), n);
  Check(target, mr_subtract_i64_scalar, mr_subtract_i64, a.data(), b.data(), n);
  Check(target, mr_multiply_i64_scalar, mr_multiply_i64, a.data(), b.data(), n);
  const std::unique_ptr<int64_t[]> out(new int64_t[n]);
  if (mr_multiply_i64_scalar(a.data(), b.data(), n, out.get()))
    for (size_t i = 0; i < n; i++)
      if (static_cast<__int128>(a.data()[i]) * b.data()[i] != out[i]) fuzz::Fail("scalar", "product");
  return 0;
}

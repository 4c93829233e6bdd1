/* The kernels of the scan: every SIMD target against the scalar twin, over all lengths around a vector's. */
#include "kernel_test.h"
#include "kernels/filter.h"
#include "kernels/line_pointers.h"
#include "kernels/reduce.h"

using namespace millrace_test;

namespace {

/* Values of all magnitudes, many of them extreme. */
std::vector<int64_t> Values(Random& random, size_t n) {
  std::vector<int64_t> values(n);
  for (int64_t& v : values) {
    const uint64_t wide = static_cast<uint64_t>(random.Below(1u << 31)) << 33 ^ random.Below(1u << 31);
    switch (random.Below(6)) {
      case 0:
        v = INT64_MIN;
        break;
      case 1:
        v = INT64_MAX;
        break;
      case 2:
        v = static_cast<int64_t>(wide);
        break;
      default:
        v = static_cast<int64_t>(random.Below(7)) - 3;
    }
  }
  return values;
}

std::vector<uint64_t> Mask(Random& random, size_t n) {
  std::vector<uint64_t> bits((n + 63) / 64 + 1);
  const uint32_t percent = random.Below(4) * 33;
  for (size_t i = 0; i < n; i++)
    if (random.Below(100) <= percent) bits[i / 64] |= uint64_t{1} << (i % 64);
  return bits;
}

TEST(Scan, NormalPointers) {
  ForEachTarget([](const char*) {
    Random random(1);
    for (size_t n = 0; n <= 300; n++) {
      std::vector<uint32_t> items(n);
      for (uint32_t& item : items) item = random.Below(4) << 15 | random.Below(1 << 15) | random.Below(1 << 14) << 17;
      ASSERT_EQ(mr_count_normal_pointers_scalar(items.data(), n), mr_count_normal_pointers(items.data(), n)) << n;
    }
  });
}

TEST(Scan, SumsAndExtremes) {
  ForEachTarget([](const char*) {
    Random random(2);
    for (size_t n = 0; n <= 300; n++) {
      const std::vector<int64_t> v = Values(random, n);
      ASSERT_EQ(mr_sum_i64_scalar(v.data(), n), mr_sum_i64(v.data(), n)) << n;
      int64_t high, high_scalar;
      uint64_t low, low_scalar;
      mr_sum_i64_wide(v.data(), n, &high, &low);
      mr_sum_i64_wide_scalar(v.data(), n, &high_scalar, &low_scalar);
      ASSERT_EQ(high_scalar, high) << n;
      ASSERT_EQ(low_scalar, low) << n;
      __int128 sum = 0;
      for (int64_t x : v) sum += x;
      ASSERT_TRUE(sum == static_cast<__int128>(high) * (int64_t{1} << 32) + low) << n;
      if (n == 0) continue;
      ASSERT_EQ(mr_min_i64_scalar(v.data(), n), mr_min_i64(v.data(), n)) << n;
      ASSERT_EQ(mr_max_i64_scalar(v.data(), n), mr_max_i64(v.data(), n)) << n;
    }
  });
}

TEST(Scan, Comparisons) {
  ForEachTarget([](const char*) {
    Random random(3);
    for (size_t n = 0; n <= 300; n++) {
      const std::vector<int64_t> v = Values(random, n);
      const int64_t with = n == 0 ? 0 : v[random.Below(static_cast<uint32_t>(n))];
      std::vector<uint64_t> a((n + 63) / 64 + 1, 7);
      std::vector<uint64_t> b((n + 63) / 64 + 1, 7);
      for (MrCompare op : {kMrEq, kMrNe, kMrLt, kMrLe, kMrGt, kMrGe}) {
        mr_compare_i64_scalar(v.data(), n, op, with, a.data());
        mr_compare_i64(v.data(), n, op, with, b.data());
        ASSERT_EQ(a, b) << n << " " << op;
      }
    }
  });
}

TEST(Scan, MasksOfBytes) {
  ForEachTarget([](const char*) {
    Random random(4);
    for (size_t n = 0; n <= 300; n++) {
      std::vector<uint8_t> bytes(n);
      for (uint8_t& byte : bytes) byte = random.Below(2) ? 0 : static_cast<uint8_t>(random.Below(256));
      std::vector<uint64_t> a((n + 63) / 64 + 1, 7);
      std::vector<uint64_t> b((n + 63) / 64 + 1, 7);
      mr_mask_nonzero_scalar(bytes.data(), n, a.data());
      mr_mask_nonzero(bytes.data(), n, b.data());
      ASSERT_EQ(a, b) << n;
    }
  });
}

TEST(Scan, Compress) {
  ForEachTarget([](const char*) {
    Random random(5);
    for (size_t n = 0; n <= 300; n++) {
      std::vector<int64_t> v = Values(random, n);
      const std::vector<uint64_t> bits = Mask(random, n);
      std::vector<int64_t> a(n), b(n);
      const size_t m = mr_compress_i64_scalar(v.data(), bits.data(), n, a.data());
      ASSERT_EQ(m, mr_compress_i64(v.data(), bits.data(), n, b.data())) << n;
      ASSERT_EQ(m, mr_compress_i64(v.data(), bits.data(), n, v.data())) << n;
      a.resize(m), b.resize(m), v.resize(m);
      ASSERT_EQ(a, b) << n;
      ASSERT_EQ(a, v) << n;
    }
  });
}

TEST(Scan, FloatOrder) {
  const double nan = __builtin_nan("");
  const double inf = __builtin_inf();
  const double sorted[] = {-inf, -1e300, -1.5, -1e-320, 0.0, 1e-320, 1.0, 1e300, inf, nan};
  int64_t keys[10];
  mr_float_order(sorted, 10, keys);
  for (int i = 1; i < 10; i++) ASSERT_LT(keys[i - 1], keys[i]) << i;
  const double equal[] = {-0.0, 0.0, nan, -nan};
  mr_float_order(equal, 4, keys);
  ASSERT_EQ(keys[0], keys[1]);
  ASSERT_EQ(keys[2], keys[3]);
}

}  // namespace

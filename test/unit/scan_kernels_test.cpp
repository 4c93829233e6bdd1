/* The kernels of the scan: every SIMD target against the scalar twin, over all lengths around a vector's. */
#include <sys/mman.h>

#include "kernel_test.h"
#include "kernels/arithmetic.h"
#include "kernels/decimal.h"
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
      std::vector<char> page(1 << 15);
      std::vector<char*> expected(n), found(n);
      const size_t m = mr_normal_items_scalar(items.data(), n, page.data(), expected.data());
      ASSERT_EQ(m, mr_count_normal_pointers_scalar(items.data(), n)) << n;
      ASSERT_EQ(m, mr_normal_items(items.data(), n, page.data(), found.data())) << n;
      expected.resize(m);
      found.resize(m);
      ASSERT_EQ(expected, found) << n;
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

TEST(Scan, ComparisonsOfColumns) {
  ForEachTarget([](const char*) {
    Random random(7);
    for (size_t n = 0; n <= 300; n++) {
      const std::vector<int64_t> v = Values(random, n);
      const std::vector<int64_t> w = Values(random, n);
      std::vector<uint64_t> a((n + 63) / 64 + 1, 7);
      std::vector<uint64_t> b((n + 63) / 64 + 1, 7);
      for (MrCompare op : {kMrEq, kMrNe, kMrLt, kMrLe, kMrGt, kMrGe}) {
        mr_compare_columns_i64_scalar(v.data(), w.data(), n, op, a.data());
        mr_compare_columns_i64(v.data(), w.data(), n, op, b.data());
        ASSERT_EQ(a, b) << n << " " << op;
      }
    }
  });
}

TEST(Scan, Blend) {
  ForEachTarget([](const char*) {
    Random random(8);
    for (size_t n = 0; n <= 300; n++) {
      const std::vector<int64_t> v = Values(random, n);
      const std::vector<uint64_t> bits = Mask(random, n);
      std::vector<int64_t> a = Values(random, n + 1);
      std::vector<int64_t> b = a;
      mr_blend_i64_scalar(v.data(), bits.data(), n, a.data());
      mr_blend_i64(v.data(), bits.data(), n, b.data());
      ASSERT_EQ(a, b) << n;
      for (size_t i = 0; i < n; i++)
        if (bits[i / 64] >> (i % 64) & 1) ASSERT_EQ(v[i], a[i]) << i;
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

/* A stored numeric with a one-byte varlena header and a short header, or with something spoilt. */
std::string StoredNumeric(Random& random, int scale, bool spoil) {
  const int n = static_cast<int>(random.Below(5));
  const int weight = random.Below(50) == 0 ? static_cast<int>(random.Below(5)) - 2 : n - 1 - (scale > 0 && random.Below(2));
  uint16_t header = static_cast<uint16_t>(0x8000 | scale << 7 | (weight & 0x7F) | (random.Below(2) ? 0x2000 : 0));
  std::string s(1, static_cast<char>((3 + 2 * n) << 1 | 1));
  if (spoil) {
    switch (random.Below(5)) {
      case 0:
        header ^= 0x8000;
        break;
      case 1:
        header |= 0x4000;
        break;
      case 2:
        header ^= 0x0080;
        break;
      case 3:
        s[0] = 1; /* a toast pointer */
        break;
      default:
        s[0] = 0x10; /* a four-byte header */
    }
  }
  s.append(reinterpret_cast<const char*>(&header), 2);
  for (int i = 0; i < n; i++) {
    uint16_t digit = static_cast<uint16_t>(random.Below(10000));
    /* The last digit mostly has no more decimals than the scale says. */
    const uint16_t unit = scale == 1 ? 1000 : scale == 2 ? 100 : scale == 3 ? 10 : 1;
    if (i == n - 1 && random.Below(200) != 0) digit = static_cast<uint16_t>(digit / unit * unit);
    s.append(reinterpret_cast<const char*>(&digit), 2);
  }
  return s;
}

TEST(Scan, Decimals) {
  ForEachTarget([](const char*) {
    Random random(6);
    size_t whole = 0;
    for (int round = 0; round < 4000; round++) {
      const size_t n = random.Below(round % 10 == 0 ? 300 : 40);
      const int scale = static_cast<int>(random.Below(4));
      std::string text(8, 'x');
      std::vector<size_t> offsets;
      for (size_t i = 0; i < n; i++) {
        offsets.push_back(text.size());
        text += StoredNumeric(random, scale, random.Below(200) == 0);
      }
      text.append(4, 'x');
      std::vector<const char*> values;
      for (size_t offset : offsets) values.push_back(text.data() + offset);
      std::vector<int64_t> a(n + 1), b(n + 1);
      const size_t m = mr_decimal_column_scalar(values.data(), n, scale, a.data());
      ASSERT_EQ(m, mr_decimal_column(values.data(), n, scale, b.data()));
      for (size_t i = 0; i < m; i++) ASSERT_EQ(a[i], b[i]) << i;
      whole += m == n && n > 8;
    }
    ASSERT_GT(whole, 0u);
  });
}

/* Behind a value that ends with a page of memory nothing is read. */
TEST(Scan, DecimalsBeforeABoundary) {
  void* memory = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(MAP_FAILED, memory);
  char* end = static_cast<char*>(memory) + 4096;
  ASSERT_EQ(0, mprotect(end, 4096, PROT_NONE));
  const std::string stored[] = {std::string("\x07\x00\x81", 3), std::string("\x0b\x00\x81\xb0\x04", 5),
                                std::string("\x0f\x00\x81\xd2\x04\xe0\x15", 7),
                                std::string("\x13\x01\x81\x01\x00\xd2\x04\xe0\x15", 9)};
  const int64_t expected[] = {0, 120000, 123456, 1123456};
  for (int k = 0; k < 4; k++) {
    memcpy(end - stored[k].size(), stored[k].data(), stored[k].size());
    const std::vector<const char*> values(200, end - stored[k].size());
    ForEachTarget([&](const char*) {
      int64_t out[200];
      ASSERT_EQ(200u, mr_decimal_column(values.data(), 200, 2, out));
      for (int i = 0; i < 200; i++) ASSERT_EQ(expected[k], out[i]) << k;
    });
  }
  munmap(memory, 8192);
}

int64_t Any(Random& random) {
  return static_cast<int64_t>(static_cast<uint64_t>(random.Below(UINT32_MAX)) << 32 | random.Below(UINT32_MAX));
}

/* Columns whose products, sums and differences fit, just fit, or do not. */
TEST(Scan, Arithmetic) {
  ForEachTarget([](const char*) {
    Random random(9);
    for (int round = 0; round < 3000; round++) {
      const size_t n = random.Below(100);
      const int bits_a = static_cast<int>(random.Below(64)), bits_b = static_cast<int>(random.Below(64));
      std::vector<int64_t> a(n), b(n), expected(n), found(n);
      for (size_t i = 0; i < n; i++) {
        a[i] = Any(random) >> bits_a;
        b[i] = Any(random) >> bits_b;
      }
      bool sums_fit = true, differences_fit = true, products_fit = true;
      for (size_t i = 0; i < n; i++) {
        int64_t r;
        sums_fit &= !__builtin_add_overflow(a[i], b[i], &r);
        differences_fit &= !__builtin_sub_overflow(a[i], b[i], &r);
        products_fit &= !__builtin_mul_overflow(a[i], b[i], &r);
      }
      ASSERT_EQ(sums_fit, mr_add_i64_scalar(a.data(), b.data(), n, expected.data()) != 0);
      ASSERT_EQ(sums_fit, mr_add_i64(a.data(), b.data(), n, found.data()) != 0);
      ASSERT_EQ(expected, found);
      ASSERT_EQ(differences_fit, mr_subtract_i64_scalar(a.data(), b.data(), n, expected.data()) != 0);
      ASSERT_EQ(differences_fit, mr_subtract_i64(a.data(), b.data(), n, found.data()) != 0);
      ASSERT_EQ(expected, found);
      const bool said = mr_multiply_i64_scalar(a.data(), b.data(), n, expected.data()) != 0;
      ASSERT_EQ(said, mr_multiply_i64(a.data(), b.data(), n, found.data()) != 0);
      ASSERT_EQ(expected, found);
      ASSERT_TRUE(!said || products_fit);
      ASSERT_TRUE(said || bits_a + bits_b <= 66); /* small ones are never turned away */
    }
  });
}

TEST(Scan, DecimalValues) {
  /* 1234.56, 1200.00, 0.05, -7.00, 0.00 at scale 2 */
  const std::string stored[] = {std::string("\x0f\x00\x81\xd2\x04\xe0\x15", 7), std::string("\x0b\x00\x81\xb0\x04", 5),
                                std::string("\x0b\x7f\x81\xf4\x01", 5), std::string("\x0b\x00\xa1\x07\x00", 5),
                                std::string("\x07\x00\x81", 3)};
  std::string text(8, 'x');
  std::vector<size_t> offsets;
  for (int i = 0; i < 20; i++) offsets.push_back(text.size()), text += stored[i % 5];
  text.append(4, 'x');
  std::vector<const char*> values;
  for (size_t offset : offsets) values.push_back(text.data() + offset);
  const int64_t expected[] = {123456, 120000, 5, -700, 0};
  ForEachTarget([&](const char*) {
    int64_t out[20];
    ASSERT_EQ(20u, mr_decimal_column(values.data(), 20, 2, out));
    for (int i = 0; i < 20; i++) ASSERT_EQ(expected[i % 5], out[i]) << i;
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

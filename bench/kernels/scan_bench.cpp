/*
 * scan_bench.cpp: the speed of the scan's kernels on batches of 1,024 rows, for each SIMD target.
 */
#include <benchmark/benchmark.h>
#include <stdint.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/filter.h"
#include "kernels/find.h"
#include "kernels/line_pointers.h"
#include "kernels/reduce.h"
#include "kernels/simd_target.h"

namespace {

constexpr size_t kRows = 1024;

struct Batch {
  std::vector<int64_t> a, b, out;
  std::vector<uint64_t> bits;
  std::vector<uint32_t> items;
  std::vector<std::string> texts;
  Batch() : a(kRows), b(kRows), out(kRows), bits(kRows / 64), items(kRows) {
    std::mt19937_64 random(42);
    for (int64_t& v : a) v = static_cast<int64_t>(random() % 1000);
    for (int64_t& v : b) v = static_cast<int64_t>(random() % 1000);
    for (uint64_t& word : bits) word = random();
    for (uint32_t& item : items) item = static_cast<uint32_t>(random()) | 1u << 15;
    for (size_t i = 0; i < kRows; i++) {
      std::string s;
      while (s.size() < 20 + random() % 60) s += static_cast<char>('a' + random() % 26);
      texts.push_back(s);
    }
  }
};

using Run = std::function<void(Batch&)>;

void Register(const char* name, const Run& run) {
  for (int i = 0; mr_simd_supported(i) != nullptr; i++) {
    const char* target = mr_simd_supported(i);
    benchmark::RegisterBenchmark((std::string(target) + "/" + name).c_str(), [target, run](benchmark::State& state) {
      mr_simd_force(target);
      static Batch batch;
      for (auto _ : state) {
        run(batch);
        benchmark::ClobberMemory();
      }
      state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kRows));
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  Register("compare", [](Batch& x) { mr_compare_i64(x.a.data(), kRows, kMrLt, 500, x.bits.data()); });
  Register("compare_columns", [](Batch& x) { mr_compare_columns_i64(x.a.data(), x.b.data(), kRows, kMrLt, x.bits.data()); });
  Register("blend", [](Batch& x) { mr_blend_i64(x.a.data(), x.bits.data(), kRows, x.out.data()); });
  Register("compress", [](Batch& x) { mr_compress_i64(x.a.data(), x.bits.data(), kRows, x.out.data()); });
  Register("sum", [](Batch& x) { benchmark::DoNotOptimize(mr_sum_i64(x.a.data(), kRows)); });
  Register("max", [](Batch& x) { benchmark::DoNotOptimize(mr_max_i64(x.a.data(), kRows)); });
  Register("line_pointers", [](Batch& x) { benchmark::DoNotOptimize(mr_count_normal_pointers(x.items.data(), kRows)); });
  Register("find/5_in_50_bytes", [](Batch& x) {
    for (const std::string& s : x.texts) benchmark::DoNotOptimize(mr_find_bytes(s.data(), s.size(), "green", 5));
  });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

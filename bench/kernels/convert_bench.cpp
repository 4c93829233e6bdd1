/*
 * convert_bench.cpp: nanoseconds a field of every converter, over columns of
 * 1,000 fields that lie as they do in COPY input: one a row, rows about 120
 * bytes apart. Every benchmark runs on the best target and on the scalar twin;
 * MR_BENCH_ALL=1 adds the targets between.
 */
#include <benchmark/benchmark.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/convert.h"
#include "kernels/simd_target.h"

namespace {

constexpr uint32_t kRows = 1000;

struct Column {
  explicit Column(const std::function<std::string(std::mt19937_64&)>& make, uint32_t stride = 120) {
    std::mt19937_64 random(42);
    std::string s(MR_SLACK, 'x');
    for (uint32_t i = 0; i < kRows; i++) {
      const std::string field = make(random);
      s.append(40, '|');
      start.push_back(static_cast<uint32_t>(s.size() - MR_SLACK));
      len.push_back(static_cast<uint32_t>(field.size()));
      s += field;
      if (field.size() + 40 < stride) s.append(stride - 40 - field.size() + random() % 16 - 8, '|');
    }
    text = s + std::string(MR_SLACK, 'x');
    status.assign(kRows, MR_VALUE);
    out.resize(kRows * 64);
    out_len.resize(kRows);
    pos.resize(kRows);
    length.resize(kRows);
  }
  std::string text;
  std::vector<uint32_t> start, len, pos, length;
  std::vector<uint8_t> status, out, out_len;
  const char* base() const { return text.data() + MR_SLACK; }
};

using Convert = std::function<uint32_t(Column&)>;

void Run(benchmark::State& state, const char* target, const Convert& convert, Column* column) {
  mr_simd_force(target);
  uint32_t refused = 0;
  for (auto _ : state) {
    refused += convert(*column);
    benchmark::ClobberMemory();
  }
  if (refused != 0) state.SkipWithError("fields were refused");
  state.counters["ns/field"] = benchmark::Counter(
      kRows * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.SetLabel(mr_simd_target());
}

std::string Format(const char* format, ...) __attribute__((format(printf, 1, 2)));
std::string Format(const char* format, ...) {
  char buffer[512];
  va_list args;
  va_start(args, format);
  vsnprintf(buffer, sizeof(buffer), format, args);
  va_end(args);
  return buffer;
}

template <typename T, typename F>
Convert Simple(F f) {
  return [f](Column& c) {
    return f(c.base(), c.start.data(), c.len.data(), kRows, reinterpret_cast<T*>(c.out.data()),
             c.status.data());
  };
}
template <typename F>
Convert WithFraction(F f) {
  return [f](Column& c) {
    for (uint8_t& s : c.status) s = MR_VALUE; /* timestamptz may have left MR_LOCAL */
    return f(c.base(), c.start.data(), c.len.data(), kRows, -1, reinterpret_cast<int64_t*>(c.out.data()),
             c.status.data());
  };
}
Convert Numeric(int precision, int scale) {
  return [=](Column& c) {
    return mr_convert_numeric(c.base(), c.start.data(), c.len.data(), kRows, precision, scale, c.out.data(),
                              c.out_len.data(), c.status.data());
  };
}
Convert Bytea() {
  return [](Column& c) {
    return mr_convert_bytea_hex(c.base(), c.start.data(), c.len.data(), kRows, c.out.data(), c.pos.data(),
                                c.length.data(), c.status.data());
  };
}

using Random = std::mt19937_64;
std::string Decimal(Random& r, uint64_t range, int scale) {
  uint64_t unit = 1;
  for (int i = 0; i < scale; i++) unit *= 10;
  const uint64_t v = r() % range;
  return Format("%llu.%0*llu", static_cast<unsigned long long>(v / unit), scale,
                static_cast<unsigned long long>(v % unit));
}
std::string Date(Random& r) {
  return Format("%04d-%02d-%02d", static_cast<int>(1992 + r() % 7), static_cast<int>(1 + r() % 12),
                static_cast<int>(1 + r() % 28));
}
std::string Time(Random& r) {
  return Format("%02d:%02d:%02d", static_cast<int>(r() % 24), static_cast<int>(r() % 60),
                static_cast<int>(r() % 60));
}
std::string Micros(Random& r) { return Format(".%06d", static_cast<int>(r() % 1000000)); }
std::string Hex(Random& r, int bytes) {
  std::string s;
  for (int i = 0; i < bytes; i++) s += Format("%02x", static_cast<int>(r() % 256));
  return s;
}
std::string Uuid(Random& r) {
  return Hex(r, 4) + "-" + Hex(r, 2) + "-" + Hex(r, 2) + "-" + Hex(r, 2) + "-" + Hex(r, 6);
}

void Register(const char* name, const Convert& convert, Column* column) {
  std::vector<const char*> targets = {"auto", "scalar"};
  if (getenv("MR_BENCH_ALL")) {
    targets.clear();
    for (int i = 0; mr_simd_supported(i); i++) targets.push_back(mr_simd_supported(i));
  }
  for (const char* target : targets) {
    benchmark::RegisterBenchmark((std::string(name) + "/" + target).c_str(),
                                 [=](benchmark::State& state) { Run(state, target, convert, column); });
  }
}

void RegisterAll() {
  auto add = [](const char* name, const Convert& convert, const std::function<std::string(Random&)>& make,
                uint32_t stride = 120) { Register(name, convert, new Column(make, stride)); };
  const Convert int4 = Simple<int32_t>(mr_convert_int4), int8 = Simple<int64_t>(mr_convert_int8);
  add("int2/4_digits", Simple<int16_t>(mr_convert_int2),
      [](Random& r) { return std::to_string(r() % 10000); });
  add("int4/1_digit", int4, [](Random& r) { return std::to_string(r() % 10); });
  add("int4/7_digits", int4, [](Random& r) { return std::to_string(r() % 6000000); });
  add("int4/any", int4, [](Random& r) { return std::to_string(static_cast<int32_t>(r())); });
  add("int8/7_digits", int8, [](Random& r) { return std::to_string(r() % 6000000); });
  add("int8/13_digits", int8, [](Random& r) { return std::to_string(1700000000000 + r() % 99999999999); });
  add("int8/any", int8, [](Random& r) { return std::to_string(static_cast<int64_t>(r())); });
  add("oid/5_digits", Simple<uint32_t>(mr_convert_oid),
      [](Random& r) { return std::to_string(r() % 90000); });
  add("numeric_15_2/price", Numeric(15, 2), [](Random& r) { return Decimal(r, 10000000, 2); });
  add("numeric_15_2/discount", Numeric(15, 2), [](Random& r) { return Decimal(r, 11, 2); });
  add("numeric_15_2/integers", Numeric(15, 2), [](Random& r) { return std::to_string(r() % 50); });
  add("numeric/mixed_scale", Numeric(-1, -1), [](Random& r) {
    return (r() % 4 == 0 ? "-" : "") + Decimal(r, 100000000, 1 + static_cast<int>(r() % 6));
  });
  add("numeric/17_digits", Numeric(-1, -1), [](Random& r) { return Decimal(r, 100000000000000000, 6); });
  add("date", Simple<int32_t>(mr_convert_date), Date);
  add("timestamp/seconds", WithFraction(mr_convert_timestamp),
      [](Random& r) { return Date(r) + " " + Time(r); });
  add("timestamp/micros", WithFraction(mr_convert_timestamp),
      [](Random& r) { return Date(r) + " " + Time(r) + Micros(r); });
  add("timestamptz/seconds", WithFraction(mr_convert_timestamptz),
      [](Random& r) { return Date(r) + " " + Time(r) + "+00"; });
  add("timestamptz/micros", WithFraction(mr_convert_timestamptz),
      [](Random& r) { return Date(r) + " " + Time(r) + Micros(r) + "+00"; });
  add("timestamptz/iso_z", WithFraction(mr_convert_timestamptz),
      [](Random& r) { return Date(r) + "T" + Time(r) + "Z"; });
  add("timestamptz/local", WithFraction(mr_convert_timestamptz),
      [](Random& r) { return Date(r) + " " + Time(r); });
  add("time/seconds", WithFraction(mr_convert_time), Time);
  add("time/micros", WithFraction(mr_convert_time), [](Random& r) { return Time(r) + Micros(r); });
  add("float4/price", Simple<float>(mr_convert_float4), [](Random& r) { return Decimal(r, 1000000, 2); });
  add("float4/shortest", Simple<float>(mr_convert_float4),
      [](Random& r) { return Format("%.9g", static_cast<double>(r()) / 1.8446744073709552e19 * 100); });
  add("float8/price", Simple<double>(mr_convert_float8), [](Random& r) { return Decimal(r, 10000000, 2); });
  add("float8/17_digits", Simple<double>(mr_convert_float8),
      [](Random& r) { return Format("%.17g", static_cast<double>(r()) / 1.8446744073709552e19 * 100); });
  add("float8/exponent", Simple<double>(mr_convert_float8),
      [](Random& r) { return Format("%.12e", static_cast<double>(r()) / 1.8446744073709552e19 * 100); });
  add("bool/t_f", Simple<uint8_t>(mr_convert_bool), [](Random& r) { return r() % 2 ? "t" : "f"; });
  add("bool/words", Simple<uint8_t>(mr_convert_bool), [](Random& r) { return r() % 2 ? "true" : "false"; });
  add("uuid", Simple<uint8_t>(mr_convert_uuid), Uuid);
  add("bytea/16", Bytea(), [](Random& r) { return "\\x" + Hex(r, 16); });
  add(
      "bytea/64", Bytea(), [](Random& r) { return "\\x" + Hex(r, 64); }, 200);
}

}  // namespace

int main(int argc, char** argv) {
  RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

/*
 * kernels_bench.cpp: the speed of the line, UTF-8 and unescape kernels on 256 kB
 * chunks of the kinds of input that matter, for each SIMD target.
 */
#include <benchmark/benchmark.h>
#include <stdint.h>
#include <stdio.h>

#include <random>
#include <string>
#include <vector>

#include "kernels/line_index.h"
#include "kernels/simd_target.h"
#include "kernels/unescape.h"
#include "kernels/utf8.h"

namespace {

constexpr size_t kChunk = 256 * 1024;
constexpr MrFormat kText = {0, MR_EOL_NL, '\t', 0, 0};
constexpr MrFormat kTextCrnl = {0, MR_EOL_CRNL, '\t', 0, 0};
constexpr MrFormat kCsv = {1, MR_EOL_NL, ',', '"', '"'};
constexpr MrFormat kCsvEscape = {1, MR_EOL_NL, ',', '"', '\\'};

/* Whole rows up to 256 kB, between the promised slack. */
struct Input {
  std::string bytes;
  uint32_t begin = MR_SLACK;
  uint32_t end = 0;
  template <class Row>
  explicit Input(Row row) {
    std::mt19937 random(42);
    bytes.assign(MR_SLACK, ' ');
    for (;;) {
      const std::string next = row(random);
      if (bytes.size() + next.size() > kChunk + MR_SLACK) break;
      bytes += next;
    }
    end = static_cast<uint32_t>(bytes.size());
    bytes.append(MR_SLACK, ' ');
  }
  const char* text() const { return bytes.data() + begin; }
  size_t size() const { return end - begin; }
};

uint32_t Below(std::mt19937& random, uint32_t n) { return static_cast<uint32_t>(random() % n); }

std::string Words(std::mt19937& random, size_t n) {
  std::string s;
  while (s.size() < n) s.append(1 + Below(random, 8), static_cast<char>('a' + Below(random, 26))).append(" ");
  s.resize(n);
  return s;
}

std::string Int5(std::mt19937& random, const char* eol) {
  char row[128];
  snprintf(row, sizeof(row), "%u\t%u\t%u\t%u\t%u%s", Below(random, 2000000), Below(random, 100000), Below(random, 10000000),
           Below(random, 1000), Below(random, 1000000000), eol);
  return row;
}

std::string Lineitem(std::mt19937& random, bool quoted_comments) {
  char row[400];
  const std::string comment = Words(random, 10 + Below(random, 34));
  const bool quote = quoted_comments && Below(random, 3) == 0;
  snprintf(row, sizeof(row), "%u,%u,%u,%u,%u,%u.%02u,0.%02u,0.%02u,N,O,1996-03-%02u,1996-02-%02u,1996-03-%02u,DELIVER IN PERSON,TRUCK,%s%s%s\n",
           Below(random, 6000000), Below(random, 200000), Below(random, 10000), 1 + Below(random, 7), 1 + Below(random, 50),
           Below(random, 90000), Below(random, 100), Below(random, 11), Below(random, 9), 1 + Below(random, 28),
           1 + Below(random, 28), 1 + Below(random, 28), quote ? "\"" : "", comment.c_str(), quote ? "\"" : "");
  return row;
}

std::string Quoted(std::mt19937& random, const char* embedded, uint32_t one_in) {
  std::string row;
  for (int i = 0; i < 8; i++) {
    row += i ? ",\"" : "\"";
    row += Words(random, 4 + Below(random, 14));
    if (one_in && Below(random, one_in) == 0) row += embedded;
    row += "\"";
  }
  return row + "\n";
}

std::string Escaped(std::mt19937& random) {
  static const char* kinds[] = {"\\n", "\\t", "\\\\", "\\r"};
  std::string row;
  for (int i = 0; i < 4; i++) {
    if (i) row += '\t';
    for (int k = 0; k < 4; k++) row += Words(random, 3 + Below(random, 8)) + kinds[Below(random, 4)];
  }
  return row + "\n";
}

void Index(benchmark::State& state, const Input& input, const MrFormat& format) {
  std::vector<uint32_t> seps(input.size() + 64), rows(input.size() + 64), odd(input.size() + 64);
  MrIndex index = {seps.data(), rows.data(), odd.data(), 0, 0, 0};
  for (auto _ : state) {
    const uint32_t end = mr_index_rows(&format, input.bytes.data(), input.begin, input.end, &index);
    if (end != input.end) abort();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * input.size()));
  state.counters["seps"] = index.n_seps;
  state.counters["odd"] = index.n_odd;
}

void Utf8(benchmark::State& state, const Input& input) {
  for (auto _ : state)
    if (mr_utf8_valid_prefix(input.text(), input.size()) != input.size()) abort();
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * input.size()));
}

void Count(benchmark::State& state, const Input& input) {
  for (auto _ : state) benchmark::DoNotOptimize(mr_utf8_count(input.text(), input.size()));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * input.size()));
}

/* Field by field, as the pipeline calls it. */
void Unescape(benchmark::State& state, const Input& input, const MrFormat& format) {
  std::vector<uint32_t> seps(input.size() + 64), rows(input.size() + 64), odd(input.size() + 64);
  MrIndex index = {seps.data(), rows.data(), odd.data(), 0, 0, 0};
  mr_index_rows(&format, input.bytes.data(), input.begin, input.end, &index);
  std::vector<char> to(input.size() + MR_SLACK);
  int64_t total = 0;
  for (auto _ : state) {
    uint32_t start = input.begin;
    for (uint32_t i = 0; i < index.n_seps; i++) {
      const char* field = input.bytes.data() + start;
      const size_t length = seps[i] - start;
      int was_quoted;
      total += format.csv ? mr_unquote_csv(field, length, format.quote, format.escape, to.data(), &was_quoted)
                          : mr_unescape_text(field, length, to.data());
      start = seps[i] + 1;
    }
    benchmark::DoNotOptimize(total);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * input.size()));
  state.counters["ns/field"] =
      benchmark::Counter(static_cast<double>(index.n_seps) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  static const Input int5([](std::mt19937& r) { return Int5(r, "\n"); });
  static const Input int5_crnl([](std::mt19937& r) { return Int5(r, "\r\n"); });
  static const Input lineitem([](std::mt19937& r) { return Lineitem(r, false); });
  static const Input lineitem_some([](std::mt19937& r) { return Lineitem(r, true); });
  static const Input wide([](std::mt19937& r) { return Words(r, 150 + Below(r, 8)) + "\n"; });
  static const Input quoted([](std::mt19937& r) { return Quoted(r, "", 0); });
  static const Input doubled([](std::mt19937& r) { return Quoted(r, "\"\"x", 4); });
  static const Input backslashed([](std::mt19937& r) { return Quoted(r, "\\\"x", 4); });
  static const Input escaped(Escaped);
  static const Input some_umlauts([](std::mt19937& r) {
    std::string s = Words(r, 20 + Below(r, 60));
    return s + "gr\xC3\xBC\xC3\x9F" "e \xE2\x82\xAC\n";
  });
  static const Input mixed([](std::mt19937& r) {
    std::string s;
    for (int i = 0; i < 20; i++) {
      static const char* kinds[] = {"a", "e ", "\xC3\xA9", "\xD0\xB9", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80"};
      s += kinds[Below(r, 6)];
    }
    return s;
  });

  for (int i = 0; const char* name = mr_simd_supported(i); i++) {
    const std::string target = name;
    const auto add = [&](const std::string& what, auto run) {
      benchmark::RegisterBenchmark((target + "/" + what).c_str(), [=](benchmark::State& state) {
        mr_simd_force(target.c_str());
        run(state);
      });
    };
    add("index/int5", [](benchmark::State& s) { Index(s, int5, kText); });
    add("index/int5_crnl", [](benchmark::State& s) { Index(s, int5_crnl, kTextCrnl); });
    add("index/lineitem_csv", [](benchmark::State& s) { Index(s, lineitem, kCsv); });
    add("index/lineitem_some_quoted", [](benchmark::State& s) { Index(s, lineitem_some, kCsv); });
    add("index/wide_text", [](benchmark::State& s) { Index(s, wide, kText); });
    add("index/quoted_csv", [](benchmark::State& s) { Index(s, quoted, kCsv); });
    add("index/doubled_csv", [](benchmark::State& s) { Index(s, doubled, kCsv); });
    add("index/backslash_csv", [](benchmark::State& s) { Index(s, backslashed, kCsvEscape); });
    add("index/escaped_text", [](benchmark::State& s) { Index(s, escaped, kText); });
    add("utf8/ascii", [](benchmark::State& s) { Utf8(s, wide); });
    add("utf8/some_umlauts", [](benchmark::State& s) { Utf8(s, some_umlauts); });
    add("utf8/mixed", [](benchmark::State& s) { Utf8(s, mixed); });
    add("utf8/count", [](benchmark::State& s) { Count(s, mixed); });
    add("unescape/text", [](benchmark::State& s) { Unescape(s, escaped, kText); });
    add("unescape/doubled_csv", [](benchmark::State& s) { Unescape(s, doubled, kCsv); });
    add("unescape/backslash_csv", [](benchmark::State& s) { Unescape(s, backslashed, kCsvEscape); });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

/*
 * convert_testing.h: runs a converter over spellings and compares it with an oracle.
 *
 * The spellings are laid out in a buffer in shuffled order, the first at its very
 * start and the last at its very end, with hostile bytes around them; some
 * fields are NULL with positions that must not be followed. Every target of this
 * machine runs on the same layouts.
 */
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "kernels/convert.h"
#include "kernels/simd_target.h"

namespace convert_testing {

using Random = std::mt19937_64;

/* What a converter did with a field: refused, or the bytes of its value. `local` is MR_LOCAL. */
struct Outcome {
  bool refused = false;
  bool local = false;
  std::string bytes;
  bool operator==(const Outcome& o) const {
    return refused == o.refused && (refused || (local == o.local && bytes == o.bytes));
  }
};

inline Outcome Refused() { return {true, false, ""}; }

template <typename T>
Outcome Value(T v, bool local = false) {
  return {false, local, std::string(reinterpret_cast<const char*>(&v), sizeof(v))};
}

inline std::ostream& operator<<(std::ostream& os, const Outcome& o) {
  if (o.refused) return os << "refused";
  for (unsigned char c : o.bytes) os << "0123456789abcdef"[c >> 4] << "0123456789abcdef"[c & 15];
  return os << (o.local ? " (local)" : "");
}

/* A batch as the converters see it. */
struct Batch {
  std::string text; /* with the slack */
  std::vector<uint32_t> start, len;
  std::vector<uint8_t> status;
  const char* base() const { return text.data() + MR_SLACK; }
  uint32_t n() const { return static_cast<uint32_t>(start.size()); }
  std::string Field(uint32_t i) const { return std::string(base() + start[i], len[i]); }
};

inline Batch Layout(const std::vector<std::string>& fields, Random& random, bool nulls) {
  static const char kHostile[] = "0123456789-+.eE :TZ\\xf\xff\x80\0\n,|'\"";
  auto hostile = [&](size_t n) {
    std::string s;
    while (n-- > 0) s += kHostile[random() % (sizeof(kHostile) - 1)];
    return s;
  };
  Batch b;
  const size_t n = fields.size();
  b.start.resize(n), b.len.resize(n), b.status.assign(n, MR_VALUE);
  std::vector<size_t> order(n);
  for (size_t i = 0; i < n; i++) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  b.text = hostile(MR_SLACK);
  for (size_t k = 0; k < n; k++) {
    const size_t i = order[k];
    b.start[i] = static_cast<uint32_t>(b.text.size() - MR_SLACK);
    b.len[i] = static_cast<uint32_t>(fields[i].size());
    b.text += fields[i];
    if (k + 1 < n) b.text += hostile(random() % 4);
  }
  b.text += hostile(MR_SLACK);
  b.text.shrink_to_fit();
  if (nulls) {
    for (size_t i = 0; i < n; i++) {
      if (random() % 4 != 0) continue;
      b.status[i] = MR_NULL;
      b.start[i] = random() % 2 ? 0xffffffffu : 0;
      b.len[i] = random() % 2 ? static_cast<uint32_t>(random()) : 0;
    }
  }
  return b;
}

/*
 * Runs the converter on a batch: writes status, returns the number it reports
 * refused, and gives the bytes of field i's value by get(i).
 */
struct Result {
  std::vector<uint8_t> status;
  uint32_t refused = 0;
  std::function<std::string(uint32_t)> get;
};
using Runner = std::function<Result(const Batch&)>;
using Oracle = std::function<Outcome(const std::string&)>;

/* For converters with fixed-width results; kExtra elements after the last must stay untouched. */
template <typename T, size_t kPer = 1, typename F>
Runner FixedWidth(F convert) {
  return [=](const Batch& b) {
    constexpr size_t kExtra = 8;
    auto out = std::make_shared<std::vector<T>>();
    out->resize((b.n() + kExtra) * kPer);
    memset(out->data(), 0xa5, out->size() * sizeof(T));
    Result run;
    run.status = b.status;
    run.refused = convert(b.base(), b.start.data(), b.len.data(), b.n(), out->data(), run.status.data());
    const auto* tail = reinterpret_cast<const unsigned char*>(out->data() + b.n() * kPer);
    for (size_t k = 0; k < kExtra * kPer * sizeof(T); k++)
      EXPECT_EQ(tail[k], 0xa5) << "wrote past the column";
    run.get = [out](uint32_t i) {
      return std::string(reinterpret_cast<const char*>(out->data() + i * kPer), kPer * sizeof(T));
    };
    return run;
  };
}

inline void CheckBatch(const Batch& batch, const Runner& runner, const Oracle& oracle,
                       const std::string& what) {
  const Result run = runner(batch);
  uint32_t refused = 0;
  for (uint32_t i = 0; i < batch.n(); i++) {
    if (batch.status[i] == MR_NULL) {
      ASSERT_EQ(run.status[i], MR_NULL) << what;
      continue;
    }
    Outcome got;
    got.refused = run.status[i] == MR_REFUSED;
    got.local = run.status[i] == MR_LOCAL;
    if (!got.refused) got.bytes = run.get(i);
    refused += got.refused;
    const Outcome want = oracle(batch.Field(i));
    ASSERT_EQ(got, want) << what << ": \"" << batch.Field(i) << "\" (field " << i << " of " << batch.n()
                         << ")";
  }
  ASSERT_EQ(run.refused, refused) << what;
}

/* Runs `body` on each target this machine has, the scalar twins last. */
inline void OnEveryTarget(const std::function<void(const std::string&)>& body) {
  for (int i = 0; mr_simd_supported(i); i++) {
    const std::string target = mr_simd_supported(i);
    ASSERT_EQ(mr_simd_force(target.c_str()), 0);
    body(target);
    if (::testing::Test::HasFatalFailure()) break;
  }
  mr_simd_force("auto");
}

/* Batches of several sizes cut from a pool of spellings. */
inline void CheckPool(const std::vector<std::string>& pool, const Runner& runner, const Oracle& oracle,
                      uint64_t seed = 1) {
  OnEveryTarget([&](const std::string& target) {
    Random random(seed);
    size_t next = 0;
    for (size_t round = 0; next < pool.size() || round < 40; round++) {
      const size_t size = round < 20 ? round : 1 + random() % 300;
      std::vector<std::string> fields;
      for (size_t k = 0; k < size; k++) fields.push_back(pool[next++ % pool.size()]);
      CheckBatch(Layout(fields, random, round % 2 == 1), runner, oracle, target);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

/* Random spellings near the given ones: bytes replaced, dropped, doubled. */
inline std::string Mutate(std::string s, Random& random) {
  static const char kBytes[] = "0123456789-+.eEaAfFxXzZtT :_\\\0\x80\xff\x2f\x3a";
  for (int k = static_cast<int>(random() % 3); k >= 0; k--) {
    const size_t at = s.empty() ? 0 : random() % s.size();
    const char c = kBytes[random() % (sizeof(kBytes) - 1)];
    switch (random() % 4) {
      case 0:
        if (!s.empty()) s[at] = c;
        break;
      case 1:
        if (!s.empty()) s.erase(at, 1);
        break;
      case 2:
        s.insert(at, 1, c);
        break;
      default:
        if (!s.empty()) s.insert(at, 1, s[at]);
    }
  }
  return s;
}

inline std::string RandomDigits(Random& random, size_t n) {
  std::string s;
  const int style = static_cast<int>(random() % 6);
  while (s.size() < n) s += style == 0 ? '0' : style == 1 ? '9' : static_cast<char>('0' + random() % 10);
  return s;
}

}  // namespace convert_testing

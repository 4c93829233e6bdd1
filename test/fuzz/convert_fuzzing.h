/*
 * convert_fuzzing.h: every SIMD target against the scalar twin on one input.
 *
 * The input is fields, each ended by a newline, in a buffer of just their size
 * and its slack. Its first byte chooses a typmod; its second makes some fields
 * NULL and sets the bytes of the slack, which may hold anything.
 */
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/convert.h"
#include "kernels/simd_target.h"

namespace convert_fuzzing {

struct Fields {
  std::vector<char> text;
  std::vector<uint32_t> start, len;
  std::vector<uint8_t> status;
  uint8_t option = 0;
  const char* base() const { return text.data() + MR_SLACK; }
  uint32_t n() const { return static_cast<uint32_t>(start.size()); }
};

inline Fields Split(const uint8_t* data, size_t size) {
  Fields f;
  uint8_t nulls = 0;
  if (size >= 2) {
    f.option = data[0], nulls = data[1];
    data += 2, size -= 2;
  }
  f.text.assign(size + 2 * MR_SLACK, static_cast<char>(nulls));
  if (size != 0) memcpy(f.text.data() + MR_SLACK, data, size);
  size_t from = 0;
  for (size_t i = 0; i <= size; i++) {
    if (i != size && data[i] != '\n') continue;
    const bool null = nulls % 4 == 3 && (i * 7 + nulls) % 5 == 0;
    f.start.push_back(null ? 0xfffffff0u : static_cast<uint32_t>(from));
    f.len.push_back(null ? 0xfffffff0u : static_cast<uint32_t>(i - from));
    f.status.push_back(null ? MR_NULL : MR_VALUE);
    from = i + 1;
  }
  return f;
}

/* What a converter left. */
struct Result {
  uint32_t refused = 0;
  std::vector<uint8_t> status, out;
};

/*
 * convert(fields, out, status) with room for `width` bytes a field; the fields
 * with values must agree in all of them.
 */
template <typename F>
void Compare(const Fields& f, size_t width, size_t extra, F convert) {
  std::vector<Result> results;
  for (int t = 0; mr_simd_supported(t); t++) {
    if (mr_simd_force(mr_simd_supported(t)) != 0) abort();
    Result r;
    r.status = f.status;
    r.out.assign(f.n() * width + extra, 0);
    r.refused = convert(f, r.out.data(), r.status.data());
    results.push_back(r);
  }
  const Result& plain = results.back(); /* the scalar twin comes last */
  for (size_t t = 0; t + 1 < results.size(); t++) {
    const Result& r = results[t];
    bool same = r.refused == plain.refused && r.status == plain.status;
    for (uint32_t i = 0; i < f.n() && same; i++) {
      const bool value = r.status[i] == MR_VALUE || r.status[i] == MR_LOCAL;
      if (value) same = memcmp(r.out.data() + i * width, plain.out.data() + i * width, width) == 0;
      if (!same) fprintf(stderr, "field %u\n", i);
    }
    if (!same) {
      fprintf(stderr, "%s differs from the scalar twin\n", mr_simd_supported(static_cast<int>(t)));
      abort();
    }
  }
}

/* A converter whose results are an array of T. */
template <typename T, size_t kPer = 1, typename F>
void CompareArrays(const Fields& f, F convert) {
  Compare(f, sizeof(T) * kPer, 0, [=](const Fields& fields, uint8_t* out, uint8_t* status) {
    return convert(fields.base(), fields.start.data(), fields.len.data(), fields.n(),
                   reinterpret_cast<T*>(out), status);
  });
}

/* The same with a number of fractional digits, -1 to 6. */
template <typename F>
void CompareTimes(const Fields& f, F convert) {
  const int digits = f.option % 8 - 1;
  Compare(f, 8, 0, [=](const Fields& fields, uint8_t* out, uint8_t* status) {
    return convert(fields.base(), fields.start.data(), fields.len.data(), fields.n(), digits,
                   reinterpret_cast<int64_t*>(out), status);
  });
}

}  // namespace convert_fuzzing

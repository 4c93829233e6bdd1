/* convert_numeric_fuzz.cpp: numeric on every target against the scalar twins. */
#include "convert_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace convert_fuzzing;
  const Fields f = Split(data, size);
  static const int kTypmods[][2] = {{-1, -1}, {15, 2}, {4, 4}, {18, 9}, {30, 20}, {5, 0}, {64, 63}, {3, 5}};
  const int precision = kTypmods[f.option % 8][0], scale = kTypmods[f.option % 8][1];
  Compare(f, 33, 0, [=](const Fields& fields, uint8_t* out, uint8_t* status) {
    std::vector<uint8_t> bytes(fields.n() * 32), len(fields.n());
    const uint32_t refused =
        mr_convert_numeric(fields.base(), fields.start.data(), fields.len.data(), fields.n(), precision,
                           scale, bytes.data(), len.data(), status);
    for (uint32_t i = 0; i < fields.n(); i++) {
      if (status[i] != MR_VALUE) continue;
      out[33 * i] = len[i];
      memcpy(out + 33 * i + 1, bytes.data() + 32 * i, len[i]);
    }
    return refused;
  });
  return 0;
}

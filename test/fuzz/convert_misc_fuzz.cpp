/* convert_misc_fuzz.cpp: bool, uuid and bytea on every target against the scalar twins. */
#include "convert_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace convert_fuzzing;
  const Fields f = Split(data, size);
  CompareArrays<uint8_t>(f, mr_convert_bool);
  CompareArrays<uint8_t, 16>(f, mr_convert_uuid);
  size_t total = 0;
  for (uint32_t i = 0; i < f.n(); i++) total += f.status[i] == MR_VALUE ? f.len[i] : 0;
  /* a field of the result: a hash of its place, its length and all bytes so far */
  Compare(f, 8, 0, [=](const Fields& fields, uint8_t* out, uint8_t* status) {
    std::vector<uint8_t> bytes(total / 2 + MR_SLACK);
    std::vector<uint32_t> pos(fields.n()), len(fields.n());
    const uint32_t refused = mr_convert_bytea_hex(fields.base(), fields.start.data(), fields.len.data(),
                                                  fields.n(), bytes.data(), pos.data(), len.data(), status);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < fields.n(); i++) {
      if (status[i] != MR_VALUE) continue;
      for (uint32_t k = 0; k < len[i]; k++) hash = hash * 31 + bytes[pos[i] + k] + 1;
      const uint64_t all = hash * 31 + (uint64_t{pos[i]} << 32 | len[i]);
      memcpy(out + 8 * i, &all, 8);
    }
    return refused;
  });
  return 0;
}

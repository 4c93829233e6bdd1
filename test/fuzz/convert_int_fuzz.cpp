/* convert_int_fuzz.cpp: integers on every target against the scalar twins. */
#include "convert_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace convert_fuzzing;
  const Fields f = Split(data, size);
  CompareArrays<int16_t>(f, mr_convert_int2);
  CompareArrays<int32_t>(f, mr_convert_int4);
  CompareArrays<int64_t>(f, mr_convert_int8);
  CompareArrays<uint32_t>(f, mr_convert_oid);
  return 0;
}

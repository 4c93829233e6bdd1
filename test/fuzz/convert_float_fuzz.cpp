/* convert_float_fuzz.cpp: floats on every target against the scalar twins. */
#include "convert_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace convert_fuzzing;
  const Fields f = Split(data, size);
  CompareArrays<float>(f, mr_convert_float4);
  CompareArrays<double>(f, mr_convert_float8);
  return 0;
}

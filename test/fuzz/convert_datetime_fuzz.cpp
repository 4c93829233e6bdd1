/* convert_datetime_fuzz.cpp: dates and times on every target against the scalar twins. */
#include "convert_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace convert_fuzzing;
  const Fields f = Split(data, size);
  CompareArrays<int32_t>(f, mr_convert_date);
  CompareTimes(f, mr_convert_time);
  CompareTimes(f, mr_convert_timestamp);
  CompareTimes(f, mr_convert_timestamptz);
  return 0;
}

/*
 * convert_datetime.cpp: converters of convert.h.
 */
#include "kernels/convert.h"
#include "kernels/simd_target.h"

uint32_t mr_convert_date(MR_FIELDS, int32_t* out, uint8_t* status) {
  return mr_convert_date_scalar(base, start, len, n, out, status);
}

uint32_t mr_convert_timestamp(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  return mr_convert_timestamp_scalar(base, start, len, n, fraction_digits, out, status);
}

uint32_t mr_convert_timestamptz(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  return mr_convert_timestamptz_scalar(base, start, len, n, fraction_digits, out, status);
}

uint32_t mr_convert_time(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  return mr_convert_time_scalar(base, start, len, n, fraction_digits, out, status);
}

/*
 * convert_int.cpp: converters of convert.h.
 */
#include "kernels/convert.h"
#include "kernels/simd_target.h"

uint32_t mr_convert_int2(MR_FIELDS, int16_t* out, uint8_t* status) {
  return mr_convert_int2_scalar(base, start, len, n, out, status);
}

uint32_t mr_convert_int4(MR_FIELDS, int32_t* out, uint8_t* status) {
  return mr_convert_int4_scalar(base, start, len, n, out, status);
}

uint32_t mr_convert_int8(MR_FIELDS, int64_t* out, uint8_t* status) {
  return mr_convert_int8_scalar(base, start, len, n, out, status);
}

uint32_t mr_convert_oid(MR_FIELDS, uint32_t* out, uint8_t* status) {
  return mr_convert_oid_scalar(base, start, len, n, out, status);
}

/*
 * convert_float.cpp: converters of convert.h.
 */
#include "kernels/convert.h"
#include "kernels/simd_target.h"

uint32_t mr_convert_float4(MR_FIELDS, float* out, uint8_t* status) {
  return mr_convert_float4_scalar(base, start, len, n, out, status);
}

uint32_t mr_convert_float8(MR_FIELDS, double* out, uint8_t* status) {
  return mr_convert_float8_scalar(base, start, len, n, out, status);
}

/*
 * convert_numeric.cpp: converters of convert.h.
 */
#include "kernels/convert.h"
#include "kernels/simd_target.h"

uint32_t mr_convert_numeric(MR_FIELDS, int precision, int scale, uint8_t* out, uint8_t* out_len,
                            uint8_t* status) {
  return mr_convert_numeric_scalar(base, start, len, n, precision, scale, out, out_len, status);
}

/*
 * convert_misc.cpp: converters of convert.h.
 */
#include "kernels/convert.h"
#include "kernels/simd_target.h"

uint32_t mr_convert_bool(MR_FIELDS, uint8_t* out, uint8_t* status) {
  return mr_convert_bool_scalar(base, start, len, n, out, status);
}

uint32_t mr_convert_uuid(MR_FIELDS, uint8_t* out, uint8_t* status) {
  return mr_convert_uuid_scalar(base, start, len, n, out, status);
}

uint32_t mr_convert_bytea_hex(MR_FIELDS, uint8_t* out, uint32_t* out_pos, uint32_t* out_len,
                              uint8_t* status) {
  return mr_convert_bytea_hex_scalar(base, start, len, n, out, out_pos, out_len, status);
}

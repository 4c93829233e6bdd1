/*
 * convert_scalar.cpp: the plain twins of the converters, loops over convert_field.h.
 */
#include "kernels/convert.h"
#include "kernels/convert_field.h"

using namespace millrace;

extern "C" {

#define MR_INTEGER_TWIN(name, type, max_digits, max)                             \
  uint32_t name(MR_FIELDS, type* out, uint8_t* status) {                         \
    return ForEachValue(n, status, [=](uint32_t i) {                             \
      int64_t v;                                                                 \
      if (!FieldInt(base + start[i], len[i], max_digits, max, &v)) return false; \
      out[i] = static_cast<type>(v);                                             \
      return true;                                                               \
    });                                                                          \
  }
MR_INTEGER_TWIN(mr_convert_int2_scalar, int16_t, 5, INT16_MAX)
MR_INTEGER_TWIN(mr_convert_int4_scalar, int32_t, 10, INT32_MAX)
MR_INTEGER_TWIN(mr_convert_int8_scalar, int64_t, 19, INT64_MAX)
#undef MR_INTEGER_TWIN

uint32_t mr_convert_oid_scalar(MR_FIELDS, uint32_t* out, uint8_t* status) {
  return ForEachValue(n, status, [=](uint32_t i) {
    uint64_t v;
    if (!FieldDigits(base + start[i], len[i], 10, &v) || v > UINT32_MAX) return false;
    out[i] = static_cast<uint32_t>(v);
    return true;
  });
}

uint32_t mr_convert_numeric_scalar(MR_FIELDS, int precision, int scale, uint8_t* out, uint8_t* out_len,
                                   uint8_t* status) {
  const NumericRules rules(precision, scale);
  return ForEachValue(n, status, [=](uint32_t i) {
    const uint32_t bytes = FieldNumeric(base + start[i], len[i], rules, out + size_t{32} * i);
    out_len[i] = static_cast<uint8_t>(bytes);
    return bytes != 0;
  });
}

uint32_t mr_convert_date_scalar(MR_FIELDS, int32_t* out, uint8_t* status) {
  return ForEachValue(n, status, [=](uint32_t i) { return FieldDate(base + start[i], len[i], out + i); });
}

uint32_t mr_convert_timestamp_scalar(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  const uint32_t max_fraction = MaxFraction(fraction_digits);
  return ForEachValue(
      n, status, [=](uint32_t i) { return FieldTimestamp(base + start[i], len[i], max_fraction, out + i); });
}

uint32_t mr_convert_timestamptz_scalar(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  const uint32_t max_fraction = MaxFraction(fraction_digits);
  return ForEachValue(n, status, [=](uint32_t i) {
    bool local;
    if (!FieldTimestamptz(base + start[i], len[i], max_fraction, out + i, &local)) return false;
    if (local) status[i] = MR_LOCAL;
    return true;
  });
}

uint32_t mr_convert_time_scalar(MR_FIELDS, int fraction_digits, int64_t* out, uint8_t* status) {
  const uint32_t max_fraction = MaxFraction(fraction_digits);
  return ForEachValue(n, status,
                      [=](uint32_t i) { return FieldTime(base + start[i], len[i], max_fraction, out + i); });
}

uint32_t mr_convert_float4_scalar(MR_FIELDS, float* out, uint8_t* status) {
  return ForEachValue(n, status, [=](uint32_t i) { return FieldFloat(base + start[i], len[i], out + i); });
}

uint32_t mr_convert_float8_scalar(MR_FIELDS, double* out, uint8_t* status) {
  return ForEachValue(n, status, [=](uint32_t i) { return FieldFloat(base + start[i], len[i], out + i); });
}

uint32_t mr_convert_bool_scalar(MR_FIELDS, uint8_t* out, uint8_t* status) {
  return ForEachValue(n, status, [=](uint32_t i) { return FieldBool(base + start[i], len[i], out + i); });
}

uint32_t mr_convert_uuid_scalar(MR_FIELDS, uint8_t* out, uint8_t* status) {
  return ForEachValue(n, status,
                      [=](uint32_t i) { return FieldUuid(base + start[i], len[i], out + size_t{16} * i); });
}

uint32_t mr_convert_bytea_hex_scalar(MR_FIELDS, uint8_t* out, uint32_t* out_pos, uint32_t* out_len,
                                     uint8_t* status) {
  uint32_t pos = 0;
  return ForEachValue(n, status, [=, &pos](uint32_t i) {
    if (!FieldByteaHex(base + start[i], len[i], out + pos)) return false;
    out_pos[i] = pos;
    out_len[i] = (len[i] - 2) / 2;
    pos += out_len[i];
    return true;
  });
}

}  // extern "C"

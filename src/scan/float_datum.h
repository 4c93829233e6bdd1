/*
 * float_datum.h: Datums of real and double precision, by the type of the number.
 */
#pragma once
#include "pg/pg.h"

namespace mr {

template <class Float>
Float from_datum(Datum datum);
template <>
inline float4 from_datum<float4>(Datum datum) {
  return DatumGetFloat4(datum);
}
template <>
inline float8 from_datum<float8>(Datum datum) {
  return DatumGetFloat8(datum);
}

inline Datum to_datum(float4 value) { return Float4GetDatum(value); }
inline Datum to_datum(float8 value) { return Float8GetDatum(value); }

}  // namespace mr

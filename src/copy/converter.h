/*
 * converter.h: how the fields of one column become values, a table of functions.
 *
 * To add a type: write its kernel (kernels/convert.h), one converter here, and
 * list it in kConverters (converters.cpp). Nothing else changes. A type without
 * converter goes through its input function.
 */
#pragma once
#include "copy/batch.h"

namespace mr {

struct Converter {
  Oid type;
  Vector vector;
  bool needs_payload_room; /* 32 bytes a row in Column::payload_room */

  /* May refuse the column for its typmod; keeps what convert needs in arg1 and arg2. Null: always fits. */
  bool (*plan)(Column* column);

  /*
   * Converts the fields start, len of `text` whose state is MR_VALUE, n rows. Writes
   * values (kFixed) or payload, start and len (kVarlena); marks fields it is not
   * sure of MR_REFUSED and returns how many. Memory it needs comes from
   * CurrentMemoryContext, which lives as long as the batch.
   */
  uint32 (*convert)(Column* column, const char* text, uint32 n);
};

/* The converter for a column of this type, or null. */
const Converter* find_converter(Column* column);

}  // namespace mr

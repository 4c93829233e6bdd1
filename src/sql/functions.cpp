/*
 * The SQL-callable functions of the extension; their SQL is in sql/millrace--1.0.sql.
 */
#include "pg/pg.h"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
}

#include "copy/last_copy.h"
#include "kernels/simd_target.h"

#define MR_VERSION "1.0"

extern "C" {

PG_FUNCTION_INFO_V1(millrace_version);
PGDLLEXPORT Datum millrace_version(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(millrace_simd_target);
PGDLLEXPORT Datum millrace_simd_target(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(millrace_last_copy);
PGDLLEXPORT Datum millrace_last_copy(PG_FUNCTION_ARGS);

/* millrace.version() returns text */
Datum millrace_version(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text(MR_VERSION)); }

/* millrace.simd_target() returns text */
Datum millrace_simd_target(PG_FUNCTION_ARGS) { PG_RETURN_TEXT_P(cstring_to_text(mr_simd_target())); }

/* millrace.last_copy() returns one row; its columns are the OUT parameters, in this order */
Datum millrace_last_copy(PG_FUNCTION_ARGS) {
  TupleDesc desc;
  if (get_call_result_type(fcinfo, nullptr, &desc) != TYPEFUNC_COMPOSITE) elog(ERROR, "return type must be a row type");
  const mr::LastCopy* last = &mr::last_copy;
  if (!last->valid) PG_RETURN_NULL();
  Datum values[8];
  bool nulls[8] = {};
  Interval* elapsed = static_cast<Interval*>(palloc0(sizeof(Interval)));
  elapsed->time = last->elapsed_us;
  values[0] = ObjectIdGetDatum(last->relation);
  values[1] = CStringGetTextDatum(last->fast ? "fast" : "postgres");
  values[2] = CStringGetTextDatum(last->reason);
  nulls[2] = last->fast;
  values[3] = Int64GetDatum(last->rows);
  values[4] = Int64GetDatum(last->bytes);
  values[5] = IntervalPGetDatum(elapsed);
  values[6] = Int64GetDatum(last->rejected);
  values[7] = Int32GetDatum(last->workers);
  PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

}  // extern "C"

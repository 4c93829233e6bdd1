/*
 * scan_functions.cpp: the SQL-callable functions of the scan.
 */
#include "pg/pg.h"

extern "C" {
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
}

extern "C" {

PG_FUNCTION_INFO_V1(millrace_count);
PGDLLEXPORT Datum millrace_count(PG_FUNCTION_ARGS);

/*
 * millrace.count(regclass) returns bigint: SELECT count(*) with millrace.scan on, by the caller's
 * snapshot and with the caller's privileges and row security, since it is that statement.
 */
Datum millrace_count(PG_FUNCTION_ARGS) {
  const Oid relation = PG_GETARG_OID(0);
  char* name = get_rel_name(relation);
  if (name == nullptr)
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", relation)));
  char* qualified = quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
  const int nest = NewGUCNestLevel();
  (void)set_config_option("millrace.scan", "on", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "SPI_connect failed");
  const int status = SPI_execute(psprintf("SELECT pg_catalog.count(*) FROM %s", qualified), true, 1);
  if (status != SPI_OK_SELECT || SPI_processed != 1) elog(ERROR, "counting %s failed: %d", qualified, status);
  bool isnull;
  const int64 count = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
  SPI_finish();
  AtEOXact_GUC(true, nest);
  PG_RETURN_INT64(count);
}

}  // extern "C"

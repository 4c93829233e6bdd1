-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION millrace" to load this file. \quit

CREATE FUNCTION millrace.version() RETURNS pg_catalog.text
  LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'millrace_version';
COMMENT ON FUNCTION millrace.version() IS 'version of the loaded millrace library';

CREATE FUNCTION millrace.simd_target() RETURNS pg_catalog.text
  LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'millrace_simd_target';
COMMENT ON FUNCTION millrace.simd_target() IS 'SIMD instruction set the kernels run on; see the setting millrace.simd';

CREATE FUNCTION millrace.last_copy(
    OUT relation pg_catalog.regclass, OUT path pg_catalog.text, OUT reason pg_catalog.text, OUT rows pg_catalog.int8,
    OUT bytes pg_catalog.int8, OUT elapsed pg_catalog.interval, OUT rejected pg_catalog.int8, OUT workers pg_catalog.int4)
  LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'millrace_last_copy';
COMMENT ON FUNCTION millrace.last_copy() IS
  'what the last completed COPY FROM of this session did: path is fast or postgres, reason says why PostgreSQL''s own code ran, bytes is input read; NULLs if there was none';

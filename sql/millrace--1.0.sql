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

-- The list of libraries that new sessions of this database load, and whether it is a setting of the database itself.
CREATE FUNCTION millrace._session_libraries(OUT libraries pg_catalog.text[], OUT of_database pg_catalog.bool)
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  list text;
BEGIN
  SELECT substr(c, length('session_preload_libraries=') + 1) INTO list
    FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) c
    WHERE d.datname = current_database() AND s.setrole = 0 AND c LIKE 'session\_preload\_libraries=%';
  of_database := FOUND;
  IF NOT FOUND THEN
    SELECT setting INTO list FROM pg_settings
      WHERE name = 'session_preload_libraries' AND source NOT IN ('database', 'user', 'database user', 'client', 'session');
  END IF;
  SELECT coalesce(array_agg(btrim(l, ' "')) FILTER (WHERE btrim(l, ' "') <> ''), '{}') INTO libraries
    FROM regexp_split_to_table(coalesce(list, ''), ',') l;
END $$;
COMMENT ON FUNCTION millrace._session_libraries() IS 'internal: what millrace.enable() and millrace.disable() start from';

CREATE FUNCTION millrace._set_session_libraries(libraries pg_catalog.text[]) RETURNS pg_catalog.void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF libraries = '{}' THEN
    EXECUTE format('ALTER DATABASE %I RESET session_preload_libraries', current_database());
  ELSE
    EXECUTE format('ALTER DATABASE %I SET session_preload_libraries = %s', current_database(),
                   (SELECT string_agg(quote_literal(l), ', ') FROM unnest(libraries) l));
  END IF;
END $$;
COMMENT ON FUNCTION millrace._set_session_libraries(pg_catalog.text[]) IS 'internal: sets or resets session_preload_libraries of the current database';

CREATE FUNCTION millrace.enable() RETURNS pg_catalog.void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  l text[] := (millrace._session_libraries()).libraries;
BEGIN
  PERFORM millrace._set_session_libraries(array_remove(l, 'millrace') || 'millrace'::text);
END $$;
COMMENT ON FUNCTION millrace.enable() IS
  'loads millrace in every new session of the current database, by adding it to the database''s session_preload_libraries; needs a superuser';

CREATE FUNCTION millrace.disable() RETURNS pg_catalog.void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  s record := millrace._session_libraries();
BEGIN
  IF s.of_database THEN
    PERFORM millrace._set_session_libraries(array_remove(s.libraries, 'millrace'));
  END IF;
END $$;
COMMENT ON FUNCTION millrace.disable() IS
  'undoes millrace.enable(): takes millrace out of the database''s session_preload_libraries; needs a superuser';

REVOKE ALL ON FUNCTION millrace._session_libraries(), millrace._set_session_libraries(pg_catalog.text[]),
  millrace.enable(), millrace.disable() FROM PUBLIC;

CREATE FUNCTION millrace.count(relation pg_catalog.regclass) RETURNS pg_catalog.int8
  LANGUAGE c STABLE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'millrace_count';
COMMENT ON FUNCTION millrace.count(pg_catalog.regclass) IS
  'exact number of rows, as SELECT count(*) gives it to the caller, by the fast path whatever millrace.scan is';

CREATE FUNCTION millrace.doctor(OUT finding pg_catalog.text, OUT detail pg_catalog.text, OUT advice pg_catalog.text,
    OUT setting pg_catalog.text)
  RETURNS SETOF pg_catalog.record LANGUAGE sql STABLE PARALLEL RESTRICTED
  SET search_path = pg_catalog, pg_temp
  AS $$
  SELECT 'library not preloaded', 'millrace is loaded in this session only',
         'preload it, so that every session is fast', 'session_preload_libraries'
    WHERE current_setting('shared_preload_libraries') || ',' || current_setting('session_preload_libraries')
          || ',' || current_setting('local_preload_libraries') !~ '(^|[,/ "])millrace'
  UNION ALL
  SELECT 'millrace switched off', s.name || ' is off', 'switch it on', s.name
    FROM pg_settings s WHERE s.name IN ('millrace.copy', 'millrace.scan') AND s.setting = 'off'
  UNION ALL
  SELECT 'no SIMD', 'millrace.simd is scalar', 'let millrace choose: auto', 'millrace.simd'
    FROM pg_settings s WHERE s.name = 'millrace.simd' AND s.setting = 'scalar'
  UNION ALL
  SELECT 'huge pages off', 'every new session first pays page faults for shared buffers',
         'reserve huge pages and set it to try or on', 'huge_pages'
    WHERE coalesce(current_setting('huge_pages_status', true), current_setting('huge_pages')) = 'off'
  UNION ALL
  SELECT 'shared_buffers small', 'tables of this database take ' || pg_size_pretty(t.bytes) || ', shared_buffers is '
         || current_setting('shared_buffers'),
         'scans are fastest over tables that fit in', 'shared_buffers'
    FROM (SELECT sum(relpages::int8) * current_setting('block_size')::int8 AS bytes FROM pg_class
          WHERE relkind IN ('r', 'm')) t
    WHERE t.bytes > pg_size_bytes(current_setting('shared_buffers'))
  UNION ALL
  SELECT 'work_mem small', 'work_mem is ' || current_setting('work_mem'),
         'GROUP BY with more groups than fit in is left to PostgreSQL', 'work_mem'
    WHERE pg_size_bytes(current_setting('work_mem')) <= 4194304
  UNION ALL
  SELECT 'autovacuum off', 'pages of changed tables are never marked all-visible', 'switch it on', 'autovacuum'
    WHERE current_setting('autovacuum') = 'off'
  UNION ALL
  SELECT 'table not vacuumed', c.oid::regclass || ': ' || c.relallvisible || ' of ' || c.relpages
         || ' pages are all-visible', 'VACUUM it; for tables that only grow lower the setting',
         'autovacuum_vacuum_insert_scale_factor'
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'm') AND c.relpages > 1000 AND c.relallvisible < 0.9 * c.relpages
          AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  UNION ALL
  SELECT 'autovacuum lagging', s.relid::regclass || ': ' || s.n_dead_tup || ' dead of ' || s.n_live_tup || ' rows',
         'VACUUM it, or let autovacuum come sooner', 'autovacuum_vacuum_scale_factor'
    FROM pg_stat_user_tables s WHERE s.n_dead_tup > 10000 AND s.n_dead_tup > 0.3 * s.n_live_tup
  $$;
COMMENT ON FUNCTION millrace.doctor() IS
  'what keeps scans of this database from being as fast as they could be, and the setting to change for each';

-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION millrace" to load this file. \quit

-- A schema millrace that was there before must not be one where ordinary roles can put functions in front of these, which
-- superusers call. Operators are written in full: theirs may be in the search path.
DO $$
DECLARE
  who pg_catalog.text;
BEGIN
  SELECT coalesce(r.rolname::pg_catalog.text, 'PUBLIC'::pg_catalog.text) INTO who
    FROM pg_catalog.pg_namespace n,
      LATERAL (SELECT n.nspowner AS role
               UNION ALL SELECT a.grantee FROM pg_catalog.aclexplode(n.nspacl) a
                         WHERE a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'::pg_catalog.text
               UNION ALL SELECT p.proowner FROM pg_catalog.pg_proc p WHERE p.pronamespace OPERATOR(pg_catalog.=) n.oid) x
      LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) x.role
    WHERE n.nspname OPERATOR(pg_catalog.=) 'millrace'::pg_catalog.name AND r.rolsuper IS NOT TRUE
    LIMIT 1;
  IF FOUND THEN
    RAISE insufficient_privilege USING MESSAGE = 'schema "millrace" is open to roles that are not superusers',
      DETAIL = pg_catalog.concat('It belongs to, lets create, or has functions of: '::pg_catalog.text, who),
      HINT = 'Drop or rename the schema, or have a superuser own it alone.';
  END IF;
END $$;

GRANT USAGE ON SCHEMA millrace TO PUBLIC;

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

-- The elements of a list of libraries as it is written in a setting: separated by commas, perhaps in double quotes.
CREATE FUNCTION millrace._split_libraries(list pg_catalog.text) RETURNS pg_catalog.text[]
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(coalesce(replace(m[1], '""', '"'), rtrim(m[2])) ORDER BY n), '{}')
    FROM regexp_matches(list, '"((?:[^"]|"")*)"|([^,"[:space:]][^,]*)', 'g') WITH ORDINALITY r(m, n)
    WHERE coalesce(m[1], m[2]) <> ''
$$;
COMMENT ON FUNCTION millrace._split_libraries(pg_catalog.text) IS 'internal: elements of a list-valued setting';

-- What new sessions load by the database's own setting (null if it has none), and by postgresql.conf.
CREATE FUNCTION millrace._session_libraries(OUT of_database pg_catalog.text[], OUT of_server pg_catalog.text[])
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  SELECT millrace._split_libraries(substr(c, length('session_preload_libraries=') + 1)) INTO of_database
    FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase, unnest(s.setconfig) c
    WHERE d.datname = current_database() AND s.setrole = 0 AND c LIKE 'session\_preload\_libraries=%';
  SELECT millrace._split_libraries(setting) INTO of_server FROM pg_file_settings
    WHERE name = 'session_preload_libraries' AND error IS NULL ORDER BY seqno DESC LIMIT 1;
  of_server := coalesce(of_server, '{}');
END $$;
COMMENT ON FUNCTION millrace._session_libraries() IS 'internal: what millrace.enable() and millrace.disable() start from';

CREATE FUNCTION millrace._set_session_libraries(libraries pg_catalog.text[]) RETURNS pg_catalog.void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF libraries IS NULL THEN
    EXECUTE format('ALTER DATABASE %I RESET session_preload_libraries', current_database());
  ELSE
    EXECUTE format('ALTER DATABASE %I SET session_preload_libraries = %s', current_database(),
                   (SELECT string_agg(quote_literal(l), ', ' ORDER BY n) FROM unnest(libraries) WITH ORDINALITY u(l, n)));
  END IF;
END $$;
COMMENT ON FUNCTION millrace._set_session_libraries(pg_catalog.text[]) IS
  'internal: sets session_preload_libraries of the current database, or resets it if given null';

CREATE FUNCTION millrace.enable() RETURNS pg_catalog.void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  s record := millrace._session_libraries();
BEGIN
  PERFORM millrace._set_session_libraries(array_remove(coalesce(s.of_database, s.of_server), 'millrace') || 'millrace'::text);
END $$;
COMMENT ON FUNCTION millrace.enable() IS
  'loads millrace in every new session of the current database, by adding it to the database''s session_preload_libraries; needs a superuser';

CREATE FUNCTION millrace.disable() RETURNS pg_catalog.void
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  s record := millrace._session_libraries();
  rest text[] := array_remove(s.of_database, 'millrace');
BEGIN
  IF s.of_database IS NOT NULL THEN
    PERFORM millrace._set_session_libraries(CASE WHEN rest NOT IN ('{}', s.of_server) THEN rest END);
  END IF;
END $$;
COMMENT ON FUNCTION millrace.disable() IS
  'undoes millrace.enable(): takes millrace out of the database''s session_preload_libraries; needs a superuser';

REVOKE ALL ON FUNCTION millrace._split_libraries(pg_catalog.text), millrace._session_libraries(), millrace._set_session_libraries(pg_catalog.text[]),
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
    FROM (SELECT string_agg(s.setting, ',') AS loaded, count(*) AS shown FROM pg_settings s
          WHERE s.name IN ('shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries')) l
    WHERE l.shown = 3 AND l.loaded !~ '(^|[,/ "])millrace' -- not all roles are shown them
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
  'what keeps loads and scans in this database from being as fast as they could be, and the setting to change for each';

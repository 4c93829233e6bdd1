-- Settings, last_copy(), fallbacks and their reasons, SIMD targets
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int, b text);
SHOW millrace.copy;
SHOW millrace.simd;
SHOW millrace.log_fallback;
SELECT name, boot_val, context FROM pg_settings WHERE name = 'millrace.scan_min_cost';
SET millrace.simd = 'nosuch';
SELECT testing.write(testing.bytes('1\tx\n'));
SELECT testing.file() AS file \gset
COPY t FROM :'file';
SELECT relation, path, reason, rows, bytes, elapsed >= '0' AS timed, rejected, workers FROM millrace.last_copy();
SET millrace.log_fallback = on;
SET millrace.copy = off;
COPY t FROM :'file';
SET millrace.copy = on;
COPY t FROM :'file';
COPY t FROM PROGRAM 'printf "PGCOPY\n\377\r\n\000\000\000\000\000\000\000\000\000\377\377"' (FORMAT binary);
SELECT relation, path, reason, rows, bytes FROM millrace.last_copy();
COPY t TO PROGRAM 'cat >/dev/null';
RESET millrace.log_fallback;
-- each target runs, and gives the same
CREATE TABLE n (a int, b text, c numeric(12,2), d date, e float8, f timestamptz, g uuid);
SELECT testing.write(lines($$ format('%s,"t, %s",%s,%s,%s,%s,%s', g, repeat('é', g % 9), g / 7.0, date '2001-01-01' + g, g / 3.0::float8,
  timestamptz '2001-01-01 00:00+00' + g * interval '1 min', md5(g::text)::uuid) $$, 4000));
DO $$
DECLARE target text; sum text; sums text[];
BEGIN
  FOREACH target IN ARRAY '{scalar,ssse3,sse4,avx2,avx3,avx3_dl,auto}'::text[] LOOP
    BEGIN
      PERFORM set_config('millrace.simd', target, true);
    EXCEPTION WHEN invalid_parameter_value THEN CONTINUE;
    END;
    IF target <> 'auto' AND lower(millrace.simd_target()) <> target THEN RAISE NOTICE '% asked, % runs', target, millrace.simd_target(); END IF;
    TRUNCATE n;
    EXECUTE format('COPY n FROM %L CSV', testing.file());
    SELECT md5(string_agg(n::text, ',' ORDER BY a)) INTO sum FROM n;
    sums := sums || sum;
  END LOOP;
  RAISE NOTICE 'targets agree: %', (SELECT count(DISTINCT s) = 1 AND count(*) > 1 FROM unnest(sums) s);
END $$;
DROP TABLE t, n;
-- turned on and off for a database
SELECT millrace.enable();
SELECT c FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase, unnest(setconfig) c WHERE datname = current_database() AND c LIKE '%millrace%';
\c -
SELECT count(*) FROM pg_settings WHERE name = 'millrace.copy';
SELECT millrace.disable();
SELECT count(*) FROM pg_db_role_setting, unnest(setconfig) s WHERE s LIKE '%preload%millrace%';

-- Filters without aggregates: the same rows, in the same order, with millrace.scan off and on.
LOAD 'millrace';
SET max_parallel_workers_per_gather = 0;
SET millrace.simd = scalar;
CREATE TABLE f (gone int, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, m numeric(10,2), d date, ts timestamp, tz timestamptz,
                tm time, b bool, t text, v varchar(20), c char(6), o oid, q "char", u uuid, a int[]) WITH (autovacuum_enabled = off);
INSERT INTO f SELECT g, g % 7, g, g * 1000000007::int8, g % 5, CASE WHEN g % 11 = 0 THEN 'NaN' ELSE g / 8.0 END, (g % 13) / 4.0, g % 100, date '2020-01-01' + g % 50,
  timestamp '2020-01-01' + g % 50 * interval '7 hours', timestamptz '2020-01-01 00:00+00' + g % 50 * interval '7 hours', time '00:00' + g % 90 * interval '1 min',
  g % 3 = 0, 'text ' || g % 40, 'v' || g % 30, 'c' || g % 20, g % 10, chr(97 + g % 26)::"char", md5((g % 60)::text)::uuid, ARRAY[g, g % 3]
  FROM generate_series(1, 3000) g;
INSERT INTO f (i4) SELECT g FROM generate_series(1, 300) g;
ANALYZE f;
CREATE FUNCTION testing.each(queries text[]) RETURNS TABLE (query text, nodes text, result text) LANGUAGE sql AS
  $$ SELECT q, (testing.in_order(q)).* FROM unnest(queries) WITH ORDINALITY u(q, n) ORDER BY n $$;
SELECT * FROM testing.each(ARRAY[
  'SELECT i4, t FROM f WHERE i2 = 3', 'SELECT i4 FROM f WHERE i4 BETWEEN 100 AND 105', 'SELECT * FROM f WHERE i8 > 2999000000000', 'SELECT i4 FROM f WHERE f4 < 1', 'SELECT i4 FROM f WHERE f8 = ''NaN''',
  'SELECT i4 FROM f WHERE n = 2.50', 'SELECT i4, m FROM f WHERE m <= 3', 'SELECT i4 FROM f WHERE d = ''2020-02-01''', 'SELECT i4 FROM f WHERE d < timestamp ''2020-01-02 12:00''',
  'SELECT i4 FROM f WHERE ts > ''2020-01-14''', 'SELECT i4 FROM f WHERE tz < ''2020-01-02 00:00+00''', 'SELECT i4 FROM f WHERE tm = ''01:00''', 'SELECT i4 FROM f WHERE NOT b AND i2 = 1',
  'SELECT i4 FROM f WHERE t = ''text 7''', 'SELECT i4 FROM f WHERE v = ''v3''', 'SELECT i4 FROM f WHERE c = ''c5''', 'SELECT i4 FROM f WHERE o = 4 AND i4 < 100', 'SELECT i4 FROM f WHERE q = ''z''',
  'SELECT i4 FROM f WHERE t IS NULL', 'SELECT i4 FROM f WHERE i4 IN (5, 50, NULL, 500)', 'SELECT i4 FROM f WHERE i4 = 7 OR d IS NULL AND i4 < 20', 'SELECT i4 FROM f WHERE i4 < 3500', 'SELECT i4 FROM f WHERE i4 < 0',
  'SELECT i4 FROM f WHERE i4 > NULL']);
-- what core's quals, projections and system columns see
SELECT * FROM testing.each(ARRAY[
  'SELECT ctid, tableoid::regclass, xmin <> ''0'', f FROM f WHERE i4 = 77', 'SELECT i4 + 1, upper(t), a[1] FROM f WHERE i2 = 3 AND a[2] = 1 AND sqrt(i4) > 50', 'SELECT i4 FROM f WHERE i2 = 3 AND ctid > ''(10,1)''',
  'SELECT 1 / (i4 - 77) FROM f WHERE i2 = 0', 'SELECT i4 FROM f WHERE i2 = 0 AND 1 / (i4 - 77) >= 0', 'SELECT i4 FROM f WHERE i4 < 77 AND 1 / (i4 - 77) <= 0', 'SELECT i4 FROM f WHERE 1 / (i4 - 77) >= 0 AND i2 = 0',
  'SELECT i4, (SELECT max(g) FROM generate_series(1, f.i2) g) FROM f WHERE i4 IN (12, 13)', 'SELECT i4 FROM f WHERE i2 = 1 AND i4 IN (SELECT i4 + 1 FROM f WHERE i2 = 0 AND i4 < 99)',
  'SELECT i4 FROM f WHERE i4 = (SELECT 1 / 0 + min(i4) FROM f) AND i2 = 99', 'SELECT i4 FROM f WHERE i4 = (SELECT min(i4) + 5 FROM f WHERE i2 = 3)']);
-- LIMIT, first rows; as many rows are turned away as core would
SELECT * FROM testing.each(ARRAY['SELECT i4 FROM f WHERE i2 = 3 LIMIT 5', 'SELECT i4 FROM f WHERE i4 = 1500 LIMIT 1', 'SELECT i4 FROM f WHERE i4 > 2990 OFFSET 3 LIMIT 2', 'SELECT i4 FROM f WHERE i4 = 9 LIMIT 0']);
SET millrace.scan = off; SELECT * FROM testing.explained('SELECT i4 FROM f WHERE i4 IN (1499, 1500) LIMIT 1') WITH ORDINALITY;
SET millrace.scan = on; SELECT * FROM testing.explained('SELECT i4 FROM f WHERE i4 IN (1499, 1500) LIMIT 1') WITH ORDINALITY;
-- joins, grouping and sorting above; scans that start again
SELECT * FROM testing.each(ARRAY[
  'SELECT x.i4, y.t FROM f x JOIN f y ON x.i4 = y.i2 WHERE x.i4 BETWEEN 2 AND 6 AND y.i4 < 40 ORDER BY 1, y.i4', 'SELECT count(DISTINCT t), array_agg(i4 ORDER BY i4 DESC) FROM f WHERE i4 BETWEEN 1000 AND 1010',
  'SELECT i4 FROM f WHERE EXISTS (SELECT FROM f y WHERE y.i4 = f.i2 * 1000 AND y.i2 = 6) AND i4 < 20', 'SELECT g, s.* FROM (VALUES (400), (NULL), (8), (3000)) v(g), LATERAL (SELECT i4, ctid FROM f WHERE i4 = g OFFSET 0) s',
  'SELECT g, (SELECT string_agg(i4::text, '','') FROM (SELECT i4 FROM f WHERE n = 1.25 AND i4 > g OFFSET g LIMIT 3) s), (SELECT min(t) FROM (SELECT t FROM f WHERE n = 1.25 AND i4 > g LIMIT 2) s) FROM generate_series(0, 7) g',
  'WITH w AS MATERIALIZED (SELECT i4 FROM f WHERE i2 = 5) SELECT count(*), (SELECT max(i4) FROM w) FROM w', 'SELECT i4 FROM f WHERE i4 = 4 UNION ALL SELECT i4 FROM f WHERE i4 = 2',
  'SELECT row_number() OVER (), i4 FROM f WHERE i2 = 3 LIMIT 3']);
-- rows that are locked or changed are core's
SELECT testing.nodes('SELECT i4 FROM f WHERE i2 = 3 FOR UPDATE'), testing.nodes('UPDATE f SET i4 = 1 WHERE i2 = 3'), testing.nodes('DELETE FROM f WHERE i2 = 3'),
  testing.nodes('SELECT i4 FROM f TABLESAMPLE system (50) WHERE i2 = 3'), testing.nodes('SELECT relname FROM pg_class WHERE relpages = 3'), testing.nodes('INSERT INTO f (i4) SELECT i4 FROM f WHERE i2 = 3');
-- deleted, updated, rolled back, hot chains, added columns
ALTER TABLE f DROP COLUMN gone;
ALTER TABLE f ADD COLUMN x int DEFAULT 7, ADD COLUMN y text DEFAULT 'added', ADD COLUMN z int;
INSERT INTO f (i4, i2, x, y, z) SELECT g, 3, g % 9, NULL, g FROM generate_series(1, 400) g;
DELETE FROM f WHERE i4 % 3 = 0; UPDATE f SET z = -1 WHERE i4 % 5 = 0; UPDATE f SET z = -2 WHERE i4 % 10 = 0;
SELECT * FROM testing.each(ARRAY['SELECT ctid, i4, x, y, z FROM f WHERE x = 7 AND i2 = 3', 'SELECT i4, z FROM f WHERE z < 0', 'SELECT i4 FROM f WHERE y = ''added'' AND i4 < 30', 'SELECT i4 FROM f WHERE y IS NULL AND x = 8', 'SELECT ctid FROM f WHERE z = 100']);
BEGIN; INSERT INTO f (i4) SELECT 99 FROM generate_series(1, 5); SAVEPOINT p; DELETE FROM f WHERE i4 = 98; ROLLBACK TO p; UPDATE f SET i2 = 9 WHERE i4 = 97;
SELECT * FROM testing.each(ARRAY['SELECT ctid, i2, i4 FROM f WHERE i4 BETWEEN 97 AND 99']); ROLLBACK;
VACUUM f;
SELECT * FROM testing.each(ARRAY['SELECT ctid, i4, x, y, z FROM f WHERE x = 7 AND i2 = 3', 'SELECT i4, z FROM f WHERE z < 0']);
-- toast
CREATE TABLE tw (i int, t text, e text); ALTER TABLE tw ALTER e SET STORAGE external;
INSERT INTO tw SELECT g, repeat('abc', 1000 + g), repeat('e', 3000 + g % 3) FROM generate_series(1, 400) g; ANALYZE tw;
SELECT * FROM testing.each(ARRAY['SELECT i, length(t), md5(e) FROM tw WHERE i BETWEEN 50 AND 60', 'SELECT i FROM tw WHERE e = repeat(''e'', 3001) AND i < 20', 'SELECT i FROM tw WHERE t <> repeat(''abc'', 1007) AND i < 10']);
-- temporary, inherited and partitioned tables; views and row security
CREATE TEMP TABLE tmp AS SELECT g AS i, g % 50 AS j FROM generate_series(1, 4000) g; CREATE TABLE part (k int, i int) PARTITION BY LIST (k);
CREATE TABLE part1 PARTITION OF part FOR VALUES IN (1); CREATE TABLE part2 (i int, extra int, k int); ALTER TABLE part2 DROP COLUMN extra; ALTER TABLE part ATTACH PARTITION part2 FOR VALUES IN (2);
INSERT INTO part SELECT 1 + g % 2, g FROM generate_series(1, 4000) g; CREATE TABLE child (more int) INHERITS (f); INSERT INTO child (i4, i2, more) SELECT g, 3, g FROM generate_series(1, 500) g;
ANALYZE tmp; ANALYZE part; ANALYZE child;
SELECT * FROM testing.each(ARRAY['SELECT i FROM tmp WHERE j = 4 AND i < 400', 'SELECT tableoid::regclass, k, i FROM part WHERE i BETWEEN 100 AND 103', 'SELECT i FROM part WHERE k = 2 AND i < 9', 'SELECT tableoid::regclass, i4 FROM f WHERE i4 = 4']);
CREATE ROLE millrace_filter_user; CREATE TABLE rls (i int, who text, secret int);
INSERT INTO rls SELECT g, CASE WHEN g % 100 = 0 THEN 'millrace_filter_user' ELSE 'other' END, g FROM generate_series(1, 3000) g; ANALYZE rls;
ALTER TABLE rls ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON rls USING (who = current_user); GRANT SELECT (i, who) ON rls TO millrace_filter_user; GRANT USAGE ON SCHEMA testing TO millrace_filter_user;
CREATE FUNCTION tell(int) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN IF $1 < 300 THEN RAISE NOTICE 'told %', $1; END IF; RETURN true; END $$;
SET ROLE millrace_filter_user;
SELECT * FROM testing.each(ARRAY['SELECT i FROM rls WHERE i < 350', 'SELECT secret FROM rls WHERE i < 350', 'SELECT i FROM rls WHERE 1 / (i % 100) = 1', 'SELECT i FROM rls WHERE tell(i) AND i < 400']);
RESET ROLE;
REVOKE EXECUTE ON FUNCTION int4lt(int, int) FROM public; SET ROLE millrace_filter_user; SELECT * FROM testing.each(ARRAY['SELECT i FROM rls WHERE i < 350']); RESET ROLE; GRANT EXECUTE ON FUNCTION int4lt(int, int) TO public;
-- parameters, generic plans, a setting changed after planning, columns added after planning
SET plan_cache_mode = force_generic_plan;
PREPARE q (int, text) AS SELECT i4, ctid FROM f WHERE i4 > $1 AND t = $2 AND i4 % 2 = 1;
EXECUTE q (2800, 'text 7'); EXECUTE q (2900, 'text 9'); EXECUTE q (NULL, 'x'); SELECT testing.nodes('EXECUTE q (1, ''x'')');
SET millrace.scan = off; EXECUTE q (2800, 'text 7'); EXPLAIN (COSTS off) EXECUTE q (2800, 'text 7'); SET millrace.scan = on;
ALTER TABLE f ADD COLUMN late int DEFAULT 1; EXECUTE q (2800, 'text 7'); RESET plan_cache_mode;
-- cursors: to and fro is core's, WHERE CURRENT OF works either way
BEGIN;
DECLARE k CURSOR FOR SELECT i4 FROM f WHERE i2 = 3 AND i4 > 2900; FETCH 3 FROM k; FETCH BACKWARD 2 FROM k; FETCH ABSOLUTE 2 FROM k;
DECLARE s SCROLL CURSOR FOR SELECT i4 FROM f WHERE i2 = 3 AND i4 > 2900; FETCH LAST FROM s; FETCH PRIOR FROM s;
DECLARE n NO SCROLL CURSOR FOR SELECT i4 FROM f WHERE i2 = 3 AND i4 > 2900; FETCH 2 FROM n;
UPDATE f SET z = 12345 WHERE CURRENT OF n; FETCH 1 FROM n; DELETE FROM f WHERE CURRENT OF n; FETCH BACKWARD 1 FROM n;
ROLLBACK;
BEGIN;
DECLARE n NO SCROLL CURSOR FOR SELECT i4 FROM f WHERE i2 = 3 AND i4 > 2900; FETCH 2 FROM n;
UPDATE f SET z = 12345 WHERE CURRENT OF n; FETCH 1 FROM n; DELETE FROM f WHERE CURRENT OF n; DELETE FROM f WHERE i4 > 2900 AND i2 = 3 AND i4 < 2980; FETCH ALL FROM n;
SELECT i4, z FROM f WHERE i2 = 3 AND i4 > 2900; ROLLBACK;
-- serializable: the relation is locked for reading
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM (SELECT i4 FROM f WHERE i4 = 100 OFFSET 0) s; SELECT locktype, mode FROM pg_locks WHERE relation = 'f'::regclass AND mode = 'SIReadLock';
COMMIT;
-- counters
CREATE TABLE counted AS SELECT g AS i FROM generate_series(1, 3000) g; ANALYZE counted;
BEGIN; SELECT pg_stat_get_xact_tuples_returned('counted'::regclass), pg_stat_get_xact_numscans('counted'::regclass);
SELECT i FROM counted WHERE i = 5; SELECT pg_stat_get_xact_tuples_returned('counted'::regclass), pg_stat_get_xact_numscans('counted'::regclass); COMMIT;
-- EXPLAIN
SELECT * FROM testing.explained('SELECT i4 FROM f WHERE i2 = 3 AND i4 > 2900 AND sqrt(i4) > 0');
SELECT * FROM testing.explained('SELECT i4 FROM ONLY f WHERE i2 = 3 AND i4 > 2900 AND sqrt(i4) > 0', 'VERBOSE, COSTS off');
SELECT * FROM testing.explained('SELECT i FROM counted WHERE i = 5 AND sqrt(i) > 0', 'ANALYZE, COSTS off, TIMING off, SUMMARY off, FORMAT json');
SELECT * FROM testing.explained('SELECT i FROM counted WHERE i = 5 AND sqrt(i) > 0', 'COSTS off, FORMAT yaml');
SELECT * FROM testing.explained('SELECT i FROM counted WHERE i = 5 AND sqrt(i) > 0', 'COSTS off, FORMAT xml');
-- workers
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS off) SELECT i FROM counted WHERE i BETWEEN 100 AND 110;
SELECT i FROM counted WHERE i BETWEEN 100 AND 110 ORDER BY i + 0; SELECT count(DISTINCT i), sum(i) FROM counted WHERE i > 2000; SELECT string_agg(i4::text, ',' ORDER BY i4, ctid) FROM f WHERE i4 BETWEEN 50 AND 60;
SELECT x.i FROM counted x JOIN counted y ON x.i = y.i + 1 WHERE x.i < 9 AND y.i > 3 ORDER BY 1;
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SELECT x.i FROM counted x JOIN counted y ON x.i = y.i + 1 WHERE x.i < 9 AND y.i > 3 ORDER BY 1;
SET parallel_leader_participation = off; SELECT i FROM counted WHERE i BETWEEN 100 AND 103 ORDER BY i + 0;
SET millrace.scan = on; SET plan_cache_mode = force_generic_plan; PREPARE w AS SELECT i FROM counted WHERE i BETWEEN 100 AND 103; EXECUTE w; SET millrace.scan = off; EXECUTE w;
RESET ALL;
DROP OWNED BY millrace_filter_user; DROP ROLE millrace_filter_user; DROP FUNCTION tell(int); DROP FUNCTION testing.each(text[]); DROP TABLE f, tw, tmp, part, child, rls, counted;
-- Temporary buffers are few: as many cursors can stand still in a table as without millrace.
\c -
LOAD 'millrace';
SET temp_buffers = 100;
CREATE TEMP TABLE few (i int, b int, pad text);
INSERT INTO few SELECT g, g % 20, repeat('x', 1000) FROM generate_series(1, 20000) g;
ANALYZE few;
SELECT testing.nodes('SELECT i FROM few WHERE b = 5');
DO $$
DECLARE
  c refcursor;
  v int;
BEGIN
  FOR k IN 1..75 LOOP
    c := 'few' || k;
    OPEN c NO SCROLL FOR SELECT i FROM few WHERE b = 5;
    FOR j IN 1..k * 13 LOOP FETCH c INTO v; END LOOP;
  END LOOP;
  RAISE NOTICE '%', v;
END $$;
DROP TABLE few;

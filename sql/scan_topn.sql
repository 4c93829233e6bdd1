-- The first rows in an order: the same rows, ties and their order included, with millrace.scan off and on.
LOAD 'millrace';
SET millrace.scan = on;
SET max_parallel_workers_per_gather = 0;
SET millrace.simd = scalar;
CREATE TABLE n (id int, gone int, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, u numeric, m numeric(10,2), d date, ts timestamp, tz timestamptz, tm time, b bool,
                t text COLLATE "C", l interval, c char(6) COLLATE "C", o oid, q "char", k uuid, s money, e int);
INSERT INTO n SELECT g, g, h % 7, h % 100 - 50, h * 1000000007::int8, (h % 50) / 4.0 - 3, CASE WHEN h % 400 = 0 THEN 'NaN' WHEN h % 401 = 0 THEN '-0' ELSE h / 8.0 - 100 END,
  CASE WHEN h % 500 = 0 THEN 'NaN' WHEN h % 501 = 0 THEN 123456789012345678901234567890.5 WHEN h % 3 = 0 THEN round(h / 10.0, 1) ELSE h / 10 END,
  h % 100 / 4.0, date '2020-01-01' + h % 50, timestamp '2020-01-01' + h % 60 * interval '7 hours', timestamptz '2020-01-01 00:00+00' - h % 70 * interval '7 hours', time '00:00' + h % 90 * interval '1 min', h % 3 = 0,
  CASE WHEN h % 9 = 0 THEN 'same start ' || h ELSE chr(97 + h % 26) || h END, h % 30 * interval '1 min', 'c' || h % 40, CASE WHEN h % 50 = 0 THEN 4294967295 ELSE h % 80 END::oid,
  chr(1 + h % 127)::"char", md5((h % 300)::text)::uuid, h % 90, NULL
  FROM (SELECT g, (g * 7919::int8 % 3001)::int AS h FROM generate_series(1, 3000) g) x;
INSERT INTO n (id) SELECT 3000 + g FROM generate_series(1, 60) g;
ANALYZE n;
CREATE FUNCTION testing.each(queries text[]) RETURNS TABLE (query text, nodes text, result text) LANGUAGE sql AS
  $$ SELECT q, (testing.in_order(q)).* FROM unnest(queries) WITH ORDINALITY u(q, n) ORDER BY n $$;
-- every kind of key, in every direction: not one differs
WITH queries AS (
  SELECT k, format('SELECT id, %I FROM n ORDER BY %I%s%s%s', k, k, direction, nulls, more) AS q
  FROM unnest('{i2,i4,i8,f4,f8,u,m,d,ts,tz,tm,b,t,l,c,o,q,k,s,e}'::text[]) k, unnest('{"", " DESC"}'::text[]) direction, unnest('{""," NULLS FIRST"," NULLS LAST"}'::text[]) nulls,
    unnest('{" LIMIT 1"," LIMIT 10"," LIMIT 7 OFFSET 3",", i4 LIMIT 12",", d DESC, u NULLS FIRST LIMIT 5",", l LIMIT 9"}'::text[]) more)
SELECT k, string_agg(DISTINCT nodes, ' ') AS nodes, count(*), count(*) FILTER (WHERE result ~ 'DIFFERENT') AS different, max(result) FILTER (WHERE result ~ 'DIFFERENT')
FROM (SELECT k, (testing.in_order(q)).* FROM queries) r GROUP BY k ORDER BY k;
SELECT * FROM testing.each(ARRAY[
  'SELECT id, d, u FROM n ORDER BY d, u LIMIT 5', 'SELECT id, i4, ctid FROM n ORDER BY i4 DESC NULLS LAST LIMIT 4', 'SELECT * FROM n ORDER BY m, t LIMIT 3', 'SELECT id FROM n WHERE i2 = 3 ORDER BY i8 LIMIT 4',
  'SELECT id FROM n WHERE i2 = 3 AND b ORDER BY tm DESC NULLS LAST, id LIMIT 4', 'SELECT id FROM n ORDER BY b LIMIT 4', 'SELECT i4, id FROM n WHERE id > 3000 ORDER BY id LIMIT 2', 'SELECT 7, id FROM n ORDER BY id LIMIT 2',
  'SELECT DISTINCT i2 FROM n ORDER BY i2 LIMIT 3', 'SELECT id FROM n WHERE i4 > 1000 ORDER BY i4 LIMIT 2', 'SELECT x.id FROM (SELECT id, i4 FROM n ORDER BY i4, id LIMIT 5) x JOIN n USING (id)', 'SELECT random() > 2, id FROM n ORDER BY i4, id LIMIT 3']);
-- what core must see all rows for, or what has no bound
SELECT * FROM testing.each(ARRAY[
  'SELECT id, 1 / (id - 5) FROM n ORDER BY id DESC LIMIT 2', 'SELECT id FROM n WHERE 1 / (id - 5) = 0 ORDER BY id DESC LIMIT 2', 'SELECT id FROM n ORDER BY i2 FETCH FIRST 2 ROWS WITH TIES', 'SELECT count(*) FROM (SELECT id FROM n ORDER BY i2 LIMIT ALL) x',
  'SELECT id FROM n ORDER BY i4 + 1, id LIMIT 2', 'SELECT id, abs(i4) FROM n ORDER BY i4, id LIMIT 2', 'SELECT n FROM n ORDER BY id LIMIT 1', 'SELECT id FROM n ORDER BY i4, id LIMIT 2 FOR UPDATE', 'SELECT id FROM n ORDER BY id LIMIT (random() * 0 + 2)::int',
  'SELECT id FROM n ORDER BY id LIMIT 0', 'SELECT id FROM n ORDER BY id LIMIT NULL OFFSET 3058', 'SELECT id FROM n ORDER BY id LIMIT -1', 'SELECT id FROM n ORDER BY id LIMIT 1 OFFSET -1', 'SELECT id FROM n ORDER BY id LIMIT 9223372036854775807 OFFSET 3059']);
-- bounds that are not known when planning
SET plan_cache_mode = force_generic_plan;
PREPARE p (int, int) AS SELECT id, i4 FROM n ORDER BY i4, t LIMIT $1 OFFSET $2;
SELECT testing.nodes('EXECUTE p (1, 1)'); EXECUTE p (3, 0); EXECUTE p (2, 4); EXECUTE p (NULL, 3057); EXECUTE p (0, 0); EXECUTE p (1, NULL); EXECUTE p (-1, 0);
SET millrace.scan = off; EXECUTE p (3, 0); SET millrace.scan = on; RESET plan_cache_mode;
SELECT * FROM testing.each(ARRAY[
  'SELECT g, x.* FROM generate_series(0, 5) g, LATERAL (SELECT id, i2 FROM n ORDER BY i2, u LIMIT g) x', 'SELECT g, x.* FROM generate_series(5, 0, -1) g, LATERAL (SELECT id, i2 FROM n ORDER BY i2, u LIMIT g OFFSET 5 - g) x',
  'SELECT g, x.* FROM generate_series(1, 3) g, LATERAL (SELECT id, i4 FROM n WHERE i2 = g ORDER BY i4, id LIMIT 2) x', 'SELECT id FROM n ORDER BY i4, id LIMIT (SELECT max(i2) FROM n WHERE i2 < 4)',
  'SELECT g, x.* FROM generate_series(1, 3) g, LATERAL (SELECT id, i4 FROM n WHERE i4 > g ORDER BY i4, id LIMIT 2) x, generate_series(1, 2) h', 'SELECT id FROM n WHERE i4 > (SELECT min(i4) FROM n) ORDER BY i4, id LIMIT 2']);
-- cursors
SET millrace.scan = on;
BEGIN; DECLARE k SCROLL CURSOR FOR SELECT id FROM n ORDER BY i4 DESC NULLS LAST, id LIMIT 5; FETCH ALL k; FETCH BACKWARD 3 k; MOVE ABSOLUTE 0 k; FETCH 2 k; COMMIT;
-- little memory: the sort goes to disk, and nothing is pruned; ever better rows, where pruning is given up; more wanted than there are
SET work_mem = '64kB'; SELECT * FROM testing.explained('SELECT id, t FROM n ORDER BY i8 LIMIT 100'); SELECT * FROM testing.each(ARRAY['SELECT id, t FROM n ORDER BY i2 LIMIT 100', 'SELECT id, t FROM n ORDER BY i2 LIMIT 10']); RESET work_mem;
CREATE TABLE better AS SELECT -g AS i, g % 10 AS j FROM generate_series(1, 9000) g; ANALYZE better;
SELECT * FROM testing.explained('SELECT i FROM better ORDER BY i LIMIT 3'); SELECT * FROM testing.explained('SELECT i FROM better ORDER BY i DESC LIMIT 3'); SELECT * FROM testing.explained('SELECT i FROM better ORDER BY j, i LIMIT 3');
SELECT * FROM testing.each(ARRAY['SELECT i FROM better ORDER BY i LIMIT 3', 'SELECT i FROM better ORDER BY i DESC LIMIT 3', 'SELECT j, i FROM better ORDER BY j LIMIT 30', 'SELECT j, i FROM better ORDER BY j DESC LIMIT 30', 'SELECT i FROM better WHERE j = 3 AND i > -50 ORDER BY i LIMIT 20']);
-- updated, added columns, toasted keys, partitions
ALTER TABLE n DROP COLUMN gone; ALTER TABLE n ADD COLUMN x int DEFAULT 7, ADD COLUMN y text COLLATE "C" DEFAULT repeat('y', 300), ADD COLUMN z int; UPDATE n SET x = 6, z = id WHERE id % 50 = 0; DELETE FROM n WHERE i4 % 4 = 0;
UPDATE n SET y = repeat('a', 20000) || id WHERE id % 100 = 0;
SELECT * FROM testing.each(ARRAY['SELECT id, x, md5(y) FROM (SELECT id, x, y FROM n ORDER BY x, id OFFSET 60 LIMIT 3) s', 'SELECT id FROM n ORDER BY z NULLS FIRST, i4, id LIMIT 3', 'SELECT id FROM n ORDER BY z DESC NULLS LAST LIMIT 3', 'SELECT id FROM n ORDER BY y, id LIMIT 3', 'SELECT id FROM n ORDER BY y DESC, id LIMIT 3']);
CREATE TABLE part (k int, i int) PARTITION BY LIST (k); CREATE TABLE part1 PARTITION OF part FOR VALUES IN (1); CREATE TABLE part2 (i int, extra int, k int); ALTER TABLE part2 DROP COLUMN extra; ALTER TABLE part ATTACH PARTITION part2 FOR VALUES IN (2);
INSERT INTO part SELECT 1 + g % 2, g * 7919::int8 % 3001 FROM generate_series(1, 6000) g; ANALYZE part;
SELECT * FROM testing.each(ARRAY['SELECT k, i FROM part ORDER BY i LIMIT 5', 'SELECT k, i FROM part ORDER BY i DESC, k LIMIT 5', 'SELECT k, i FROM part WHERE k = 2 ORDER BY i LIMIT 3', 'SELECT i FROM (SELECT id AS i FROM n UNION ALL SELECT i FROM better) s ORDER BY i LIMIT 3', 'SELECT tableoid::regclass, i FROM part ORDER BY i LIMIT 3']);
-- EXPLAIN
SELECT * FROM testing.explained('SELECT k, i FROM part ORDER BY i LIMIT 5');
SELECT * FROM testing.explained('SELECT id FROM n WHERE i2 = 3 ORDER BY d, u, l LIMIT 5', 'COSTS off, VERBOSE');
SELECT * FROM testing.explained('SELECT id FROM n WHERE i2 = 3 ORDER BY d, u, l LIMIT 5', 'ANALYZE, COSTS off, TIMING off, SUMMARY off, FORMAT json');
-- workers
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET millrace.scan = on;
EXPLAIN (COSTS off) SELECT i FROM better ORDER BY i DESC, j LIMIT 5;
SELECT i FROM better ORDER BY i DESC, j LIMIT 5; SELECT i FROM better ORDER BY i LIMIT 2 OFFSET 3; SELECT i, j FROM better WHERE j = 4 ORDER BY i DESC LIMIT 2; SELECT k, i FROM part ORDER BY i, k LIMIT 3;
PREPARE b (int) AS SELECT i FROM better ORDER BY i DESC LIMIT $1; SET plan_cache_mode = force_generic_plan; EXECUTE b (2); EXECUTE b (4); SELECT testing.nodes('SELECT i FROM better ORDER BY i DESC LIMIT (SELECT 2)');
SELECT i FROM better ORDER BY i DESC LIMIT (SELECT 2);
RESET ALL;
DROP FUNCTION testing.each(text[]); DROP TABLE n, better, part;

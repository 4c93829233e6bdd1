-- Sorted grouping by hashing: where it is the same, and where it is left to PostgreSQL.
LOAD 'millrace';
SET millrace.scan_min_cost = 0;
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
CREATE TABLE s (i2 int2, i4 int4, i8 int8, f float8, n numeric, m numeric(9,2), d date, b boolean, t text, c char(5), bp bpchar, u uuid, iv interval, tz timetz, name name);
INSERT INTO s SELECT g % 7, g % 100 - 50, (g % 3) * 10000000000, g * 0.1, (g % 9) / 2.0, (g % 9) / 4.0, date '2020-01-01' + g % 20, g % 2 = 0,
  chr(97 + g % 26) || g % 4, 'c' || g % 6, 'x' || g % 4, md5((g % 20)::text)::uuid, g % 5 * interval '1 day', '12:00+01', 'n' || g % 3 FROM generate_series(1, 2000) g;
INSERT INTO s SELECT FROM generate_series(1, 5);
ANALYZE s;
-- In the order that the plan gives, which testing.scan() does not look at.
CREATE FUNCTION testing.ordered(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; out text := '';
BEGIN
  FOR line IN EXECUTE format('SELECT q::text FROM (%s) q', query) LOOP out := out || line || E'\n'; END LOOP;
  RETURN md5(out) || ' ' || length(out);
EXCEPTION WHEN OTHERS THEN
  RETURN format('ERROR %s: %s', SQLSTATE, SQLERRM);
END $$;
CREATE FUNCTION testing.sorted(query text, OUT ours boolean, OUT result text) LANGUAGE plpgsql AS $$
DECLARE fast text;
BEGIN
  PERFORM set_config('millrace.scan', 'off', true);
  result := testing.ordered(query);
  PERFORM set_config('millrace.scan', 'on', true);
  ours := testing.planned(query);
  fast := testing.ordered(query);
  IF fast IS DISTINCT FROM result THEN result := format(E'DIFFERENT\noff: %s\non: %s', result, fast); END IF;
END $$;
SELECT * FROM testing.sorted('SELECT i2, count(*), sum(i4), avg(i4), min(t), max(d) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, t, sum(m), sum(n), stddev(n) FROM s GROUP BY i2, t ORDER BY t DESC, i2 NULLS FIRST');
SELECT * FROM testing.sorted('SELECT t COLLATE "C", count(*) FROM s GROUP BY 1 ORDER BY 1 DESC NULLS LAST');
SELECT * FROM testing.sorted('SELECT c, m, count(*) FROM s GROUP BY c, m ORDER BY m, c');
SELECT * FROM testing.sorted('SELECT u, b, d, i8, count(*) FROM s GROUP BY u, b, d, i8');
SELECT * FROM testing.sorted('SELECT tz, name, count(*) FROM s GROUP BY 1, 2');
SELECT * FROM testing.sorted('SELECT i4 + 1, i2 * 2, sum(i4 * 2) FROM s GROUP BY 1, 2');
SELECT * FROM testing.sorted('SELECT upper(t), sum(i4) FROM s GROUP BY 1');
SELECT * FROM testing.sorted('SELECT i2, sum(i4) FILTER (WHERE t > ''k'') FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, sum(i4) FROM s GROUP BY i2 HAVING count(*) > 286 ORDER BY i2 LIMIT 3');
SELECT * FROM testing.sorted('SELECT DISTINCT t FROM s WHERE i4 > 0');
SELECT * FROM testing.sorted('SELECT DISTINCT t, i2 FROM s ORDER BY i2 DESC, t');
SELECT * FROM testing.sorted('SELECT DISTINCT i4 % 10 FROM s');
SELECT * FROM testing.sorted('SELECT d FROM s GROUP BY d');
SELECT * FROM testing.sorted('SELECT d FROM s GROUP BY d HAVING d > ''2020-01-10''');
-- keys that are constant, or equal to one another
SELECT * FROM testing.sorted('SELECT i2, t, count(*) FROM s WHERE i2 = 3 GROUP BY i2, t');
SELECT * FROM testing.sorted('SELECT i2, count(*), sum(f) FROM s WHERE i2 = 3 GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, i4, count(*) FROM s WHERE i2 = i4 GROUP BY i2, i4');
SELECT * FROM testing.sorted('SELECT i2 FROM s WHERE i2 = 3 GROUP BY i2');
SELECT * FROM testing.sorted('SELECT DISTINCT i2 FROM s WHERE i2 = 3');
-- ... of no rows: since 16 no key is left then, and still there is no group
SELECT * FROM testing.sorted('SELECT i2, count(*), sum(i4) FROM s WHERE i2 = 99 GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, count(*) FROM s WHERE i2 = 99 GROUP BY i2 HAVING count(*) = 0');
SELECT * FROM testing.sorted('SELECT 1 - 2, count(*) FROM s WHERE b IS NULL AND b GROUP BY 1 - 2');
CREATE TABLE empty (v int);
SELECT * FROM testing.sorted('SELECT 1 - 2, count(*) FROM empty GROUP BY 1 - 2');
INSERT INTO empty VALUES (1);
SELECT * FROM testing.sorted('SELECT 1 - 2, count(*) FROM empty GROUP BY 1 - 2');
SELECT * FROM testing.sorted('SELECT g, s.* FROM generate_series(1, 5) g, LATERAL (SELECT 1 - 2, count(*) FROM s WHERE i2 = g * 3 GROUP BY 1 - 2 OFFSET 0) s');
-- left to PostgreSQL when rows have been read: what a Unique gives is no Agg's virtual tuple
CREATE TABLE u (k int, t text, n numeric);
INSERT INTO u SELECT g % 3, 't' || g, 1e-20 FROM generate_series(1, 9) g;
SELECT * FROM testing.sorted('SELECT k, length(t), k * 2, t FROM (SELECT DISTINCT k, t FROM u WHERE n + 1 > 0 OFFSET 0) x');
SELECT line FROM testing.explained('SELECT DISTINCT k, t FROM u WHERE n + 1 > 0') line WHERE line ~ 'Left To';
-- what sorting could show: left to PostgreSQL
SELECT * FROM testing.sorted('SELECT n, count(*) FROM s GROUP BY n');
SELECT * FROM testing.sorted('SELECT f, count(*) FROM s GROUP BY f');
SELECT * FROM testing.sorted('SELECT bp, count(*) FROM s GROUP BY bp');
SELECT * FROM testing.sorted('SELECT iv, count(*) FROM s GROUP BY iv');
SELECT * FROM testing.sorted('SELECT i2, sum(f) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, max(n) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, sum(iv) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, max(c) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, count(DISTINCT i4) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, string_agg(t, '','' ORDER BY t) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, i4, count(*) FROM s GROUP BY ROLLUP (i2, i4)');
SELECT * FROM testing.sorted('SELECT DISTINCT ON (i2) i2, i4 FROM s ORDER BY i2, i4');
SELECT * FROM testing.sorted('SELECT i2, sum(ascii(t)) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, max(t COLLATE nd) FROM s GROUP BY i2');
CREATE COLLATION nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT * FROM testing.sorted('SELECT t COLLATE nd, count(*) FROM s GROUP BY 1');
SELECT * FROM testing.sorted('SELECT i2, max(t COLLATE nd) FROM s GROUP BY i2');
-- errors: of keys and filters before those of arguments, of a group only when its turn comes
SELECT * FROM testing.sorted('SELECT i4 + 2147483647, count(*) FROM s GROUP BY 1');
SELECT * FROM testing.sorted('SELECT 10 / i4, count(*) FROM s GROUP BY 1');
SELECT * FROM testing.sorted('SELECT i2, sum(i4 * 100000000) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i4, sum(i4 * 100000000) FROM s WHERE i4 > 0 GROUP BY i4 ORDER BY i4 LIMIT 3');
SELECT * FROM testing.sorted('SELECT i4, sum(10 / (i4 - 40)) FROM s WHERE i4 > 0 GROUP BY i4 ORDER BY i4 LIMIT 3');
SELECT * FROM testing.sorted('SELECT i2, sum(i4 * 100000000), count(*) FROM s WHERE 10 / i4 > 0 GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, 1 / (i2 - 3), count(*) FROM s GROUP BY i2 ORDER BY i2 LIMIT 3');
-- above joins, in subqueries, again and again
SET enable_hashjoin = off; SET enable_nestloop = off;
SELECT * FROM testing.sorted('SELECT x.i2, x.c, y.c FROM (SELECT i2, count(*) c FROM s GROUP BY i2) x JOIN (SELECT i2, sum(i4) c FROM s GROUP BY i2) y USING (i2)');
RESET enable_hashjoin; RESET enable_nestloop;
SELECT * FROM testing.sorted('SELECT g, s.* FROM generate_series(1, 5) g, LATERAL (SELECT i2, count(*) FROM s WHERE i4 > g GROUP BY i2 ORDER BY i2 DESC OFFSET 0) s');
BEGIN;
SET LOCAL millrace.scan = on;
DECLARE c SCROLL CURSOR FOR SELECT i2, count(*) FROM s GROUP BY i2;
FETCH 4 FROM c; FETCH BACKWARD 2 FROM c; FETCH LAST FROM c;
COMMIT;
-- partitions, and tables that others sort
CREATE TABLE p (k int, v int, t text) PARTITION BY LIST (k);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
CREATE TABLE p2 (t text, v int, k int);
ALTER TABLE p ATTACH PARTITION p2 DEFAULT;
INSERT INTO p SELECT g % 3, g % 50, 't' || g % 9 FROM generate_series(1, 3000) g;
ANALYZE p;
SELECT * FROM testing.sorted('SELECT v, t, count(*), sum(k) FROM p GROUP BY v, t ORDER BY t, v DESC');
SELECT * FROM testing.sorted('SELECT DISTINCT v FROM p');
SELECT * FROM testing.sorted('SELECT 1 - 2, count(*), sum(v) FROM p WHERE t = ''none'' GROUP BY 1 - 2');
SELECT * FROM testing.sorted('SELECT c, count(*) FROM (SELECT c FROM s UNION ALL SELECT ''c1''::char(4) FROM p) u GROUP BY c');
-- more groups than memory holds, known and not
SET work_mem = '64kB'; SET hash_mem_multiplier = 1;
SELECT * FROM testing.sorted('SELECT v * 100 + k, count(*), sum(v) FROM p GROUP BY 1');
CREATE TABLE many AS SELECT g % 9000 AS k, g AS v FROM generate_series(1, 20000) g;
ANALYZE many;
SELECT * FROM testing.sorted('SELECT k, count(*), sum(v) FROM many GROUP BY k');
UPDATE pg_statistic SET stadistinct = 10 WHERE starelid = 'many'::regclass;
SELECT * FROM testing.sorted('SELECT k, count(*), sum(v) FROM many GROUP BY k');
RESET work_mem; RESET hash_mem_multiplier;
-- workers
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT * FROM testing.sorted('SELECT i2, count(*) FROM s GROUP BY i2');
SELECT * FROM testing.sorted('SELECT DISTINCT t FROM s');
SELECT * FROM testing.sorted('SELECT i2, count(*) FROM s WHERE i2 = 3 GROUP BY i2');
SELECT * FROM testing.sorted('SELECT i2, count(*) FROM s WHERE i2 = 99 GROUP BY i2');
RESET ALL;
SET millrace.scan_min_cost = 0;
SET enable_hashagg = off; SET millrace.scan = on; SET millrace.simd = scalar; SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS off) SELECT i2, c, d, sum(i4) FROM s WHERE b GROUP BY i2, c, d ORDER BY c DESC, i2 NULLS FIRST, d DESC NULLS LAST;
EXPLAIN (COSTS off, VERBOSE) SELECT i4 + 1, count(*) FROM s GROUP BY 1 HAVING count(*) > 1;
EXPLAIN (COSTS off, FORMAT json) SELECT DISTINCT t FROM s;
EXPLAIN (COSTS off) SELECT i2, sum(f) FROM s GROUP BY i2;
SET millrace.scan = off;
DROP TABLE s, p, many, empty, u; DROP COLLATION nd;
DROP FUNCTION testing.sorted, testing.ordered;

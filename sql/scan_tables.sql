-- Tables of every kind and age, privileges, plans that run more than once.
LOAD 'millrace';
SET millrace.scan = on;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE a (gone int, i int, t text);
INSERT INTO a SELECT g, g, repeat('x', g % 5) FROM generate_series(1, 500) g;
ALTER TABLE a DROP COLUMN gone;
ALTER TABLE a ADD COLUMN n int DEFAULT 7, ADD COLUMN e text DEFAULT 'missing', ADD COLUMN x int;
INSERT INTO a SELECT g, 'y', NULL, 'there', g FROM generate_series(1, 500) g;
ANALYZE a;
SELECT * FROM testing.scan('SELECT count(*), sum(i), sum(n), count(n), min(e), max(e), sum(x) FROM a');
SELECT * FROM testing.scan('SELECT e, n, count(*) FROM a GROUP BY e, n');
-- deleted, updated, rolled back, savepoints, own changes
DELETE FROM a WHERE i % 3 = 0;
UPDATE a SET x = -1 WHERE i % 5 = 0;
BEGIN; INSERT INTO a VALUES (1); SELECT * FROM testing.scan('SELECT count(*), sum(x) FROM a'); ROLLBACK;
BEGIN; SAVEPOINT p; DELETE FROM a; ROLLBACK TO p; DELETE FROM a WHERE i < 10; SELECT * FROM testing.scan('SELECT count(*), sum(x) FROM a'); COMMIT;
SELECT * FROM testing.scan('SELECT count(*), sum(x) FROM a');
VACUUM (FREEZE) a;
SELECT * FROM testing.scan('SELECT count(*), sum(x) FROM a');
-- an open cursor does not see what comes after it
BEGIN;
DECLARE k SCROLL CURSOR FOR SELECT n, count(*) FROM a GROUP BY n ORDER BY n;
DELETE FROM a;
FETCH ALL k; FETCH BACKWARD ALL k;
ROLLBACK;
-- toasted, compressed, wide
CREATE TABLE w (i int, t text, e text);
ALTER TABLE w ALTER e SET STORAGE external;
INSERT INTO w SELECT g, repeat('abc', 2000 + g), repeat('e', 3000 + g % 3) FROM generate_series(1, 60) g;
ANALYZE w;
SELECT * FROM testing.scan('SELECT count(*), sum(length(t)), max(length(e)), min(e) = repeat(''e'', 3000) FROM w');
SELECT * FROM testing.scan('SELECT length(e), count(*) FROM w GROUP BY e');
SELECT * FROM testing.scan('SELECT count(*) FROM w WHERE e = repeat(''e'', 3001)');
-- temporary, unlogged, no rows, no columns, materialized, inherited, partitioned
CREATE TEMP TABLE tmp AS SELECT g AS i FROM generate_series(1, 3000) g;
SELECT * FROM testing.scan('SELECT count(*), sum(i) FROM tmp');
CREATE UNLOGGED TABLE un AS SELECT g AS i FROM generate_series(1, 3000) g;
SELECT * FROM testing.scan('SELECT count(*), sum(i) FROM un');
CREATE TABLE none (); SELECT * FROM testing.scan('SELECT count(*) FROM none');
INSERT INTO none DEFAULT VALUES; SELECT * FROM testing.scan('SELECT count(*) FROM none');
CREATE MATERIALIZED VIEW mv AS SELECT i FROM un; SELECT * FROM testing.scan('SELECT count(*), max(i) FROM mv');
CREATE TABLE child (more int) INHERITS (un); INSERT INTO child VALUES (1, 2);
SELECT * FROM testing.scan('SELECT count(*), sum(i) FROM un'); SELECT * FROM testing.scan('SELECT count(*), sum(i) FROM ONLY un');
CREATE TABLE part (k int, i int) PARTITION BY LIST (k);
CREATE TABLE part1 PARTITION OF part FOR VALUES IN (1); CREATE TABLE part2 PARTITION OF part FOR VALUES IN (2);
INSERT INTO part SELECT 1 + g % 2, g FROM generate_series(1, 1000) g;
SELECT * FROM testing.scan('SELECT k, count(*), sum(i) FROM part GROUP BY k'); SELECT * FROM testing.scan('SELECT sum(i) FROM part WHERE k = 2');
SET enable_partitionwise_aggregate = on; ANALYZE part;
SELECT * FROM testing.scan('SELECT k, count(*), sum(i) FROM part GROUP BY k');
RESET enable_partitionwise_aggregate;
-- privileges and row security
CREATE ROLE millrace_scan_user;
CREATE TABLE p (i int, secret int); INSERT INTO p SELECT g, g FROM generate_series(1, 100) g;
GRANT USAGE ON SCHEMA testing, millrace TO millrace_scan_user; GRANT SELECT (i) ON p TO millrace_scan_user;
CREATE TABLE rls (i int, who text); INSERT INTO rls SELECT g, CASE WHEN g % 2 = 0 THEN 'millrace_scan_user' ELSE 'other' END FROM generate_series(1, 100) g;
ALTER TABLE rls ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON rls USING (who = current_user);
GRANT SELECT ON rls TO millrace_scan_user;
CREATE VIEW barrier WITH (security_barrier) AS SELECT i FROM p WHERE secret < 50; GRANT SELECT ON barrier TO millrace_scan_user;
SET ROLE millrace_scan_user;
SELECT * FROM testing.scan('SELECT count(i), sum(i) FROM p'); SELECT * FROM testing.scan('SELECT sum(secret) FROM p'); SELECT * FROM testing.scan('SELECT count(*) FROM p WHERE secret = 1');
SELECT * FROM testing.scan('SELECT count(*), sum(i) FROM rls'); SELECT * FROM testing.scan('SELECT count(*) FROM rls WHERE 1 / (i % 2) > 0');
SELECT * FROM testing.scan('SELECT count(*), max(i) FROM barrier WHERE i > 5');
SELECT millrace.count('rls');
SELECT millrace.count('p');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION int4_sum(int8, int4), int4pl(int, int) FROM public; SET ROLE millrace_scan_user;
SELECT * FROM testing.scan('SELECT sum(i + 1) FROM p');
RESET ROLE; GRANT EXECUTE ON FUNCTION int4_sum(int8, int4), int4pl(int, int) TO public;
SELECT millrace.count('a') = (SELECT count(*) FROM a), millrace.count('part');
SELECT count(*) >= 0 AS diagnosed FROM millrace.doctor();
-- prepared statements, generic plans, settings changed after planning
SET plan_cache_mode = force_generic_plan;
PREPARE q (int, text) AS SELECT count(*), sum(i) FROM a WHERE i > $1 AND e = $2;
EXECUTE q (100, 'there'); EXECUTE q (200, 'missing'); EXECUTE q (NULL, 'there');
SET millrace.scan = off; EXECUTE q (100, 'there'); SET millrace.scan = on; RESET plan_cache_mode;
ALTER TABLE a ADD COLUMN late int DEFAULT 1; EXECUTE q (100, 'there');
-- rescans
SELECT * FROM testing.scan('SELECT g, (SELECT count(*) FROM a WHERE a.i < g * 100) FROM generate_series(1, 4) g');
SELECT * FROM testing.scan('SELECT g, s.c FROM generate_series(1, 3) g, LATERAL (SELECT count(*) c, max(i) FROM a WHERE i > g OFFSET 0) s');
SELECT * FROM testing.scan('SELECT sum(i) FROM a WHERE i > (SELECT min(i) FROM p) AND n = (SELECT 7)');
-- more groups than memory holds
SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET enable_sort = off;
CREATE TABLE many AS SELECT g % 9000 AS k, g AS i FROM generate_series(1, 30000) g;
SELECT * FROM testing.scan('SELECT k, count(*), sum(i) FROM many GROUP BY k');
RESET work_mem; RESET hash_mem_multiplier; RESET enable_sort;
-- what core's hash table has room for has room in ours: more groups than a power of two, of a table never analyzed
CREATE TABLE odd AS SELECT g AS k FROM generate_series(1, 70000) g;
SELECT count(*) FILTER (WHERE e LIKE '%MillraceAgg%') AS ours, count(*) FILTER (WHERE e LIKE '%Left To%') AS left_to_core
  FROM testing.explained('SELECT k FROM odd GROUP BY k') e;
SELECT * FROM testing.scan('SELECT k FROM odd GROUP BY k');
DROP TABLE odd;
-- partial aggregates in workers
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
ANALYZE many;
SELECT * FROM testing.scan('SELECT count(*), sum(i), avg(i), min(k), sum(i::int8), avg(i::numeric), stddev(i) FROM many');
SELECT * FROM testing.scan('SELECT k % 10, count(*), sum(i), avg(i) FROM many WHERE i > 5 GROUP BY 1');
RESET ALL; SET millrace.scan = on;
-- just-in-time compilation: results as ever, and none for what runs once or down the column
SET max_parallel_workers_per_gather = 0; SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0; SET jit_optimize_above_cost = 0;
SELECT * FROM testing.scan('SELECT k % 10, count(*), sum(i) + 1 FROM many WHERE i > 5 AND sqrt(i) > 3 GROUP BY 1 HAVING sum(i) > 1');
SELECT * FROM testing.scan('SELECT (SELECT max(m.k) + g FROM many m WHERE m.i < g * 1000) FROM generate_series(1, 4) g');
CREATE FUNCTION testing.emitted(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
  RETURN coalesce((plan -> 0 -> 'JIT' -> 'Timing' ->> 'Emission')::float8 > 0, false);
END $$;
SELECT testing.emitted('SELECT sum(i) + 1 FROM many WHERE i > 5 AND k < 100 HAVING count(*) > 0');
SELECT testing.emitted('SELECT i + 1 FROM many WHERE k = 70') = pg_jit_available() AS rows_are;
DROP FUNCTION testing.emitted;
RESET ALL; SET millrace.scan = on;
-- tables too small to be worth it
CREATE TABLE tiny AS SELECT g AS i FROM generate_series(1, 20) g; ANALYZE tiny;
SET millrace.scan_min_cost = 2;
SELECT testing.planned('SELECT sum(i) FROM tiny'), testing.planned('SELECT sum(i) FROM many');
-- ... even where the planner, without statistics, thinks them larger
CREATE TABLE unseen AS SELECT g AS i FROM generate_series(1, 20) g;
SELECT testing.planned('SELECT sum(i) FROM unseen'), testing.planned('SELECT max(c) FROM (SELECT count(*) c FROM unseen) s');
EXPLAIN (COSTS off) SELECT * FROM unseen WHERE i < 5;
INSERT INTO unseen SELECT g FROM generate_series(1, 1000) g;
SELECT testing.planned('SELECT sum(i) FROM unseen');
DROP TABLE unseen;
SET millrace.scan_min_cost = 1e9;
SELECT testing.planned('SELECT sum(i) FROM many');
SET millrace.scan_min_cost = 0;
SELECT testing.planned('SELECT sum(i) FROM tiny');
SET millrace.simd = scalar;
EXPLAIN (COSTS off) SELECT k, count(*) FROM many WHERE i > 5 AND sqrt(i) > 3 GROUP BY k HAVING sum(i) > 1;
DROP OWNED BY millrace_scan_user; DROP ROLE millrace_scan_user;
DROP VIEW barrier; DROP MATERIALIZED VIEW mv; DROP TABLE tiny, a, w, tmp, un, child, none, part, p, rls, many;

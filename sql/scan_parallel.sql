-- The lower half of a parallel DISTINCT, with more values than its table has room for, read again.
LOAD 'millrace';
CREATE TABLE p (a int, b int) WITH (autovacuum_enabled = off);
INSERT INTO p SELECT g, g % 20000 FROM generate_series(1, 60000) g;
ANALYZE p;
UPDATE pg_statistic SET stadistinct = 10 WHERE starelid = 'p'::regclass; -- an estimate that is wrong
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM testing.scan('SELECT g, (SELECT count(*) + g FROM (SELECT DISTINCT b FROM p OFFSET 0) s) FROM generate_series(1, 3) g');
SELECT * FROM testing.scan('SELECT count(*), sum(b) FROM (SELECT DISTINCT b FROM p OFFSET 0) s');
SELECT * FROM testing.scan('SELECT count(*), sum(n) FROM (SELECT b, count(*) n FROM p GROUP BY b OFFSET 0) s');
-- not inside a function, where plans may not be parallel
SET millrace.scan = off;
SELECT g, (SELECT count(*) + g FROM (SELECT DISTINCT b FROM p OFFSET 0) s) FROM generate_series(1, 3) g;
SELECT count(*), sum(b) FROM (SELECT DISTINCT b FROM p WHERE a % 2 = 0 OFFSET 0) s;
SET millrace.scan = on;
SELECT g, (SELECT count(*) + g FROM (SELECT DISTINCT b FROM p OFFSET 0) s) FROM generate_series(1, 3) g;
SELECT count(*), sum(b) FROM (SELECT DISTINCT b FROM p WHERE a % 2 = 0 OFFSET 0) s;
-- counters that a worker keeps to itself are not shown as none
CREATE VIEW counters AS SELECT bool_or(line ~ 'Pages|Rows Pruned') AS shown FROM unnest(ARRAY[
  'SELECT a FROM p ORDER BY a LIMIT 3', 'SELECT count(b) FROM p']) query, testing.explained(query) line GROUP BY query ORDER BY query;
SET max_parallel_workers_per_gather = 0;
SELECT * FROM counters;
SELECT set_config(CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode' ELSE 'debug_parallel_query' END, 'regress', false) AS mode;
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 1e6;
SELECT * FROM counters;
DROP VIEW counters;
-- a node that its worker leaves to core, before it starts or half-way, counts once and knows what the leader expects
CREATE FUNCTION testing.loops(query text) RETURNS text AS
  $$ SELECT string_agg(DISTINCT substring(line FROM 'loops=(\d+)'), ', ') FROM testing.explained(query, 'ANALYZE') line $$ LANGUAGE sql;
PREPARE planned AS SELECT b % 3, count(*) FROM p GROUP BY 1;
SELECT testing.loops('EXECUTE planned');
SET millrace.scan = off;
SELECT testing.loops('EXECUTE planned');
SET millrace.scan = on;
SET enable_hashagg = off;
SELECT testing.loops('SELECT b, count(*) FROM p GROUP BY b');
SELECT testing.loops('SELECT b, count(*) FROM p WHERE b < 100 GROUP BY b');
-- half-way in the leader and in workers, which run the subplan each
CREATE TABLE p2 WITH (parallel_workers = 0, autovacuum_enabled = off) AS SELECT * FROM p;
ANALYZE p2;
UPDATE pg_statistic SET stadistinct = 10 WHERE starelid = 'p2'::regclass;
SELECT set_config(CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'force_parallel_mode' ELSE 'debug_parallel_query' END, 'off', false) AS mode;
SET parallel_setup_cost = 0;
SELECT testing.loops('SELECT count(*) FROM p WHERE a NOT IN (SELECT -b FROM (SELECT b, count(*) FROM p2 GROUP BY b) s)') ~ '^[0-9, ]+$' AS fine;
RESET enable_hashagg;
DEALLOCATE planned;
DROP TABLE p2;
DROP FUNCTION testing.loops;
DROP TABLE p;

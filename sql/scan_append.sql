-- Aggregates over Append: partitioned and inherited tables, UNION ALL.
LOAD 'millrace';
SET millrace.scan_min_cost = 0;
SET max_parallel_workers_per_gather = 0;
SET millrace.scan = on; SET millrace.simd = scalar;
CREATE TABLE p (k int, a int, b text, f float8, n numeric, c char(6)) PARTITION BY LIST (k);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
-- columns elsewhere, more of them, some dropped
CREATE TABLE p2 (gone text, f float8, c char(6), b text, a int, n numeric, k int);
INSERT INTO p2 VALUES ('old', -0.0, 'a', 'b1', 0, 1.00, 2);
ALTER TABLE p2 DROP COLUMN gone;
ALTER TABLE p ATTACH PARTITION p2 FOR VALUES IN (2);
-- two levels
CREATE TABLE p3 PARTITION OF p FOR VALUES IN (3, 4) PARTITION BY RANGE (a);
CREATE TABLE p31 PARTITION OF p3 FOR VALUES FROM (MINVALUE) TO (5);
CREATE TABLE p32 PARTITION OF p3 FOR VALUES FROM (5) TO (MAXVALUE);
CREATE TABLE rest PARTITION OF p DEFAULT PARTITION BY HASH (a);
CREATE TABLE rest1 PARTITION OF rest FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE rest2 PARTITION OF rest FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO p SELECT g % 8, g % 11, 'b' || g % 5, g * 0.1, (g % 90) / 4.0, 'c' || g % 3 FROM generate_series(1, 4000) g;
INSERT INTO p VALUES (1, NULL, NULL, 'NaN', 'NaN', NULL), (4, 4, NULL, NULL, NULL, NULL);
VACUUM ANALYZE p;
DELETE FROM p WHERE k = 2 AND a = 3;
EXPLAIN (COSTS off) SELECT b, count(*) FROM p WHERE f > 5 GROUP BY b;
SELECT * FROM testing.scan('SELECT count(*) FROM p');
SELECT * FROM testing.scan('SELECT count(*), count(a), sum(a), avg(f), sum(f), sum(n), avg(n), min(b), max(f), stddev(n), variance(f) FROM p WHERE f < 300');
SELECT * FROM testing.scan('SELECT b, count(*), sum(f), sum(n), max(n), min(f) FROM p GROUP BY b');
SELECT * FROM testing.scan('SELECT n, f + 0, c, count(*) FROM p WHERE a < 2 GROUP BY 1, 2, 3');
SELECT * FROM testing.scan('SELECT c, b, avg(a) FILTER (WHERE f > 20), sum(a * 2 + k) FROM p GROUP BY c, b HAVING count(*) > 100');
SELECT * FROM testing.scan('SELECT length(b), sum(length(b || c)), max(n) FROM p GROUP BY 1');
SELECT * FROM testing.scan('SELECT DISTINCT k FROM p');
SELECT * FROM testing.scan('SELECT tableoid::regclass, count(*) FROM p GROUP BY 1');
-- pruned when planned: some, all but one, all
SELECT * FROM testing.scan('SELECT count(*), sum(f) FROM p WHERE k IN (1, 3)');
SELECT * FROM testing.scan('SELECT count(*), sum(f) FROM p WHERE k = 2');
SELECT * FROM testing.scan('SELECT count(*), sum(f) FROM p WHERE k = 2 AND k = 3');
-- pruned at executor start, and later
SET plan_cache_mode = force_generic_plan;
PREPARE q (int, int) AS SELECT count(*), sum(f), max(b) FROM p WHERE k BETWEEN $1 AND $2;
PREPARE g (int) AS SELECT a, count(*) FROM p WHERE k = $1 GROUP BY a ORDER BY a;
EXPLAIN (COSTS off) EXECUTE q (1, 2);
EXECUTE q (1, 2); EXECUTE q (5, 99); EXECUTE q (9, 3); EXECUTE q (NULL, 1); EXECUTE g (2); EXECUTE g (NULL);
SET millrace.scan = off;
EXECUTE q (1, 2); EXECUTE q (5, 99); EXECUTE q (9, 3); EXECUTE q (NULL, 1); EXECUTE g (2); EXECUTE g (NULL);
SET millrace.scan = on;
RESET plan_cache_mode;
CREATE INDEX ON p2 (k);
EXECUTE q (1, 2);
EXPLAIN (COSTS off, TIMING off, SUMMARY off, ANALYZE, BUFFERS off) SELECT x, s.* FROM (VALUES (1), (2), (77)) v(x), LATERAL (SELECT count(*), sum(f) FROM p3 WHERE k = x AND a < x + 3 OFFSET 0) s;
SELECT * FROM testing.scan('SELECT x, s.* FROM (VALUES (1), (3), (4), (77), (NULL)) v(x), LATERAL (SELECT count(*), sum(f), min(c) FROM p WHERE k = x OFFSET 0) s');
SELECT * FROM testing.scan('SELECT x, (SELECT sum(f) FROM p WHERE k = x AND a > x) FROM generate_series(0, 9) x');
SELECT * FROM testing.scan('SELECT count(*) FROM p WHERE k = (SELECT min(k) + 1 FROM p)');
-- cursors
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT k, count(*), sum(a) FROM p GROUP BY k ORDER BY k;
FETCH 3 FROM c; FETCH BACKWARD 2 FROM c; FETCH ALL FROM c;
COMMIT;
-- inherited tables: rows in the parent too
CREATE TABLE i (x int, y text DEFAULT 'none');
CREATE TABLE i1 (z int, w numeric) INHERITS (i);
CREATE TABLE i2 (y text, v bool, x int) INHERITS (i);
INSERT INTO i SELECT g, 'p' FROM generate_series(1, 100) g;
INSERT INTO i1 SELECT g, 'one' || g % 2, 0, 1 FROM generate_series(1, 100) g;
INSERT INTO i2 SELECT g, NULL, true FROM generate_series(1, 100) g;
ALTER TABLE i ADD COLUMN late int DEFAULT 7;
ANALYZE i, i1, i2;
SELECT * FROM testing.scan('SELECT y, count(*), sum(x), sum(late) FROM i GROUP BY y');
SELECT * FROM testing.scan('SELECT count(*), sum(x) FROM ONLY i');
-- UNION ALL
SELECT * FROM testing.scan('SELECT s, count(*), sum(v) FROM (SELECT 1 AS s, a AS v FROM p1 UNION ALL SELECT 2, x FROM i1 UNION ALL SELECT z, -x FROM i1) u GROUP BY s');
SELECT * FROM testing.scan('SELECT sum(v), max(t) FROM (SELECT a * 1000 AS v, b AS t FROM p1 WHERE a > 3 UNION ALL SELECT length(y), y || ''!'' FROM i2 UNION ALL SELECT x, y FROM i WHERE x < 9) u');
SELECT * FROM testing.scan('SELECT c, count(*) FROM (SELECT c FROM p1 UNION ALL SELECT ''c1''::char(4) FROM i) u GROUP BY c');
SELECT * FROM testing.scan('SELECT count(*), sum(v) FROM (SELECT a AS v FROM p1 UNION ALL SELECT g FROM generate_series(1, 9) g) u');
-- errors: the first row that fails, in the order of the Append
SELECT * FROM testing.scan('SELECT sum(1 / a) FROM p');
SELECT * FROM testing.scan('SELECT sum(1 / (a - 3)) FROM p WHERE k = 2');
SELECT * FROM testing.scan('SELECT sum(x / (x - 50)), sum(x * 2147483647) FROM i');
SELECT * FROM testing.scan('SELECT sum(x * 21474836 / (x - 101 + length(y))) FROM i');
SELECT * FROM testing.scan('SELECT sum(i.f) FROM (SELECT f * 1e307 AS f FROM p) i');
-- more groups than memory holds: all of it is left to PostgreSQL, when it is found out in the second relation
CREATE TABLE m (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE m1 PARTITION OF m FOR VALUES FROM (0) TO (100);
CREATE TABLE m2 PARTITION OF m FOR VALUES FROM (100) TO (100000);
INSERT INTO m SELECT g % 90, g FROM generate_series(1, 5000) g;
INSERT INTO m SELECT 100 + g % 9000, g FROM generate_series(1, 20000) g;
ANALYZE m;
UPDATE pg_statistic SET stadistinct = 10 WHERE starelid = 'm'::regclass; -- an estimate that is wrong
SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET enable_sort = off;
SELECT * FROM testing.scan('SELECT k, count(*), sum(v) FROM m GROUP BY k');
SELECT * FROM testing.scan('SELECT x, (SELECT count(*) + x FROM (SELECT k, count(*) FROM m GROUP BY k OFFSET 0) s) FROM generate_series(1, 3) x');
EXPLAIN (COSTS off, TIMING off, SUMMARY off, ANALYZE, BUFFERS off) SELECT count(*) FROM (SELECT k, sum(v) FROM m WHERE k < 50 GROUP BY k OFFSET 0) s;
-- workers: handed out early when full
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS off) SELECT k, count(*), sum(v) FROM m GROUP BY k;
SELECT count(*), sum(k), sum(c), sum(s) FROM (SELECT k, count(*) c, sum(v) s FROM m GROUP BY k OFFSET 0) q;
SELECT x, (SELECT count(*) + x FROM (SELECT DISTINCT k FROM m OFFSET 0) s) FROM generate_series(1, 3) x;
SET enable_parallel_append = off;
SELECT count(*), sum(k), sum(c), sum(s) FROM (SELECT k, count(*) c, sum(v) s FROM m GROUP BY k OFFSET 0) q;
SELECT x, (SELECT count(*) + x FROM (SELECT k, sum(v) FROM m WHERE v > x GROUP BY k OFFSET 0) s) FROM generate_series(1, 3) x;
SET enable_parallel_append = on;
-- one partition by one process
ALTER TABLE m1 SET (parallel_workers = 0);
EXPLAIN (COSTS off) SELECT count(*), sum(v) FROM m;
SELECT count(*), sum(v), avg(k) FROM m; SELECT x, (SELECT sum(v) + x FROM m WHERE k > x) FROM generate_series(1, 3) x;
SET parallel_leader_participation = off;
SELECT count(*), sum(v), avg(k) FROM m;
SET millrace.scan = off;
SELECT count(*), sum(k), sum(c), sum(s) FROM (SELECT k, count(*) c, sum(v) s FROM m GROUP BY k OFFSET 0) q;
SELECT count(*), sum(v), avg(k) FROM m;
RESET ALL; SET millrace.scan_min_cost = 0; SET millrace.scan = on; SET millrace.simd = scalar; SET max_parallel_workers_per_gather = 0;
SET enable_partitionwise_aggregate = on;
SELECT * FROM testing.scan('SELECT k, count(*), sum(f) FROM p GROUP BY k');
SELECT * FROM testing.scan('SELECT b, count(*), sum(n) FROM p GROUP BY b');
-- partial sums of floats, put together in the order of core's hash tables
SELECT * FROM testing.scan('SELECT b, count(*), sum(f) FROM p GROUP BY b');
RESET enable_partitionwise_aggregate;
-- children that are not plain scans of tables: their rows are taken one by one
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE far PARTITION OF p FOR VALUES IN (50) SERVER files OPTIONS (filename '/dev/null');
SELECT * FROM testing.scan('SELECT count(*), sum(f) FROM p');
SELECT * FROM testing.scan('SELECT count(*), sum(f) FROM p WHERE k < 50');
SELECT * FROM testing.scan('SELECT b, c, count(*), sum(f), max(n), sum(a * k) FILTER (WHERE a > 3) FROM (SELECT * FROM p UNION ALL SELECT * FROM p1 WHERE random() > 2) u GROUP BY b, c');
CREATE INDEX ON p1 (a);
SET enable_bitmapscan = off;
EXPLAIN (COSTS off, TIMING off, SUMMARY off, ANALYZE, BUFFERS off) SELECT b, sum(f), max(c) FROM p WHERE a = 3 GROUP BY b;
SELECT * FROM testing.scan('SELECT b, sum(f), max(c), count(*) FROM p WHERE a = 3 GROUP BY b');
SELECT * FROM testing.scan('SELECT n, count(*), sum(1 / (a - 2)) FROM p WHERE a = 3 GROUP BY n');
SELECT * FROM testing.scan('SELECT sum(1 / (a - 3)) FROM p WHERE a = 3');
SELECT * FROM testing.scan('SELECT x, (SELECT sum(f) FROM p WHERE a = x) FROM generate_series(0, 4) x');
RESET enable_bitmapscan;
SELECT * FROM testing.scan('SELECT k, count(*), sum(t) FROM (SELECT k, f AS t FROM p UNION ALL (SELECT k, f FROM p1 ORDER BY f DESC LIMIT 3) UNION ALL SELECT max(k), sum(f) FROM p2) u GROUP BY k');
SET work_mem = '64kB'; SET hash_mem_multiplier = 1; SET enable_sort = off;
SELECT * FROM testing.scan('SELECT v, count(*), sum(s) FROM (SELECT k AS v, 1 AS s FROM m1 UNION ALL SELECT k, v FROM m2 UNION ALL SELECT g, 2 FROM generate_series(1, 20000) g) u GROUP BY v');
SELECT * FROM testing.scan('SELECT v, count(*), sum(s) FROM (SELECT g AS v, 2 AS s FROM generate_series(1, 20000) g UNION ALL SELECT k, 1 FROM m UNION ALL SELECT k, 1 FROM m) u GROUP BY v');
RESET work_mem; RESET hash_mem_multiplier; RESET enable_sort;
DROP FOREIGN TABLE far; DROP SERVER files; DROP EXTENSION file_fdw;
CREATE TEMP TABLE ti (x int) PARTITION BY RANGE (x);
CREATE TEMP TABLE ti1 PARTITION OF ti FOR VALUES FROM (0) TO (50);
CREATE TEMP TABLE ti2 PARTITION OF ti FOR VALUES FROM (50) TO (100);
INSERT INTO ti SELECT g % 100 FROM generate_series(1, 3000) g;
SELECT * FROM testing.scan('SELECT count(*), sum(x) FROM ti');
CREATE TABLE empty (x int) PARTITION BY RANGE (x);
SELECT * FROM testing.scan('SELECT count(*), sum(x) FROM empty');
-- rights and row security
CREATE ROLE regress_scan_append;
GRANT USAGE ON SCHEMA testing TO regress_scan_append;
GRANT SELECT (a, k) ON p TO regress_scan_append;
ALTER TABLE i ENABLE ROW LEVEL SECURITY;
CREATE POLICY half ON i USING (x % 2 = 0);
GRANT SELECT ON i TO regress_scan_append;
SET ROLE regress_scan_append;
SELECT * FROM testing.scan('SELECT count(*), sum(a) FROM p'); SELECT * FROM testing.scan('SELECT sum(f) FROM p'); SELECT * FROM testing.scan('SELECT sum(a) FROM p1');
SELECT * FROM testing.scan('SELECT count(*), sum(x) FROM i'); SELECT * FROM testing.scan('SELECT count(*) FROM i WHERE 1 / (x % 2) > 0');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION sum(int4), int4pl(int, int) FROM public; SET ROLE regress_scan_append;
SELECT * FROM testing.scan('SELECT sum(a) FROM p'); SELECT * FROM testing.scan('SELECT max(a + 1) FROM p');
RESET ROLE; GRANT EXECUTE ON FUNCTION sum(int4), int4pl(int, int) TO public;
-- serializable: both write what the other has counted
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT * FROM testing.scan('SELECT k, sum(a) FROM p GROUP BY k');
SELECT count(*) > 3 AS locked FROM pg_locks WHERE mode = 'SIReadLock' AND relation IN (SELECT relid FROM pg_partition_tree('p'));
COMMIT;
-- Appends in an Append
SELECT * FROM testing.scan('SELECT count(*), sum(v), max(t) FROM (SELECT k AS v, b AS t FROM p UNION ALL SELECT x, y FROM i WHERE x < 50 UNION ALL SELECT v, ''z'' FROM m) u');
SELECT * FROM testing.scan('SELECT t, count(*), sum(v) FROM (SELECT k AS v, b AS t FROM p UNION ALL SELECT x, y FROM i UNION ALL SELECT v, ''z'' FROM m) u GROUP BY t');
EXPLAIN (COSTS off, TIMING off, SUMMARY off, ANALYZE, BUFFERS off) SELECT count(v) FROM (SELECT v FROM m UNION ALL SELECT x FROM i WHERE x < 50) u;
-- EXPLAIN
EXPLAIN (COSTS off, VERBOSE) SELECT b || 'x', count(*), sum(f) FROM p WHERE a > 5 AND sqrt(a) > 2 GROUP BY b || 'x' HAVING sum(f) > 1;
EXPLAIN (COSTS off, TIMING off, SUMMARY off, ANALYZE, BUFFERS off) SELECT b, count(*) FROM p WHERE a > 5 GROUP BY b;
EXPLAIN (COSTS off, FORMAT json) SELECT count(*) FROM i;
EXPLAIN (COSTS off, FORMAT yaml) SELECT y, count(*) FROM i WHERE x > 3 GROUP BY y;
EXPLAIN (COSTS off, FORMAT xml) SELECT y, count(*) FROM i WHERE x > 3 GROUP BY y;
DROP OWNED BY regress_scan_append; DROP ROLE regress_scan_append;
DROP TABLE p, m, ti, empty; DROP TABLE i CASCADE;

-- The first error in row order, and none from what no row needs.
LOAD 'millrace';
SET max_parallel_workers_per_gather = 0;
CREATE TABLE a (a int, b int, c int);
INSERT INTO a VALUES (10, 1, 0), (1, 2, 0);
ANALYZE a;
-- a subplan that fails, needed by no row, or by a later row than another error
SELECT * FROM testing.scan('SELECT count(*), sum(a) FROM a WHERE a > 5 AND (b = 1 OR c = (SELECT 1 / (count(*) - 2) FROM a WHERE a < 100))');
SELECT * FROM testing.scan('SELECT count(*), sum(a) FROM a WHERE a > 5 AND NOT (b = 2 AND c = (SELECT 1 / (count(*) - 2) FROM a WHERE a < 100))');
SELECT * FROM testing.scan('SELECT count(*) FROM a WHERE a > 50 AND c = (SELECT 1 / (count(*) - 2) FROM a WHERE a < 100)');
SELECT * FROM testing.scan('SELECT count(*) FROM a WHERE a > 5 AND c = (SELECT 1 / (count(*) - 2) FROM a WHERE a < 100)');
SELECT * FROM testing.scan('SELECT count(*) FROM a WHERE (b = 1 OR c = (SELECT count(*)::text::date - date ''epoch'' FROM a)) AND 1 / c > 0');
SELECT * FROM testing.scan('SELECT count(*) FROM a WHERE (b = 1 OR c = (SELECT 1 / (count(*) - 2) FROM a)) AND (b = 2 OR c = (SELECT count(*)::text::date - date ''epoch'' FROM a))');
SELECT * FROM testing.scan('SELECT count(*) FILTER (WHERE b = 1 OR c = (SELECT 1 / (count(*) - 2) FROM a)), count(*) FILTER (WHERE c = (SELECT count(*)::text::date - date ''epoch'' FROM a)) FROM a');
SELECT * FROM testing.scan('SELECT count(*) FILTER (WHERE b = 1 OR c = (SELECT 1 / (count(*) - 2) FROM a)) FROM a WHERE a > 5');
-- transitions that fail
CREATE TABLE e (a int, b int, f float8, g float4, i interval, m money, s bit varying);
INSERT INTO e VALUES (1, 1, 1e308, 3e38, '178000000 years', 1, '1'), (2, 1, 1e308, 3e38, '178000000 years', '92233720368547758.07', '10'), (3, 0, 1, 1, NULL, 1, '1');
ANALYZE e;
SELECT * FROM testing.scan('SELECT sum(f) FROM e WHERE 1 / b > 0');
SELECT * FROM testing.scan('SELECT sum(f), sum(1 / b) FROM e');
SELECT * FROM testing.scan('SELECT sum(a * 2147483647), sum(f) FROM e');
SELECT * FROM testing.scan('SELECT sum(g), avg(f) FROM e WHERE a > 0');
SELECT * FROM testing.scan('SELECT corr(f, f), sum(i) FROM e');
SELECT * FROM testing.scan('SELECT sum(f) FILTER (WHERE a > 1), sum(i) FROM e');
SELECT * FROM testing.scan('SELECT sum(f) FILTER (WHERE a > 1), sum(i), sum(m) FROM e');
SELECT * FROM testing.scan('SELECT sum(m), bit_or(s) FROM e');
SELECT * FROM testing.scan('SELECT bit_and(s), sum(i) FROM e WHERE 1 / b > 0');
SELECT * FROM testing.scan('SELECT sum(f), count(*) FILTER (WHERE a = (SELECT 1 / (count(*) - 3) FROM e)) FROM e');
SELECT * FROM testing.scan('SELECT b, sum(f), sum(i) FROM e GROUP BY b');
-- EXECUTE on what groups are compared with
REVOKE EXECUTE ON FUNCTION int4eq(int, int) FROM public;
CREATE ROLE regress_scan_keys;
GRANT SELECT ON a TO regress_scan_keys;
GRANT USAGE ON SCHEMA testing TO regress_scan_keys;
SET ROLE regress_scan_keys;
SELECT * FROM testing.scan('SELECT b, max(a) FROM a GROUP BY b');
SELECT * FROM testing.scan('SELECT max(a) FROM a WHERE b IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)');
RESET ROLE;
GRANT EXECUTE ON FUNCTION int4eq(int, int) TO public;
REVOKE ALL ON a FROM regress_scan_keys;
REVOKE USAGE ON SCHEMA testing FROM regress_scan_keys;
DROP ROLE regress_scan_keys;
DROP TABLE a, e;

-- Values computed by core, far columns of null rows, and what is freed.
LOAD 'millrace';
SET max_parallel_workers_per_gather = 0;
-- by-value results whose upper bits core does not care about
CREATE TABLE v (b bool, o oid, t text, c "char", i2 int2, i4 int4);
INSERT INTO v VALUES (true, 4294967295, 'x', '\377', -1, -1), (false, 1, 'y', 'a', -1, -1), (true, 4294967294, 'z', '\377', -2, -2);
INSERT INTO v SELECT false, 4294967295, 'x' || g, 'b', g, g FROM generate_series(1, 20) g;
ANALYZE v;
SELECT * FROM testing.scan('SELECT CASE WHEN b THEN o ELSE 4294967295::oid END o, count(*) FROM v GROUP BY 1');
SELECT * FROM testing.scan('SELECT coalesce(o, 4294967295), count(*) FROM v GROUP BY 1');
SELECT * FROM testing.scan('SELECT CASE WHEN b THEN i4 ELSE hashint4(i4) END, count(*) FROM v GROUP BY 1');
SELECT * FROM testing.scan('SELECT CASE WHEN b THEN c ELSE chr(97)::"char" END, count(*) FROM v GROUP BY 1');
SELECT * FROM testing.scan('SELECT CASE WHEN b THEN i2 ELSE (-1)::int2 END, count(*), min(i2), max(abs(i2)) FROM v GROUP BY 1');
SELECT * FROM testing.scan('SELECT sum(hashtext(t)), min(hashtext(t)), max(hashtext(t)), avg(hashtext(t)) FROM v');
SELECT * FROM testing.scan('SELECT i4 % 3, sum(hashtext(t)), min(hashtext(t)), max(hashtext(t)), avg(hashtext(t)) FROM v GROUP BY 1');
SELECT * FROM testing.scan('SELECT bit_and(hashtext(t)), bit_or(hashtext(t)), bit_xor(hashtext(t)), var_pop(hashoid(o)) FROM v');
SELECT * FROM testing.scan('SELECT min(CASE WHEN b THEN o ELSE 7::oid END), max(CASE WHEN b THEN o ELSE 4294967295::oid END) FROM v');
SELECT * FROM testing.scan('SELECT sum(hashtext(t)::int8), sum(hashtext(t) + i4::int8), sum(hashtext(t)) FILTER (WHERE b) FROM v');
SELECT * FROM testing.scan('SELECT count(*) FROM v WHERE o = 4294967295 OR i4 = hashtext(''a'')');
SELECT * FROM testing.scan('SELECT count(*) FROM v WHERE o IN (4294967295, 4294967294) AND i4 = (SELECT -2)');
SELECT * FROM testing.scan('SELECT count(*) FROM v WHERE i4 <> (SELECT hashtext(''a'')) AND o = (SELECT max(o) FROM v)');
-- columns added later
ALTER TABLE v ADD COLUMN d oid DEFAULT 4294967295, ADD COLUMN e int2 DEFAULT -5;
INSERT INTO v (d, e) VALUES (4294967295, -5);
SELECT * FROM testing.scan('SELECT d, e, count(*), sum(e) FROM v GROUP BY d, e');
-- fixed columns that lie beyond a page, all null
DO $$ BEGIN
  EXECUTE format('CREATE TABLE far (%s, x int, t text, y int)', (SELECT string_agg('c' || g || ' name', ', ') FROM generate_series(1, 1500) g));
END $$;
INSERT INTO far (x, t, y) SELECT g, 't' || g % 3, -g FROM generate_series(1, 100) g;
INSERT INTO far (c1, x) VALUES ('first', 7);
ANALYZE far;
SELECT * FROM testing.scan('SELECT count(*), sum(x), sum(y), min(t), count(c1), count(c1500) FROM far');
SELECT * FROM testing.scan('SELECT t, c1, sum(y) FROM far WHERE x > 5 GROUP BY t, c1');
-- long numerics and rescans leave no memory behind
CREATE FUNCTION testing.memory(query text, context text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE c refcursor; r record; small boolean;
BEGIN
  OPEN c FOR EXECUTE query;
  FETCH c INTO r;
  SELECT max(total_bytes) < 2000000 FROM pg_backend_memory_contexts WHERE name LIKE context INTO small;
  CLOSE c;
  RETURN small;
END $$;
CREATE TABLE l (n numeric);
INSERT INTO l SELECT 1.23456789012345678901234567 + g FROM generate_series(1, 50000) g;
ANALYZE l;
SET millrace.scan = on;
SELECT testing.memory('SELECT sum(n) FROM l', 'millrace scratch');
SELECT testing.memory('SELECT n > 5, sum(n + 1e18) FROM l GROUP BY 1', 'millrace scratch');
CREATE TABLE one (t text, n numeric);
INSERT INTO one VALUES ('a', 1);
SELECT testing.memory('SELECT sum(x) FROM (SELECT (SELECT count(*) FROM one WHERE t = g.v) x
  FROM (SELECT repeat(''y'', 1000) || g v FROM generate_series(1, 5000) g OFFSET 0) g) z', 'ExecutorState');
DROP FUNCTION testing.memory(text, text);
DROP TABLE v, far, l, one;
-- group keys of one byte, and what looks like them
SET work_mem = '64MB'; SET enable_sort = off;
CREATE TABLE flags AS SELECT chr(65 + g % 3)::char(1) AS a, (ARRAY[' ', '', 'a', 'b', 'c'])[1 + g % 5] AS b,
  (ARRAY['', ' ', 'x'])[1 + g % 7 % 3]::char(1) AS c, set_byte('\x00', 0, g % 256) AS d, set_byte('\x00', 0, g / 256 % 256) AS e, g AS i
  FROM generate_series(0, 66000) g;
SELECT * FROM testing.scan('SELECT a, count(*), sum(i) FROM flags GROUP BY a');
SELECT * FROM testing.scan('SELECT a, c, count(*), sum(i) FROM flags GROUP BY a, c');
SELECT * FROM testing.scan('SELECT b, count(*), sum(i) FROM flags GROUP BY b');
SELECT * FROM testing.scan('SELECT c, a, b, count(*) FROM flags GROUP BY c, a, b');
SELECT * FROM testing.scan('SELECT d, e, count(*), sum(i) FROM flags GROUP BY d, e');
SELECT * FROM testing.scan('SELECT n, (SELECT count(*) FROM (SELECT a, c FROM flags WHERE i < n * 1000 GROUP BY a, c OFFSET 0) s) FROM generate_series(0, 3) n');
INSERT INTO flags SELECT CASE WHEN g < 1000 THEN 'A' WHEN g < 2000 THEN 'ä' ELSE NULL END, 'a', 'x', '\x01', '\x0102', g FROM generate_series(1, 3000) g;
SELECT * FROM testing.scan('SELECT a, count(*), sum(i) FROM flags GROUP BY a');
SELECT * FROM testing.scan('SELECT e, a, count(*), sum(i) FROM flags WHERE d = ''\x01'' GROUP BY e, a');
DROP TABLE flags; RESET work_mem; RESET enable_sort;
-- keys that differ in their upper bits only, as whole numbers in floats do
CREATE TABLE upper_bits AS SELECT (g % 3000)::int8 << 48 AS high, (g % 3000)::float8 AS f FROM generate_series(1, 12000) g;
ANALYZE upper_bits;
SET work_mem = '64MB'; SET enable_sort = off;
SELECT * FROM testing.scan('SELECT high, count(*) FROM upper_bits GROUP BY high');
SELECT * FROM testing.scan('SELECT f, count(*) FROM upper_bits GROUP BY f');
DROP TABLE upper_bits; RESET work_mem; RESET enable_sort;

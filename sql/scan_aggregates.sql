-- Every aggregate that is known, over every type, with nulls and extremes; and what is left to PostgreSQL.
LOAD 'millrace';
SET max_parallel_workers_per_gather = 0;
CREATE TABLE s (i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, m numeric(12,2), c money, d date,
  ts timestamp, tz timestamptz, ti time, iv interval, b boolean, t text, v varchar(9), ch char(5), u uuid, o oid);
SET timezone = 'UTC';
INSERT INTO s SELECT g % 7, g * 1000 - 500000, g::int8 * 3000000000, g / 3.0, g * 0.1, g / 7.0, g / 4.0, g::int, date '2020-01-01' + g,
  timestamp '2020-01-01' + g * interval '1 hour', timestamptz '2020-01-01' + g * interval '1 min', time '00:00' + g * interval '1 s',
  g * interval '1 day', g % 3 = 0, 't' || g % 50, 'v' || g % 9, 'c' || g % 6, md5((g % 20)::text)::uuid, g % 11
  FROM generate_series(1, 1000) g;
INSERT INTO s SELECT FROM generate_series(1, 20);
INSERT INTO s (i2, i4, i8, f4, f8, n, d, ts) VALUES (32767, 2147483647, 9223372036854775807, 'NaN', '-0', 'NaN', 'infinity', 'infinity'),
  (-32768, -2147483648, -9223372036854775808, '-Infinity', 'Infinity', 1e40, '-infinity', '-infinity');
VACUUM ANALYZE s;
SELECT * FROM testing.scan('SELECT count(*), count(1), count(i4), count(t), count(NULL) FROM s');
SELECT * FROM testing.scan('SELECT sum(i2), avg(i2), min(i2), max(i2), sum(i4), avg(i4), min(i4), max(i4) FROM s');
SELECT * FROM testing.scan('SELECT sum(i8), avg(i8), min(i8), max(i8), sum(c), min(c), max(c) FROM s');
SELECT * FROM testing.scan('SELECT sum(f4), avg(f4), min(f4), max(f4) FROM s WHERE f4 < 1e30');
SELECT * FROM testing.scan('SELECT sum(f8), avg(f8), min(f8), max(f8), stddev(f8), variance(f4) FROM s');
SELECT * FROM testing.scan('SELECT stddev(f8), var_pop(f8), stddev_samp(f4), corr(f8, i4), regr_count(f8, i4) FROM s WHERE i2 < 7');
SELECT * FROM testing.scan('SELECT sum(n), avg(n), min(n), max(n), stddev(n) FROM s');
SELECT * FROM testing.scan('SELECT sum(n), avg(n), sum(m), avg(m), var_pop(m), var_samp(i8) FROM s WHERE n < 1e30');
SELECT * FROM testing.scan('SELECT min(d), max(d), min(ts), max(ts), min(tz), max(tz), min(ti), max(ti), sum(iv), min(iv), max(iv) FROM s');
SELECT * FROM testing.scan('SELECT min(t), max(t), min(v), max(v), min(ch), max(ch), max(o) FROM s');
SELECT * FROM testing.scan('SELECT bool_and(b), bool_or(b), every(b), bit_and(i4), bit_or(i8), bit_xor(i2) FROM s');
SELECT * FROM testing.scan('SELECT count(*) FILTER (WHERE i2 = 3), sum(i4) FILTER (WHERE b), sum(n) FILTER (WHERE t LIKE ''t1%'') FROM s');
SELECT * FROM testing.scan('SELECT sum(i4) + count(*), (SELECT max(i2) FROM s) * count(*) FROM s HAVING count(*) > 5');
SELECT * FROM testing.scan('SELECT sum(i4) FROM s HAVING count(*) < 5');
SELECT * FROM testing.scan('SELECT count(*), sum(i4), avg(n), max(t) FROM s WHERE false');
SELECT * FROM testing.scan('SELECT count(*), sum(i4), avg(n), max(t) FROM s WHERE i4 = 1');
-- arithmetic, and its errors
SELECT * FROM testing.scan('SELECT sum(i4 + i2), sum(i2 * 3), sum(i8 - i4), sum(m * (1 - m)), avg(m + i4), sum(f8 * f8) FROM s WHERE i2 < 7 AND i2 > -1');
SELECT * FROM testing.scan('SELECT sum(i4 * 3) FROM s');
SELECT * FROM testing.scan('SELECT sum(i8 + i8) FROM s');
SELECT * FROM testing.scan('SELECT sum(i4 / i2) FROM s');
SELECT * FROM testing.scan('SELECT sum(i4 * 3) FILTER (WHERE i2 < 7) FROM s WHERE i2 > -1');
SELECT * FROM testing.scan('SELECT sum(CASE WHEN b THEN i4 ELSE 0 END), sum(coalesce(i2, 5)), sum(length(t)) FROM s');
SELECT * FROM testing.scan('SELECT sum(c) + ''92233720368547758.07''::money FROM s');
-- left to PostgreSQL, whole
SELECT * FROM testing.scan('SELECT count(DISTINCT i2) FROM s');
SELECT * FROM testing.scan('SELECT count(*), string_agg(t, '','' ORDER BY t) FROM s');
SELECT * FROM testing.scan('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f8) FROM s');
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE random() < 2');
SELECT * FROM testing.scan('SELECT sum((SELECT max(i2) FROM s x WHERE x.i4 = s.i4)) FROM s');
CREATE AGGREGATE mine(int) (sfunc = int4pl, stype = int, initcond = '0');
SELECT * FROM testing.scan('SELECT mine(i2) FROM s');
SELECT * FROM testing.scan('SELECT count(*) FROM pg_class WHERE false');
SELECT * FROM testing.scan('SELECT count(*) FROM s TABLESAMPLE system (100)');
-- GROUP BY
SELECT * FROM testing.scan('SELECT i2, count(*), sum(i4), avg(m), min(t) FROM s GROUP BY i2');
SELECT * FROM testing.scan('SELECT b, ch, count(*), sum(n) FROM s GROUP BY b, ch');
SELECT * FROM testing.scan('SELECT u, v, max(d) FROM s GROUP BY u, v');
SELECT * FROM testing.scan('SELECT t, count(*) FROM s GROUP BY t HAVING count(*) > 15');
SELECT * FROM testing.scan('SELECT n + 0, count(*) FROM s GROUP BY n + 0');
SELECT * FROM testing.scan('SELECT f8 + 0, count(*) FROM s GROUP BY 1');
SELECT * FROM testing.scan('SELECT date_trunc(''month'', d), sum(i2) FROM s GROUP BY 1');
SELECT * FROM testing.scan('SELECT i2 + 1, i8 % 10, sum(i4) FROM s GROUP BY 1, 2');
SELECT * FROM testing.scan('SELECT count(*) FROM s GROUP BY iv, ti, o');
SELECT * FROM testing.scan('SELECT DISTINCT ch FROM s');
SELECT * FROM testing.scan('SELECT GROUPING(i2), i2, count(*) FROM s GROUP BY ROLLUP (i2)');
-- filters
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE i4 BETWEEN -1000 AND 5000 AND n > 70 AND f8 <= 100');
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE i2 IN (1, 2, NULL) OR t = ''t3'' OR NOT b');
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE NOT (i2 = 1 OR t IS NULL)');
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE f8 = 0 OR f4 = ''NaN'' OR n = ''NaN''');
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE d < timestamp ''2020-03-01 12:00'' AND d >= timestamp ''2020-02-01'' AND d <> timestamp ''2020-02-10 01:00''');
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE ch = ''c1'' AND o = 3 AND b');
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE 10 / i2 > 2');
SELECT * FROM testing.scan('SELECT count(*) FROM s WHERE i2 > 0 AND 10 / i2 > 2');
DROP AGGREGATE mine(int);
DROP TABLE s;

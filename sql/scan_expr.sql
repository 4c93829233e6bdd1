-- Expressions in filters, arguments and group keys of the scan.
LOAD 'millrace';
SET max_parallel_workers_per_gather = 0;
SET enable_sort = off;
-- Is all of the query worked out by column?
CREATE FUNCTION testing.by_column(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  PERFORM set_config('millrace.scan', 'on', true);
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    IF line LIKE '%Residual%' THEN RETURN false; END IF;
    IF line LIKE '%by column%' THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
END $$;
CREATE FUNCTION testing.expr(query text, OUT by_column boolean, OUT result text) LANGUAGE sql AS $$
  SELECT testing.by_column(query), s.result FROM testing.scan(query) s
$$;
CREATE FUNCTION testing.executed(call text, OUT ours boolean, OUT result text) LANGUAGE plpgsql AS $$
DECLARE r record; answers text[] := '{}';
BEGIN
  FOR i IN 0..1 LOOP
    PERFORM set_config('millrace.scan', CASE i WHEN 0 THEN 'off' ELSE 'on' END, true);
    BEGIN
      EXECUTE 'EXECUTE ' || call INTO r;
      answers := answers || r::text;
    EXCEPTION WHEN OTHERS THEN
      answers := answers || format('ERROR %s: %s', SQLSTATE, SQLERRM);
    END;
  END LOOP;
  ours := testing.planned('EXECUTE ' || call);
  result := CASE WHEN answers[1] = answers[2] THEN answers[1] ELSE format(E'DIFFERENT\noff: %s\non: %s', answers[1], answers[2]) END;
END $$;
CREATE TABLE e (g int, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(12,2), m numeric, b bool, d date, ts timestamp,
  tz timestamptz, t text, v varchar(20), c char(6), u uuid, y bytea, o oid);
INSERT INTO e SELECT g % 7, g % 50 - 20, g % 1000 - 300, g * 1000, g / 4.0, g / 8.0, (g % 100) * 1.25, round((g % 77) * 1.5, g % 4),
  g % 3 = 0, date '2019-12-20' + g % 400, timestamp '1999-12-31 23:00' + g * interval '7 hours 13 minutes 5.25 seconds',
  timestamptz '2020-01-01 00:00+00' + g * interval '1 day', (ARRAY['special request', 'green', 'forest green metal', '', 'naïve café', 'a%b', 'a_b', '100%'])[1 + g % 8] || g % 5,
  'v' || g % 30, (ARRAY['ab', 'ab ', 'abc', 'x'])[1 + g % 4], md5((g % 9)::text)::uuid, decode(md5((g % 4)::text), 'hex'), 4294967290 + g % 6
  FROM generate_series(1, 3000) g;
INSERT INTO e (g) VALUES (1), (NULL);
INSERT INTO e (i4, t, m) VALUES (NULL, repeat('long special text with requests ', 3000), 12345678901234567890.123);
ANALYZE e;

-- CASE: the sums of TPC-H; display scales by group; errors of branches that are not taken
SELECT * FROM testing.expr('SELECT sum(CASE WHEN t LIKE ''%green%'' THEN n * (1 - n) ELSE 0 END) FROM e');
SELECT * FROM testing.expr('SELECT g, sum(CASE WHEN i2 = 3 OR i2 = 4 THEN 1 ELSE 0 END), sum(CASE WHEN i2 <> 3 AND i2 <> 4 THEN 1 ELSE 0 END) FROM e GROUP BY g');
SELECT * FROM testing.expr('SELECT g, sum(CASE WHEN g = 3 THEN n ELSE 0 END) FROM e GROUP BY g');
SELECT * FROM testing.expr('SELECT g, sum(CASE WHEN g = 3 THEN n WHEN g = 4 THEN m END), avg(CASE WHEN b THEN m ELSE 1 END) FROM e WHERE m < 1000 GROUP BY g');
SELECT * FROM testing.expr('SELECT sum(CASE WHEN i2 <> 0 THEN i4 / i2 ELSE -1 END), sum(CASE i2 WHEN 0 THEN 0 ELSE 100 % i2 END) FROM e');
SELECT * FROM testing.expr('SELECT sum(i4 / i2) FILTER (WHERE i2 <> 0), sum(i4 % i2) FILTER (WHERE i2 * 2 > 4) FROM e');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE i2 <> 0 AND i4 / i2 > 3');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE i4 / i2 > 3 AND i2 <> 0');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE CASE WHEN i2 <> 0 THEN i4 / i2 > 3 END');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE i2 = 0 OR i4 / i2 > 3');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE (i4 / i2 > 3) IS NOT TRUE');
SELECT * FROM testing.expr('SELECT CASE WHEN i4 < 0 THEN ''low'' WHEN i4 < 500 THEN t ELSE NULL END, count(*) FROM e WHERE t LIKE ''gr%'' GROUP BY 1');
SELECT * FROM testing.expr('SELECT CASE g WHEN 1 THEN ''one'' WHEN 2 THEN ''two'' ELSE ''many'' END, count(*), max(n) FROM e GROUP BY 1');
SELECT * FROM testing.expr('SELECT CASE WHEN b THEN u END, CASE WHEN b THEN d ELSE date ''2000-01-01'' END, count(*) FROM e WHERE i4 < -290 GROUP BY 1, 2');
SELECT * FROM testing.expr('SELECT coalesce(g, -1), coalesce(b, false), sum(coalesce(n, 0)), sum(coalesce(m, 0.000)) FROM e WHERE m < 1e15 OR m IS NULL GROUP BY 1, 2');
SELECT * FROM testing.expr('SELECT count(nullif(g, 3)), sum(nullif(i4, i2)), count(nullif(t, v)), min(nullif(d, ''2019-12-20'')) FROM e');
SELECT * FROM testing.expr('SELECT sum(coalesce(100 / nullif(i2, 0), 7)) FROM e');
SELECT * FROM testing.expr('SELECT i2 > 5 AND b, count(*), bool_and(i4 > i2), every(t LIKE ''%e%'') FROM e GROUP BY 1');

-- arithmetic and casts; overflow in row order
SELECT * FROM testing.expr('SELECT sum(-i4), sum(abs(i2)), sum(+i8), sum(@ i4), sum(i4 * i2 - i8), sum((i4 > 5)::int) FROM e');
SELECT * FROM testing.expr('SELECT sum(i8::int4), sum(i4::int2), sum(i2::int8 * i4) FROM e');
SELECT * FROM testing.expr('SELECT sum((i8 * 1000)::int4) FROM e');
SELECT * FROM testing.expr('SELECT sum((i4 + 32000)::int2) FROM e');
SELECT * FROM testing.expr('SELECT sum(i4 * 10000000) FROM e');
SELECT * FROM testing.expr('SELECT sum((-2147483648) / (i4 - 1)), sum(i4 % -1) FROM e WHERE i4 BETWEEN -5 AND 0');
SELECT * FROM testing.expr('SELECT sum((-2147483648) / i4) FROM e WHERE i4 = -1');
SELECT * FROM testing.expr('SELECT sum((-2147483648) % i4), sum((-9223372036854775808) % i4::int8) FROM e WHERE i4 = -1');
SELECT * FROM testing.expr('SELECT sum(f8 / (f8 + 1)), sum(i4::float8 * f4::float8 - f8), avg(abs(-f8)), sum(n::float8) FROM e');
SELECT * FROM testing.expr('SELECT sum(1 / f8) FROM e WHERE i4 > 0');
SELECT * FROM testing.expr('SELECT sum(f8 / (f8 - f8)) FROM e');
SELECT * FROM testing.expr('SELECT sum(f8 * 1e308) FROM e');
SELECT * FROM testing.expr('SELECT sum(f8 * 1e-320 * 1e-10) FROM e');
SELECT * FROM testing.expr('SELECT sum(f4 + f4), sum(f4 * 1.5::float4 - f4 / 3::float4), max(abs(-f4)), sum(f4 + f8), sum(f8 / (f4 + 1)), sum(i4::float4), sum(f8::float4) FROM e');
SELECT * FROM testing.expr('SELECT sum(f4 * 3e38::float4) FROM e');
SELECT * FROM testing.expr('SELECT max((f8 * 1e40)::float4) FROM e');
SELECT * FROM testing.expr('SELECT max(1::float4 / (f4 - f4)), min(f4 * 1e-44::float4 * 1e-44::float4) FROM e');
SELECT * FROM testing.expr('SELECT sum(length(t)), sum(octet_length(t)), sum(char_length(c)), sum(length(v)), sum(octet_length(y)), sum(length(CASE WHEN i2 <> 0 THEN t END)) FROM e');
SELECT * FROM testing.expr('SELECT length(t), count(*) FROM e WHERE length(t) > 3 GROUP BY 1');
SELECT * FROM testing.expr('SELECT CASE v WHEN ''v1'' THEN 1 WHEN ''v2'' THEN 2 END, count(*) FROM e GROUP BY 1');
SELECT * FROM testing.expr('SELECT sum(-n), sum(abs(n - 50)), sum(i4::numeric * n), max(n * 2), min(-n), stddev(n + 1) FROM e');
SELECT * FROM testing.expr('SELECT n * 2, count(*) FROM e WHERE n < 5 GROUP BY 1');
SELECT * FROM testing.expr('SELECT sum(m * 1.000), sum(m + n), sum(m * m) FROM e');

-- dates and timestamps
SELECT * FROM testing.expr('SELECT extract(year FROM d), count(*) FROM e GROUP BY 1');
SELECT * FROM testing.expr('SELECT extract(month FROM ts), extract(dow FROM ts), count(*) FROM e WHERE extract(year FROM ts) = 2000 AND extract(quarter FROM ts) IN (1, 4) GROUP BY 1, 2');
SELECT * FROM testing.expr('SELECT sum(extract(day FROM d)), sum(extract(week FROM d)), sum(extract(doy FROM d)), sum(extract(isodow FROM d)), sum(extract(isoyear FROM d)) FROM e');
SELECT * FROM testing.expr('SELECT sum(extract(hour FROM ts)), sum(extract(minute FROM ts)), sum(extract(second FROM ts)), sum(extract(milliseconds FROM ts)), sum(extract(microseconds FROM ts)) FROM e');
SELECT * FROM testing.expr('SELECT sum(date_part(''month'', ts)), sum(date_part(''hour'', ts)), sum(date_part(''day'', d)), sum(date_part(''second'', ts)) FROM e');
SELECT * FROM testing.expr('SELECT extract(epoch FROM d), extract(century FROM ts), count(*) FROM e WHERE i4 < -290 GROUP BY 1, 2');
SELECT * FROM testing.expr('SELECT date_trunc(''month'', ts), date_trunc(''YEARS'', ts), count(*), sum(n) FROM e GROUP BY 1, 2');
SELECT * FROM testing.expr('SELECT date_trunc(''week'', ts), ts::date, max(date_trunc(''hour'', ts)), min(date_trunc(''second'', ts)) FROM e GROUP BY 1, 2');
SELECT * FROM testing.expr('SELECT date_trunc(''quarter'', d::timestamp), max(date_trunc(''minute'', ts)), max(date_trunc(''day'', ts)) FROM e GROUP BY 1');
SELECT * FROM testing.expr('SELECT sum(d - date ''2020-01-01''), max(d + i2), min(d - 7), max(d + 1 - d) FROM e');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE d + 30 > ts AND ts::date <> d AND ts >= date ''2000-03-01'' AND d < timestamp ''2020-06-01 12:00''');
SELECT * FROM testing.expr('SELECT extract(fortnight FROM d) FROM e GROUP BY 1');
SELECT * FROM testing.expr('SELECT date_trunc(''fortnight'', ts) FROM e GROUP BY 1');
-- with time zone: the hours that clocks skip and repeat, midnights that do not exist, zones of odd offsets and of old
CREATE TABLE z (tz timestamptz, d date);
INSERT INTO z SELECT timestamptz '2018-10-20 00:00+00' + g * interval '71 minutes', date '2018-01-01' + g % 900 FROM generate_series(0, 900) g;
INSERT INTO z SELECT timestamptz '1840-01-01 00:00+00' + g * interval '101 days 5 hours 1 second', date '1840-01-01' + g * 101 FROM generate_series(0, 800) g;
ANALYZE z;
SELECT zone, p.by_column, p.result LIKE 'DIFFERENT%' AS differs FROM unnest('{UTC,America/New_York,Europe/Dublin,Asia/Kathmandu,Australia/Lord_Howe,America/Sao_Paulo,Pacific/Apia,Africa/Casablanca,<-0945>9:45}'::text[]) zone,
  LATERAL (SELECT set_config('TimeZone', zone, false)) s(zone_set),
  testing.expr('SELECT tz::date, date_trunc(''day'', tz), date_trunc(''month'', tz), date_trunc(''week'', tz), date_trunc(''hour'', tz), date_trunc(''minute'', tz), extract(hour FROM tz),
    date_part(''dow'', tz), extract(epoch FROM tz), extract(second FROM tz), tz::timestamp, d::timestamptz, date_trunc(''quarter'', d), count(*) FROM z WHERE ' || quote_literal(zone_set) || ' <> '''' GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13') p;
INSERT INTO z VALUES ('infinity', 'infinity'), ('-infinity', '-infinity'), ('4714-11-24 BC', '4714-11-24 BC'), ('294276-12-31 12:00+00', '5874897-12-31'), (NULL, NULL);
SELECT by_column, result LIKE 'DIFFERENT%' AS differs FROM testing.expr('SELECT tz::date, date_trunc(''day'', tz), extract(year FROM tz), date_part(''month'', tz), count(*) FROM z WHERE tz > ''4714-12-31 BC'' GROUP BY 1, 2, 3, 4');
SELECT * FROM testing.expr('SELECT max(d::timestamptz) FROM z');
SELECT * FROM testing.expr('SELECT max(date_trunc(''month'', tz)) FROM z');
DROP TABLE z;
RESET TimeZone;
CREATE TABLE edge (d date, ts timestamp);
INSERT INTO edge VALUES ('infinity', 'infinity'), ('-infinity', '-infinity'), ('4714-11-24 BC', '4714-11-24 00:00 BC'), ('5874897-12-31', '294276-12-31 23:59:59.999999'),
  ('0001-01-01', '0001-01-01'), ('0001-12-31 BC', '0001-12-31 23:00 BC'), ('0044-03-15 BC', '0044-03-15 12:00 BC'), ('2000-02-29', '2000-02-29 00:00:00.000001'), (NULL, NULL);
ANALYZE edge;
SELECT unit, p.by_column, p.result FROM unnest('{year,month,day,quarter,week,isoyear,dow,isodow,doy,decade,epoch}'::text[]) unit,
  testing.expr(format('SELECT extract(%s FROM d), extract(%s FROM ts), date_part(%L, ts), count(*) FROM edge WHERE d <> ''4714-11-24 BC'' GROUP BY 1, 2, 3', unit, unit, unit)) p;
SELECT unit, p.by_column, p.result FROM unnest('{year,quarter,month,week,day,hour,minute,second,decade}'::text[]) unit,
  testing.expr(format('SELECT date_trunc(%L, ts), count(*) FROM edge WHERE ts > ''4714-12-31 BC'' GROUP BY 1', unit)) p;
SELECT * FROM testing.expr('SELECT max(date_trunc(''month'', ts)) FROM edge');
SELECT * FROM testing.expr('SELECT max(date_trunc(''week'', ts)) FROM edge');
SELECT * FROM testing.expr('SELECT ts::date, count(*) FROM edge GROUP BY 1');
SELECT * FROM testing.expr('SELECT max(d::timestamp) FROM edge WHERE d < ''5874897-01-01''');
SELECT * FROM testing.expr('SELECT max(d::timestamp) FROM edge');
SELECT * FROM testing.expr('SELECT max(d + 1), min(d - 1) FROM edge WHERE d > ''0001-12-31 BC'' AND d < ''5874897-12-31''');
SELECT * FROM testing.expr('SELECT max(d + 1) FROM edge');
SELECT * FROM testing.expr('SELECT min(d - 1) FROM edge');
SELECT * FROM testing.expr('SELECT max(d + 2147483647) FROM edge WHERE d = ''2000-02-29''');
SELECT * FROM testing.expr('SELECT max(d - ''2000-01-01''::date) FROM edge WHERE d < ''infinity''');
SELECT op, p.by_column, p.result FROM unnest('{=,<>,<,<=,>,>=}'::text[]) op,
  testing.expr(format('SELECT count(*) FILTER (WHERE d %s ts), count(*) FILTER (WHERE ts %s d), count(*) FILTER (WHERE ts %s date ''infinity''), count(*) FILTER (WHERE ts %s date ''5874897-12-31''), count(*) FILTER (WHERE d %s timestamp ''294276-12-31 23:00'') FROM edge', op, op, op, op, op)) p;
DROP TABLE edge;

-- comparisons
SELECT op, p.by_column, p.result FROM unnest('{=,<>,<,<=,>,>=}'::text[]) op, testing.expr(format(
  'SELECT count(*) FILTER (WHERE i2 %1$s i4), count(*) FILTER (WHERE i8 %1$s i4), count(*) FILTER (WHERE f4 %1$s f8), count(*) FILTER (WHERE f8 %1$s 3::float4), count(*) FILTER (WHERE n %1$s m), count(*) FILTER (WHERE m %1$s 1.5), count(*) FILTER (WHERE b %1$s (i2 > 3)), count(*) FILTER (WHERE y %1$s ''\x1234''), count(*) FILTER (WHERE u %1$s md5(''3'')::uuid), count(*) FILTER (WHERE i4 + i2 %1$s i8 / 100), count(*) FILTER (WHERE n * 2 %1$s m) FROM e', op)) p;
SELECT op, p.by_column, p.result FROM unnest('{=,<>,<,<=,>,>=}'::text[]) op, testing.expr(format(
  'SELECT count(*) FROM e WHERE t COLLATE "C" %1$s ''green2'' AND v COLLATE "C" %1$s ''v7'' AND c COLLATE "C" %1$s ''abc '' OR t COLLATE "C" %1$s v', op)) p;
SELECT op, p.by_column, p.result FROM unnest('{=,<>}'::text[]) op, testing.expr(format(
  'SELECT count(*) FROM e WHERE t %1$s v OR c %1$s ''ab'' OR t %1$s ''green1'' AND u %1$s u', op)) p;
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE i4 BETWEEN SYMMETRIC 50 AND -50 AND d BETWEEN SYMMETRIC ''2021-01-01'' AND ''2020-01-01''');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE i4 IS DISTINCT FROM i2 AND g IS DISTINCT FROM 3 AND n IS DISTINCT FROM NULL');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE g IS NOT DISTINCT FROM nullif(g, 2) OR t IS NOT DISTINCT FROM NULL');
SELECT p.* FROM unnest('{true,false,unknown}'::text[]) w, testing.expr(format('SELECT count(*) FILTER (WHERE b IS %1$s), count(*) FILTER (WHERE b IS NOT %1$s), count(*) FILTER (WHERE (i4 > i2) IS NOT %1$s), count(*) FILTER (WHERE (b AND i4 > 5) IS %1$s) FROM e', w)) p;
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE (i4 + 1) IS NULL OR (n * 2) IS NOT NULL AND coalesce(g, 5) IS NOT NULL');

-- lists
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE g IN (1, 2, NULL) OR i4 NOT IN (1, 2, 3)');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE NOT (g NOT IN (1, 2, NULL))');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE i4 IN (1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, -5)');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE t IN (''green1'', ''a%b2'', ''naïve café3'', ''none'') OR v NOT IN (''v1'', ''v2'', ''v3'') AND c IN (''ab'', ''x'')');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE d IN (''2020-01-01'', ''2020-01-02'') OR ts IN (''2000-01-01 06:13:05.25'') OR n IN (1.25, 2.5, 3.750, 1e20, ''NaN'') OR m IN (1.5, 4.50000000000000000000000001, 12345678901234567890.1230)');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE f8 IN (0.125, 1, ''NaN'') OR f4 NOT IN (1, 2) AND u IN (md5(''1'')::uuid, md5(''2'')::uuid) OR b IN (true) OR o IN (4294967295, 1)');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE g = ANY (''{}'') OR NOT (g = ANY (''{}''::int[]))');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE (g <> ALL (''{}''::int[])) IS NOT TRUE OR g = ANY (NULL::int[])');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE i4 % 10 IN (1, 2) AND extract(month FROM d) NOT IN (1, 2, 12)');

-- LIKE
SELECT pattern, p.by_column, p.result FROM unnest(ARRAY['green%', '%green%', '%3', '%', '', 'green1', '%special%requests%', '%special%request_', 'a\%b%', 'a\_b_', '100\%%', '%na_ve%', '%é%', '%\\%', 'g%n%1', '%%e%%', '_', '%green%green%', 'gr%een1%', '%t1', '\g\r\een1']) pattern,
  testing.expr(format('SELECT count(*) FILTER (WHERE t LIKE %1$L), count(*) FILTER (WHERE t NOT LIKE %1$L), count(*) FILTER (WHERE c LIKE %1$L), count(*) FILTER (WHERE v LIKE %1$L) FROM e', pattern)) p;
SELECT * FROM testing.scan('SELECT count(*) FROM e WHERE t LIKE ''abc\''');
SELECT * FROM testing.scan('SELECT count(*) FROM e WHERE t LIKE ''%e\''');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE t LIKE ''a!%b%'' ESCAPE ''!''');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE t ^@ ''green'' OR starts_with(v, ''v1'') OR t ^@ ''''');
SELECT * FROM testing.expr('SELECT t LIKE ''%green%'', count(*) FROM e GROUP BY 1');
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE coalesce(t, '''') NOT LIKE ''%special%request%'' AND CASE WHEN b THEN t ELSE v END LIKE ''%1%''');

-- what has one value in a statement is worked out once, by the first row that comes to it
SELECT qual, p.by_column, p.result FROM unnest(ARRAY['ts < now() - interval ''1 day''', 'current_date - 30 > d', 'd >= date_trunc(''year'', now())', 'tz > timestamp ''2022-05-01'' + interval ''36 hours''', 'tz <= date ''2021-12-31''',
  'ts >= timestamptz ''2000-03-26 12:00+00''', 'd <> timestamptz ''2020-02-29 08:00+00''', 'd < tz', 'tz >= ts', 'ts IS DISTINCT FROM timestamptz ''2000-01-01 06:13:05.25-08''', 'NOT (tz < date ''2024-01-01'' AND d > timestamptz ''2020-05-05 00:00+02'')',
  'i4 < 10 * ascii(''a'')', 'n < 5 * 1.25']) qual, testing.expr(format('SELECT count(*), min(i8) FROM e WHERE %s', qual)) p;
SELECT * FROM testing.expr('SELECT min(current_date - d) > 1000, max(extract(year FROM now())) > 2020, count(*) FILTER (WHERE CASE WHEN d > current_date THEN b ELSE ts < localtimestamp END), max(coalesce(tz, now())) < now() + interval ''10 years'' FROM e');
SET timezone = 'Europe/Berlin';
SELECT * FROM testing.expr('SELECT count(*) FILTER (WHERE ts < timestamptz ''2000-03-26 01:30+00''), count(*) FILTER (WHERE tz < timestamp ''2020-03-29 02:30'') FROM e WHERE ts > timestamptz ''2000-03-26 00:59+00'' - interval ''90 days'' AND tz > date ''2020-03-29''');
RESET timezone;
SET plan_cache_mode = force_generic_plan;
PREPARE q(timestamptz, interval, int) AS SELECT count(*), min(i8) FROM e WHERE i4 > $3 AND tz > $1 - $2 AND ts < $1 + $2;
PREPARE either(timestamptz, interval, int) AS SELECT count(*), min(i8) FROM e WHERE i4 > $3 OR ts < $1 - $2;
PREPARE later(timestamptz, interval, int) AS SELECT count(*), sum(i4 / i2) FROM e WHERE i4 / (i2 - $3) > 0 AND ts < $1 - $2;
SELECT testing.by_column('EXECUTE q(now(), ''1 day'', 1)'), testing.by_column('EXECUTE either(now(), ''1 day'', 1)'), testing.by_column('EXECUTE later(now(), ''1 day'', 1)');
SELECT call, p.ours, p.result FROM unnest(ARRAY['q(''2026-01-01 00:00+00'', ''1 year'', 5)', 'q(''2026-01-01 00:00+00'', ''400000 years'', 5)', 'q(''2026-01-01 00:00+00'', ''400000 years'', 50000)', 'q(NULL, ''1 year'', 5)',
  'either(''2026-01-01 00:00+00'', ''400000 years'', 5)', 'either(''2026-01-01 00:00+00'', ''400000 years'', -50000)', 'later(''2026-01-01 00:00+00'', ''400000 years'', 7)', 'later(''2026-01-01 00:00+00'', ''1 year'', 77)',
  'later(''2026-01-01 00:00+00'', ''400000 years'', 77)']) call, testing.executed(call) p;
DEALLOCATE ALL;
RESET plan_cache_mode;
-- AT TIME ZONE and date_trunc() in a zone that is named; abbreviations and offsets are core's
SELECT zone, p.by_column, p.result FROM unnest(ARRAY['Europe/Berlin', 'america/new_york', 'Australia/Lord_Howe', 'utc', 'Etc/GMT+5', 'EST', '+3', 'No/Such', NULL]) zone,
  testing.expr(format('SELECT (tz AT TIME ZONE %1$L)::date, min(tz AT TIME ZONE %1$L), max(date_trunc(''week'', tz, %1$L)) FROM e WHERE date_trunc(''month'', tz AT TIME ZONE %1$L) > ''2020-03-01'' GROUP BY 1', zone)) p;
SELECT * FROM testing.expr('SELECT extract(hour FROM tz AT TIME ZONE ''Asia/Kolkata''), count(*), sum(extract(epoch FROM date_trunc(''day'', tz, ''America/Sao_Paulo''))) FROM e GROUP BY 1');
-- rounding and casts: by the rules of numeric and of floats; what does not fit is core's
SELECT call, p.by_column, p.result FROM unnest(ARRAY['round(m)', 'round(m, 1)', 'round(m, -1)', 'round(-m, 25)', 'round(n, i2)', 'trunc(m)', 'trunc(-m, 2)', 'trunc(m, -2)', 'ceil(m)', 'ceiling(-m)', 'floor(m)',
  'floor(-m)', 'm::numeric(12, 1)', '(-n)::numeric(8)', 'm::numeric(40, 20)', 'n::numeric(7, -2)', 'm::int2', '(-m)::int4', 'n::int8', 'm::real', 'f4::int2', '(f4 - 300.5)::int4', 'f4::int8', 'f8::int2', '(f8 - 20.5)::int4', '(f8 * 1e9)::int8',
  'round(f8)', 'ceil(-f8)', 'floor(f8)', 'trunc(-f8)', 'm % 7', '-n % 0.30', 'm % 1e3', 'm + 1.0000000000000000000000']) call,
  testing.expr(format('SELECT g, sum(%1$s), count(*) FILTER (WHERE %1$s > 5), min(%1$s), max(%1$s) FROM e WHERE m < 1000 GROUP BY g', call)) p;
SELECT p.* FROM unnest(ARRAY['m % (i2 * 1.0)', '(m * 100)::int2', '(f8 * 100)::int2', '(f4 * 1e30)::int8', '(n * 1000)::numeric(5, 2)', 'm::numeric(3, 5)', '(f8 - f8 / f8 * ''Infinity''::float8)::int4']) call, testing.expr(format('SELECT sum(%s) FROM e WHERE i4 > 0', call)) p;
SELECT * FROM testing.expr('SELECT round(n, 1), ceil(m), count(*) FROM e WHERE trunc(m) <> 5 GROUP BY 1, 2');
SELECT * FROM testing.expr('SELECT i2 & 3, (i4 | 1) # i2, count(*), sum(~i8), max(i8 & -i8) FROM e WHERE i4 & 4 = 4 AND ~i2 < 0 GROUP BY 1, 2');
-- GREATEST, LEAST: nulls are passed over, the first of equals is taken with its display scale
SELECT call, p.by_column, p.result FROM unnest(ARRAY['greatest(i2, g)', 'least(i4, i8, 5)', 'greatest(n, m)', 'least(m, n, 1.50000)', 'greatest(f8, 100.5)', 'least(f8, ''NaN'')', 'greatest(n, NULL)', 'least(g)', 'greatest(n * 2, round(m), n)',
  'least(1.0, 1.00, n)']) call, testing.expr(format('SELECT g, sum(%1$s), min(%1$s), max(%1$s), count(%1$s) FROM e WHERE m < 1000 OR m IS NULL GROUP BY g', call)) p;
SELECT * FROM testing.expr('SELECT greatest(d, ts::date, ''2020-02-01''), least(ts, d + 1), count(*), max(greatest(tz, ''2022-01-01 00:00+00'')) FROM e GROUP BY 1, 2');
SELECT * FROM testing.expr('SELECT sum(least(100 / i2, 7)) FROM e');
SELECT * FROM testing.expr('SELECT greatest(t, v), count(*) FROM e GROUP BY 1');

-- quals in core's order: what comes first hides the errors of what comes later
SELECT * FROM testing.expr('SELECT count(*) FROM e WHERE i2 > 0 AND 100 / i2 > 1 AND i4 / (i2 - 5) > 0');
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM e WHERE i2 <> 0;
SELECT * FROM testing.expr('SELECT count(*), sum(100 / i2) FROM barrier WHERE 100 / i2 > 3');
DROP VIEW barrier;
-- parameters and rescans
SELECT * FROM testing.expr('SELECT sum((SELECT count(*) FROM e WHERE i4 + 1 > x AND g IN (x, x + 1) AND CASE WHEN i2 > x THEN b END)) FROM generate_series(1, 5) x');
SET plan_cache_mode = force_generic_plan;
PREPARE q(int, numeric, int[], text) AS SELECT sum(CASE WHEN i4 > $1 THEN n ELSE $2 END), sum(coalesce(n, $2)) FROM e WHERE g = ANY ($3) AND t <> $4;
SET millrace.scan = off;
EXECUTE q(100, 1.000, '{1,2,3}', 'green1');
EXECUTE q(NULL, NULL, '{1,NULL}', 'x');
EXECUTE q(1, 1, NULL, 'x');
DEALLOCATE q;
SET millrace.scan = on;
PREPARE q(int, numeric, int[], text) AS SELECT sum(CASE WHEN i4 > $1 THEN n ELSE $2 END), sum(coalesce(n, $2)) FROM e WHERE g = ANY ($3) AND t <> $4;
SELECT testing.by_column('EXECUTE q(1, 1, NULL, ''x'')');
EXECUTE q(100, 1.000, '{1,2,3}', 'green1');
EXECUTE q(NULL, NULL, '{1,NULL}', 'x');
EXECUTE q(1, 1, NULL, 'x');
DEALLOCATE q;
RESET plan_cache_mode;
-- what calls of kernels stand in for must be allowed
REVOKE EXECUTE ON FUNCTION textlike(text, text) FROM public;
CREATE ROLE regress_scan_like;
GRANT SELECT ON e TO regress_scan_like;
GRANT USAGE ON SCHEMA testing TO regress_scan_like;
SET ROLE regress_scan_like;
SELECT * FROM testing.scan('SELECT count(*) FROM e WHERE t LIKE ''%green%''');
RESET ROLE;
GRANT EXECUTE ON FUNCTION textlike(text, text) TO public;
REVOKE ALL ON e FROM regress_scan_like;
REVOKE USAGE ON SCHEMA testing FROM regress_scan_like;
DROP ROLE regress_scan_like;
DROP FUNCTION testing.expr(text), testing.by_column(text), testing.executed(text);
DROP TABLE e;

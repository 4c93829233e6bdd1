-- Helpers of the scan_* cases: each query runs with millrace.scan off, then on.
LOAD 'millrace';
SET max_parallel_workers_per_gather = 0;

-- The rows of a query as text, in order of the text; or its error.
CREATE FUNCTION testing.rows(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE out text;
BEGIN
  EXECUTE format('SELECT string_agg(r, E''\n'' ORDER BY r) FROM (SELECT q::text AS r FROM (%s) q) s', query) INTO out;
  RETURN out;
EXCEPTION WHEN OTHERS THEN
  RETURN format('ERROR %s: %s', SQLSTATE, SQLERRM);
END $$;

CREATE FUNCTION testing.planned(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    IF line LIKE '%MillraceAgg%' THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

-- ours: a MillraceAgg was planned. The result is shown when both agree, else both are.
CREATE FUNCTION testing.scan(query text, OUT ours boolean, OUT result text) LANGUAGE plpgsql AS $$
DECLARE fast text;
BEGIN
  PERFORM set_config('millrace.scan', 'off', true);
  result := testing.rows(query);
  PERFORM set_config('millrace.scan', 'on', true);
  ours := testing.planned(query);
  fast := testing.rows(query);
  IF fast IS DISTINCT FROM result THEN
    result := format(E'DIFFERENT\noff: %s\non: %s', result, fast);
  ELSIF length(result) > 300 THEN
    result := format('%s bytes, md5 %s', length(result), md5(result));
  END IF;
END $$;

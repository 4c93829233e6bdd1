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

-- The custom scans in a query's plan.
CREATE FUNCTION testing.nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; found text[] := '{}';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
    IF line ~ 'Millrace' THEN found := found || substring(line FROM 'Millrace(\w+)'); END IF;
  END LOOP;
  RETURN coalesce(nullif(array_to_string(found, ', '), ''), 'core');
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

-- As testing.scan(), but rows must also come in the same order.
CREATE FUNCTION testing.in_order(query text, OUT nodes text, OUT result text) LANGUAGE plpgsql AS $$
DECLARE fast text; r record;
BEGIN
  FOR i IN 0..1 LOOP
    PERFORM set_config('millrace.scan', CASE i WHEN 0 THEN 'off' ELSE 'on' END, true);
    fast := '';
    BEGIN
      FOR r IN EXECUTE query LOOP fast := fast || r::text || E'\n'; END LOOP;
    EXCEPTION WHEN OTHERS THEN
      fast := format('ERROR %s: %s', SQLSTATE, SQLERRM);
    END;
    IF i = 0 THEN result := fast; END IF;
  END LOOP;
  nodes := testing.nodes(query);
  IF fast IS DISTINCT FROM result THEN
    result := format(E'DIFFERENT\noff: %s\non: %s', result, fast);
  ELSIF length(result) > 200 THEN
    result := format('%s bytes, md5 %s', length(result), md5(result));
  END IF;
END $$;

-- EXPLAIN without what differs from run to run.
CREATE FUNCTION testing.explained(query text, options text DEFAULT 'ANALYZE, COSTS off, TIMING off, SUMMARY off')
  RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  IF options ~ 'ANALYZE' AND options !~ 'BUFFERS' THEN
    options := options || ', BUFFERS off'; -- on by itself since 18
  END IF;
  FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
    line := regexp_replace(line, '((All-Visible|Checked)\D*)\d+', '\1N', 'g');
    line := regexp_replace(line, '(Memory: |Space Used": )\d+', '\1N');
    line := regexp_replace(line, '(rows=|Rows": )(\d+)\.00', '\1\2', 'g'); -- since 18
    line := regexp_replace(line, '\n *["<]?Disabled[^\n]*', '', 'g');
    RETURN NEXT line;
  END LOOP;
END $$;

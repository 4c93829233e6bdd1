-- Helpers of the other cases. Each load is done with millrace off, then on, and
-- what is seen must be the same; the printed result is the one with millrace off.
CREATE SCHEMA testing;
GRANT USAGE ON SCHEMA testing TO public;

-- Bytes to be loaded: text with escapes \n \r \t \\ \xHH.
CREATE FUNCTION testing.bytes(input text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(string_agg(CASE WHEN part[1] LIKE '\\x__' THEN decode(substr(part[1], 3), 'hex')
                                  WHEN part[1] = '\n' THEN '\x0a' WHEN part[1] = '\r' THEN '\x0d'
                                  WHEN part[1] = '\t' THEN '\x09' WHEN part[1] = '\\' THEN '\x5c'
                                  ELSE convert_to(part[1], 'UTF8') END, ''::bytea ORDER BY n), ''::bytea)
  FROM regexp_matches(input, '\\x[0-9a-fA-F]{2}|\\.|[^\\]+|\\', 'g') WITH ORDINALITY AS m (part, n) $$;

CREATE FUNCTION testing.file() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS
$$ SELECT current_setting('data_directory') || '/millrace_test_' || current_database() || '.data' $$;

CREATE FUNCTION testing.write(data bytea) RETURNS void LANGUAGE plpgsql AS $$
DECLARE o oid := lo_from_bytea(0, data);
BEGIN PERFORM lo_export(o, testing.file()); PERFORM lo_unlink(o); END $$;

-- n lines, each the value of an SQL expression of g = 1 to n.
CREATE FUNCTION testing.lines(expression text, n int) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE data text;
BEGIN
  EXECUTE format($q$SELECT string_agg(%s || E'\n', '' ORDER BY g) FROM generate_series(1, %s) g$q$, expression, n) INTO data;
  RETURN convert_to(data, 'UTF8');
END $$;

-- One COPY into an emptied table: what it did, as lines.
CREATE FUNCTION testing.one(on_ boolean, target text, options text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint; out text; message text; detail text; hint text; context text; state text;
        relation text := regexp_replace(target, '[ (].*', '');
BEGIN
  PERFORM set_config('millrace.copy', on_::text, true);
  BEGIN
    EXECUTE 'TRUNCATE ' || relation || ' RESTART IDENTITY CASCADE';
    EXECUTE format('COPY %s FROM %L %s', target, testing.file(), options);
    GET DIAGNOSTICS n = ROW_COUNT;
    EXECUTE format($q$SELECT CASE WHEN count(*) <= 12 THEN string_agg(E'\n' || t::text, '' ORDER BY tableoid::regclass::text, ctid)
      ELSE format(E'\n%%s rows, md5 %%s', count(*), md5(string_agg(t::text, E'\n' ORDER BY tableoid::regclass::text, t::text))) END FROM %s t$q$,
      relation) INTO out;
    out := format('COPY %s%s', n, out);
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT,
      context = PG_EXCEPTION_CONTEXT, state = RETURNED_SQLSTATE;
    context := regexp_replace(context, E'(^|\n)(SQL statement "(COPY|TRUNCATE)|PL/pgSQL function (testing\\.)?one\\().*', '');
    out := concat_ws(E'\n', format('ERROR %s: %s', state, message), 'DETAIL: ' || nullif(detail, ''), 'HINT: ' || nullif(hint, ''),
                     'CONTEXT: ' || nullif(context, ''));
    out := replace(out, testing.file(), 'FILE');
  END;
  RETURN out;
END $$;

-- Loads the bytes into target ("table" or "table (columns)") with millrace off and on.
CREATE FUNCTION testing.load(data bytea, target text DEFAULT 't', options text DEFAULT '', OUT path text, OUT result text)
  LANGUAGE plpgsql AS $$
DECLARE fast text;
BEGIN
  PERFORM testing.write(data);
  result := testing.one(false, target, options);
  fast := testing.one(true, target, options);
  SELECT CASE WHEN result LIKE 'ERROR%' THEN 'error' ELSE concat_ws(': ', l.path, l.reason) END INTO path FROM millrace.last_copy() l;
  IF fast IS DISTINCT FROM result THEN result := E'DIFFERENT\n- off ' || result || E'\n- on ' || fast; END IF;
END $$;
CREATE FUNCTION testing.load(input text, target text DEFAULT 't', options text DEFAULT '', OUT path text, OUT result text)
  LANGUAGE sql AS $$ SELECT (testing.load(testing.bytes(input), target, options)).* $$;

-- Every value, one column t.v, one COPY each: for spellings of a type.
CREATE FUNCTION testing.spellings(type text, VARIADIC inputs text[]) RETURNS TABLE (input text, path text, result text)
  LANGUAGE plpgsql AS $$
DECLARE l record;
BEGIN
  EXECUTE format('CREATE TEMP TABLE spelled (v %s)', type);
  FOREACH input IN ARRAY inputs LOOP
    -- a first row, so that the second is not the one that core's reader always takes
    SELECT * INTO l FROM testing.load(convert_to(format(E'\\N\n%s\n\\N\n', replace(input, '\', '\\')), 'UTF8'), 'spelled');
    path := l.path;
    result := regexp_replace(regexp_replace(l.result, E'^COPY 3\n\\(\\)\n(.*)\n\\(\\)$', '\1'), E'\n.*', '');
    IF l.result LIKE 'DIFFERENT%' THEN result := l.result; END IF;
    RETURN NEXT;
  END LOOP;
  DROP TABLE spelled;
END $$;

-- Privileges, row-level security, read-only transactions, files and programs that fail
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int, b text);
CREATE ROLE millrace_writer;
GRANT INSERT (a) ON t TO millrace_writer;
GRANT SELECT ON t TO millrace_writer;
CREATE FUNCTION as_writer(target text, mode boolean) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('millrace.copy', mode::text, true), set_config('role', 'millrace_writer', true);
  EXECUTE format('COPY %s FROM %L', target, testing.file());
  PERFORM set_config('role', 'none', true);
  RETURN 'loaded';
EXCEPTION WHEN OTHERS THEN
  RETURN concat_ws(': ', SQLSTATE, SQLERRM);
END $$;
SELECT testing.write(testing.bytes('1\n'));
-- who may not read files
SELECT m, as_writer('t (a)', m) FROM unnest('{f,t}'::bool[]) m;
GRANT pg_read_server_files TO millrace_writer;
-- who may write one column
SELECT target, m, as_writer(target, m) FROM unnest('{t (a),t (b),t,nosuch,t (nosuch)}'::text[]) target, unnest('{f,t}'::bool[]) m;
GRANT INSERT ON t TO millrace_writer;
SELECT m, as_writer('t (b)', m) FROM unnest('{f,t}'::bool[]) m;
-- row-level security refuses COPY FROM, except to those it does not apply to
ALTER TABLE t ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON t USING (true);
SELECT m, as_writer('t (b)', m) FROM unnest('{f,t}'::bool[]) m;
SELECT * FROM load('1\tx\n');
-- read-only
SELECT testing.file() AS file \gset
BEGIN READ ONLY;
COPY t FROM :'file';
ROLLBACK;
SET millrace.copy = off;
BEGIN READ ONLY;
COPY t FROM :'file';
ROLLBACK;
-- files and programs that are not there
COPY t FROM '/nonexistent/file';
COPY t FROM 'relative/file';
COPY t FROM '/';
COPY t FROM PROGRAM 'exit 3';
COPY t (a) FROM PROGRAM 'echo 1; exit 4';
SET millrace.copy = on;
COPY t FROM '/nonexistent/file';
COPY t FROM 'relative/file';
COPY t FROM '/';
COPY t FROM PROGRAM 'exit 3';
COPY t (a) FROM PROGRAM 'echo 1; exit 4';
COPY t (a) FROM PROGRAM 'echo 1; echo 2';
DROP FUNCTION as_writer;
DROP TABLE t;
REVOKE pg_read_server_files FROM millrace_writer;
DROP ROLE millrace_writer;

-- COPY ... (FORMAT text): fields, escapes, NULL, delimiters
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int, b text, c date);
SELECT * FROM load('1\tone\t2001-02-03\n2\ttwo\t2001-02-04\n3\t\\N\t\\N\n');
-- escapes of every kind
SELECT * FROM load('1\t\\b\\f\\n\\r\\t\\v\\\\\t\\N\n2\t\\x41\\x4a\\101\\60\t\\N\n3\ta\\\tb\\q\t\\N\n');
SELECT * FROM load('1\ta\n');
SELECT * FROM load('1\ta\t\\N\t\n');
-- a backslash before a newline belongs to the data
SELECT * FROM load('1\ta\\\nb\t\\N\n2\tx\t\\N\n');
-- \N with more around it is no NULL
SELECT * FROM load('1\t\\N \t\\N\n2\tx\\N\t\\N\n3\t\\\\N\t\\N\n');
SELECT * FROM load('1|one|2001-02-03\n2|\\||\\N\n', 't', '(DELIMITER ''|'')');
SELECT * FROM load('1\tNULL\tNULL\n2\tnull\tNULL\n', 't', '(NULL ''NULL'')');
SELECT * FROM load('1\t\t\n2\tx\t\n', 't', '(NULL '''')');
-- the old syntax
SELECT * FROM load('1;one;-\n2;-;-\n', 't', 'DELIMITER AS '';'' NULL AS ''-''');
-- a column list, in another order
SELECT * FROM load('x\t1\ny\t2\n', 't (b, a)');
SELECT * FROM load('', 't');
-- missing, extra, and broken fields, at the line they stand in
SELECT * FROM load('1\ta\t\\N\n2\tb\n3\tc\t\\N\n');
SELECT * FROM load('1\ta\t\\N\n2\tb\t\\N\tmore\n');
SELECT * FROM load('1\ta\t\\N\n2x\tb\t\\N\n3y\tc\t\\N\n');
SELECT * FROM load('1\ta\t2001-02-30\n');
SELECT * FROM load('\n');
-- invalid bytes that escapes make
SELECT * FROM load('1\t\\xff\t\\N\n');
SELECT * FROM load('1\t\\xc3\\xa9\t\\N\n');
SELECT * FROM load('1\ta\\000b\t\\N\n');
-- many rows: whole pages
SELECT * FROM load(lines($$ format(E'%s\tline %s\t%s', g, repeat('x', g % 50), date '2000-01-01' + g) $$, 20000));
SELECT * FROM load(lines($$ format(E'%s\tl\\tne %s\t%s', g, repeat('\x41', g % 5), CASE WHEN g % 3 = 0 THEN '\N' ELSE '2001-1-1' END) $$, 20000));
SELECT * FROM load(lines($$ format(E'%s\tline\t%s', g, CASE WHEN g = 17777 THEN 'oops' ELSE '2001-01-01' END) $$, 20000));
-- lines longer than any buffer
SELECT path, left(result, 40) FROM load(convert_to(E'1\t' || repeat('0123456789', 300000) || E'\t\\N\n2\tx\t\\N\n', 'UTF8'));
SELECT path, left(result, 120) FROM load(convert_to(E'1\tx\t\\N\n2\t' || repeat('0123456789', 300000) || E'\tbad\n', 'UTF8'));
DROP TABLE t;

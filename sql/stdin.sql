-- COPY FROM STDIN in scripts, as pg_dump writes it
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int, b text);
SET millrace.copy = off;
COPY t FROM stdin;
1	off
\.
SET millrace.copy = on;
COPY t FROM stdin;
1	on
2	tab\there
\N	\N
\.
COPY t (b, a) FROM STDIN WITH (FORMAT csv, HEADER);
b,a
"x
y",1
"y, ""z""",2
\.
COPY t FROM STDIN CSV;
\.
-- errors, and the lines after them
COPY t FROM STDIN;
3	ok
oops	bad
4	never
\.
COPY t FROM STDIN (FORMAT csv);
3,a,b
\.
SELECT * FROM t;
\copy t from program 'printf "7\\tseven\\n"'
SELECT count(*) FROM t;
DROP TABLE t;
-- last: some psqls take what follows a COPY that fails at once for its data
COPY nosuch FROM STDIN;

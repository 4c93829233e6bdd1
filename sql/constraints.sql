-- NOT NULL, CHECK, unique and exclusion constraints, foreign keys, indexes of every kind
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int NOT NULL, b text CHECK (b <> 'bad'), c int CHECK (c > 0), CHECK (a < c OR c IS NULL));
SELECT * FROM load('1\tx\t2\n2\ty\t\\N\n');
SELECT * FROM load('1\tx\t2\n\\N\ty\t3\n');
SELECT * FROM load('1\tx\t2\n2\tbad\t3\n');
SELECT * FROM load('1\tx\t2\n2\ty\t0\n');
SELECT * FROM load('1\tx\t2\n5\ty\t3\n6\tbad\toops\n');
SELECT * FROM load('x\n', 't (b)');
SELECT * FROM load(lines($$ format(E'%s\t%s\t%s', g, CASE WHEN g = 4500 THEN 'bad' END, g + 1) $$, 5000));
-- the first error in the order of the lines wins, whatever its kind
SELECT * FROM load('1\tx\t2\n2\tbad\t3\noops\ty\t3\n');
SELECT * FROM load('1\tx\t2\noops\ty\t3\n2\tbad\t3\n');
-- unique
CREATE TABLE u (a int PRIMARY KEY, b text UNIQUE);
SELECT * FROM load('3\tx\n1\ty\n2\tz\n', 'u');
SELECT * FROM load('1\tx\n2\ty\n1\tz\n', 'u');
SELECT * FROM load('1\tx\n\\N\ty\n', 'u');
SELECT * FROM load('1\tx\n2\tx\n', 'u');
SELECT * FROM load(lines($$ format(E'%s\tv%s', (g * 7919) % 5000, g) $$, 5000), 'u');
SELECT * FROM load(lines($$ format(E'%s\tv%s', g % 4900, g) $$, 5000), 'u');
ALTER TABLE u ADD CONSTRAINT later UNIQUE (b) DEFERRABLE INITIALLY DEFERRED;
SELECT * FROM load('1\tx\n2\ty\n', 'u');
-- exclusion, and other access methods
CREATE TABLE x (r int4range, EXCLUDE USING gist (r WITH &&));
SELECT * FROM load('[1,5)\n[5,9)\n', 'x');
SELECT * FROM load('[1,5)\n[4,9)\n', 'x');
CREATE TABLE i (a int, b text, c int[], d point);
CREATE INDEX ON i USING hash (b);
CREATE INDEX ON i USING gin (c);
CREATE INDEX ON i USING gist (d);
CREATE INDEX ON i USING spgist (d);
CREATE INDEX ON i USING brin (a);
CREATE INDEX ON i (lower(b)) WHERE a > 10;
SELECT * FROM load(lines($$ format(E'%s\tV%s\t{%s,%s}\t(%s,%s)', g, g, g, g % 7, g, -g) $$, 3000), 'i');
SET enable_seqscan = off;
SELECT count(*) FROM i WHERE b = 'V77';
SELECT count(*) FROM i WHERE c @> '{3}';
SELECT count(*) FROM i WHERE lower(b) = 'v2000' AND a > 10;
SELECT count(*) FROM i WHERE d <@ box '(100,-50),(50,-100)';
RESET enable_seqscan;
-- an index expression that fails
CREATE TABLE e (a int);
CREATE INDEX ON e ((10 / a));
SELECT * FROM load('1\n0\n', 'e');
-- foreign keys
CREATE TABLE parent (k int PRIMARY KEY);
INSERT INTO parent VALUES (1), (2);
CREATE TABLE child (k int REFERENCES parent, v text);
SELECT * FROM load('1\ta\n2\tb\n\\N\tc\n', 'child');
SELECT * FROM load('1\ta\n3\tb\n', 'child');
CREATE TABLE late (k int REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
BEGIN;
SELECT testing.write(testing.bytes('3\n'));
SELECT testing.file() AS file \gset
COPY late FROM :'file';
COMMIT;
CREATE TABLE self (k int PRIMARY KEY, up int REFERENCES self);
SELECT * FROM load('1\t2\n2\t1\n', 'self');
SELECT * FROM load('1\t2\n2\t9\n', 'self');
DROP TABLE t, u, x, i, e, child, late, parent, self;
-- what a row's expressions leave in memory goes away with the row, not with its batch
CREATE FUNCTION memory_is_small() RETURNS boolean LANGUAGE sql AS
  'SELECT sum(total_bytes) < 100000000 FROM pg_backend_memory_contexts';
CREATE TABLE wasteful (a int CHECK (length(repeat('x', a + 1000000)) > 0) CHECK (a % 100 <> 99 OR memory_is_small()));
SELECT * FROM load(lines('g', 3000), 'wasteful');
DROP TABLE wasteful;
DROP FUNCTION memory_is_small;

-- Savepoints, FREEZE, cursors, functions, two-phase commit
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int, b text);
SELECT testing.write(lines($$ format(E'%s\tv%s', g, g) $$, 3000));
SELECT testing.file() AS file \gset
-- a COPY rolled back leaves nothing, and the next one goes on
BEGIN;
COPY t FROM :'file';
SAVEPOINT s;
COPY t FROM :'file';
SELECT count(*) FROM t;
ROLLBACK TO s;
SELECT count(*) FROM t;
COPY t FROM :'file' WHERE a <= 10;
RELEASE s;
COMMIT;
SELECT count(*), count(DISTINCT a), count(DISTINCT xmin::text) FROM t;
-- a cursor opened before sees nothing of it
TRUNCATE t;
BEGIN;
INSERT INTO t VALUES (-1, 'before');
DECLARE c CURSOR FOR SELECT count(*) FROM t;
COPY t FROM :'file';
FETCH c;
SELECT count(*), count(DISTINCT cmin::text) AS commands FROM t;
COMMIT;
-- FREEZE
COPY t FROM :'file' (FREEZE);
BEGIN;
TRUNCATE t;
COPY t FROM :'file' (FREEZE);
SAVEPOINT s;
COPY t FROM :'file' (FREEZE);
ROLLBACK TO s;
COMMIT;
CREATE EXTENSION pg_visibility;
SELECT bool_and(all_visible) AS all_visible, bool_and(all_frozen) AS all_frozen, bool_and(pd_all_visible) AS flag FROM pg_visibility('t');
SELECT count(*) FROM pg_check_frozen('t');
SELECT count(*) FROM pg_check_visible('t');
BEGIN;
CREATE TABLE fresh (a int, b text);
COPY fresh FROM :'file' (FREEZE);
COMMIT;
SELECT bool_and(all_frozen) FROM pg_visibility('fresh');
VACUUM fresh;
SELECT count(*) FROM fresh;
-- in functions, in DO, caught errors
DO $$ BEGIN EXECUTE format('COPY t FROM %L', testing.file()); RAISE NOTICE 'then %', (SELECT count(*) FROM t); END $$;
DO $$ BEGIN EXECUTE format('COPY t (b, a) FROM %L', testing.file()); EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught % %', SQLSTATE, SQLERRM; END $$;
CREATE FUNCTION loads() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint; BEGIN EXECUTE format('COPY t FROM %L', testing.file()); GET DIAGNOSTICS n = ROW_COUNT; RETURN n; END $$;
SELECT loads() FROM generate_series(1, 3);
SELECT count(*) FROM t;
CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$
BEGIN FOR i IN 1..3 LOOP EXECUTE format('COPY t FROM %L', testing.file()); COMMIT; END LOOP; END $$;
CALL commits();
SELECT count(*) FROM t;
-- two-phase commit
BEGIN;
COPY t FROM :'file';
PREPARE TRANSACTION 'loaded';
SELECT count(*) FROM t;
COMMIT PREPARED 'loaded';
SELECT count(*) FROM t;
BEGIN;
TRUNCATE t;
COPY t FROM :'file';
PREPARE TRANSACTION 'loaded';
ROLLBACK PREPARED 'loaded';
SELECT count(*) FROM t;
-- dropped in the transaction that loaded it; altered after
BEGIN;
CREATE TABLE gone (a int, b text);
COPY gone FROM :'file';
DROP TABLE gone;
COMMIT;
BEGIN;
COPY fresh FROM :'file';
ALTER TABLE fresh ADD COLUMN c int DEFAULT 3;
CREATE INDEX ON fresh (a);
SELECT sum(a), sum(c) FROM fresh;
COMMIT;
-- statistics
SELECT pg_stat_force_next_flush();
SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'fresh';
DROP TABLE t, fresh;
DROP FUNCTION loads;
DROP PROCEDURE commits;
DROP EXTENSION pg_visibility;

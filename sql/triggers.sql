-- Triggers of every kind, and what they see
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int, b text);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % % sees % rows%', TG_NAME, TG_WHEN, TG_LEVEL, (SELECT count(*) FROM t), CASE WHEN TG_LEVEL = 'ROW' THEN ', new ' || NEW::text ELSE '' END;
  RETURN CASE WHEN TG_LEVEL = 'ROW' THEN NEW END;
END $$;
CREATE TRIGGER s1 BEFORE INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION tell();
CREATE TRIGGER s2 AFTER INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION tell();
SELECT * FROM load('1\tx\n2\ty\n');
SELECT * FROM load('1\tx\noops\ty\n');
CREATE TRIGGER r2 AFTER INSERT ON t FOR EACH ROW WHEN (NEW.a > 1) EXECUTE FUNCTION tell();
SELECT * FROM load('1\tx\n2\ty\n');
CREATE TRIGGER r1 BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION tell();
SELECT * FROM load('1\tx\n2\ty\n');
ALTER TABLE t DISABLE TRIGGER USER;
SELECT * FROM load('1\tx\n2\ty\n');
DROP TABLE t;
-- a BEFORE trigger that changes and skips rows
CREATE TABLE t (a int, b text);
CREATE FUNCTION edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF NEW.a % 2 = 0 THEN RETURN NULL; END IF; NEW.b := upper(NEW.b); RETURN NEW; END $$;
CREATE TRIGGER edit BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION edit();
SELECT * FROM load('1\tx\n2\ty\n3\tz\n');
SELECT * FROM load(lines($$ format(E'%s\tv', g) $$, 3000));
DROP TRIGGER edit ON t;
-- transition tables
CREATE TABLE log (rows bigint, total bigint, text text);
CREATE FUNCTION summarize() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO log SELECT count(*), sum(a), md5(string_agg(b, ',' ORDER BY a)) FROM fresh; RETURN NULL; END $$;
CREATE TRIGGER summarize AFTER INSERT ON t REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION summarize();
SELECT * FROM load('1\tx\n2\ty\n3\tz\n', 't', 'WHERE a <> 2');
SELECT * FROM load(lines($$ format(E'%s\tv%s', g, g) $$, 3000));
SELECT * FROM log;
DROP TRIGGER summarize ON t;
-- an AFTER trigger that refuses a row, and one that writes to the table loaded
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'row % refused', NEW.a; END $$;
CREATE TRIGGER refuse AFTER INSERT ON t FOR EACH ROW WHEN (NEW.b = 'no') EXECUTE FUNCTION refuse();
SELECT * FROM load('1\tx\n2\tno\n3\tno\n');
CREATE FUNCTION double() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO t VALUES (NEW.a + 100, 'again'); RETURN NULL; END $$;
CREATE TRIGGER double AFTER INSERT ON t FOR EACH ROW WHEN (NEW.a < 100) EXECUTE FUNCTION double();
SELECT * FROM load('1\tx\n2\ty\n');
-- triggers under session_replication_role
SET session_replication_role = replica;
SELECT * FROM load('1\tx\n2\tno\n');
RESET session_replication_role;
DROP TABLE t, log;
DROP FUNCTION tell, edit, summarize, refuse, double;

-- Strings, uuid, bytea and types that always take their input function
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
SELECT * FROM spellings('varchar(3)', 'abc', 'ab', 'abc   ', 'abcd', 'ééé', 'éééé', '');
SELECT * FROM spellings('char(3)', 'abc', 'a', 'abc  ', 'abcd', 'é', '日本語', '日本語x', '');
SELECT * FROM spellings('"char"', 'a', '', 'ab', 'é', '\101');
SELECT length(result), result FROM spellings('name', repeat('x', 63), repeat('x', 64), repeat('é', 40), '');
SELECT * FROM spellings('uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}',
  'a0eebc999c0b4ef8bb6d6bb9bd380a11', 'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11', 'g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1', '');
SELECT * FROM spellings('bytea', '\x', '\xdeadBEEF', '\xde ad', '\xabc', '\xgg', 'abc', 'a\\000b', 'a\\\\b', 'a\9', '');
SELECT * FROM spellings('json', '{"a": 1, "a": [2]}', 'nul', '', '"\u00e9"');
SELECT * FROM spellings('jsonb', '{"b": 1, "a": [2], "a": 1.10}', '{', '"\u0000"');
SELECT * FROM spellings('int[]', '{1,2,NULL}', '{{1,2},{3,4}}', '{1', '{a}', '');
SELECT * FROM spellings('inet', '10.0.0.1/8', '::1', 'x');
SELECT * FROM spellings('money', '$1,234.50', '-3', 'x');
SELECT * FROM spellings('bit(3)', '101', '1010', '12');
SELECT * FROM spellings('interval', '1 year 2 mons', '-00:00:01', 'nonsense');
SELECT * FROM spellings('int4range', '[1,5)', 'empty', '[5,1]');
SELECT * FROM spellings('tsvector', 'a b c', '''x');
SELECT * FROM spellings('regclass', 'pg_class', 'nosuchtable');
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TYPE pair AS (n int, t text);
CREATE DOMAIN posint AS int CHECK (VALUE > 0);
CREATE DOMAIN word AS text NOT NULL CHECK (VALUE <> 'bad');
SELECT * FROM spellings('mood', 'sad', 'Sad', '');
SELECT * FROM spellings('pair', '(1,"a,b")', '(,)', '(x,y)', '1');
SELECT * FROM spellings('posint', '5', '0', 'x', ' 7');
CREATE TABLE t (a word, b posint);
SELECT * FROM load('x\t1\nbad\t2\n');
SELECT * FROM load('x\t1\n\\N\t2\n');
SELECT * FROM load('x\t\\N\ny\t-1\n');
-- values that go out of line, and those that compress
CREATE TABLE fat (a int, b text, c text);
ALTER TABLE fat ALTER c SET STORAGE EXTERNAL;
SELECT * FROM load(lines($$ format(E'%s\t%s\t%s', g, repeat('ab', g), repeat(md5(g::text), g % 150)) $$, 3000), 'fat');
CREATE TABLE wide (a text, b text);
ALTER TABLE wide ALTER a SET STORAGE PLAIN, ALTER b SET STORAGE PLAIN;
SELECT * FROM load(lines($$ format(E'%s\t%s', g, repeat('x', CASE WHEN g = 2500 THEN 9000 ELSE g % 3000 END)) $$, 3000), 'wide');
DROP TABLE t, fat, wide;

-- Input in other encodings than the servers
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int, b text);
SELECT * FROM load('1,caf\xe9\n2,\xa4\n', 't', '(FORMAT csv, ENCODING ''LATIN1'')');
SELECT * FROM load('1,\x80 \x99\n', 't', '(FORMAT csv, ENCODING ''WIN1252'')');
SELECT * FROM load('1,\x93\xfa\x96\x7b\n', 't', '(FORMAT csv, ENCODING ''SJIS'')');
SELECT * FROM load('1,\xd6\xd0\xce\xc4\n', 't', '(FORMAT csv, ENCODING ''GBK'')');
SELECT * FROM load('1,\xa4\xa4\xa4\xe5\n', 't', '(FORMAT csv, ENCODING ''BIG5'')');
SELECT * FROM load('1,\xc6\xfc\xcb\xdc\n', 't', '(FORMAT csv, ENCODING ''EUC_JP'')');
-- second bytes that look like a backslash, a quote or a delimiter
SELECT * FROM load('1\t\x95\x5c\x83\x5c\n2\t\x83\x7c\n', 't', '(ENCODING ''SJIS'')');
SELECT * FROM load('1|\x83\x7c|\n', 't', '(FORMAT csv, DELIMITER ''|'', ENCODING ''SJIS'')');
-- errors at their lines
SELECT * FROM load('1,a\n2,\x81\n', 't', '(FORMAT csv, ENCODING ''WIN1252'')');
SELECT * FROM load('1,a\n2,b\n3,\xff\xff\n', 't', '(FORMAT csv, ENCODING ''EUC_JP'')');
SELECT * FROM load('1,a\n2,b\n3,\x81', 't', '(FORMAT csv, ENCODING ''SJIS'')');
SELECT * FROM load('1,a\nx,b\n3,\xff\xff\n', 't', '(FORMAT csv, ENCODING ''EUC_JP'')');
SELECT * FROM load('1,a\n', 't', '(FORMAT csv, ENCODING ''nosuch'')');
SELECT * FROM load('1,a\n', 't', '(FORMAT csv, ENCODING ''MULE_INTERNAL'')');
-- many lines, errors far down
SELECT * FROM load(convert(lines($$ format('%s,%s', g, repeat('é', g % 30)) $$, 20000), 'UTF8', 'LATIN1'), 't', '(FORMAT csv, ENCODING ''LATIN1'')');
SELECT * FROM load(convert(lines($$ format('%s,%s', g, repeat('日本', g % 10)) $$, 20000), 'UTF8', 'SJIS'), 't', '(FORMAT csv, ENCODING ''SJIS'')');
SELECT * FROM load(convert(lines($$ format('%s,日', g) $$, 20000), 'UTF8', 'SJIS') || '\xff0a', 't', '(FORMAT csv, ENCODING ''SJIS'')');
-- the client's encoding stands for the file's
SET client_encoding = 'LATIN1';
SELECT path FROM load('1,caf\xe9\n2,\xa4\n', 't', 'CSV');
RESET client_encoding;
SELECT * FROM t;
DROP TABLE t;

-- Ends of lines, the end-of-data marker, byte order marks, odd bytes
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a text, b text);
SELECT * FROM load('1,a\n2,b', 't', 'CSV');
SELECT * FROM load('1,a\r\n2,b\r\n', 't', 'CSV');
SELECT * FROM load('1,a\r2,b\r', 't', 'CSV');
SELECT * FROM load('1\ta\r\n2\tb\r\n');
SELECT * FROM load('1\ta\r2\tb');
-- mixtures
SELECT * FROM load('1,a\n2,b\r\n', 't', 'CSV');
SELECT * FROM load('1,a\r\n2,b\n', 't', 'CSV');
SELECT * FROM load('1,a\r\n2,b\r3,c\r\n', 't', 'CSV');
SELECT * FROM load('1,a\r2,b\n', 't', 'CSV');
SELECT * FROM load('1\ta\n2\tb\r\n');
SELECT * FROM load('1\ta\r\n2\tb\n');
SELECT * FROM load('1\ta\r2\tb\n');
SELECT * FROM load('1,"a\rb"\n2,"c\r\nd"\n', 't', 'CSV');
-- the marker, alone and elsewhere
SELECT * FROM load('1,a\n\\.\n2,b\n', 't', 'CSV');
SELECT * FROM load('1,a\n"\\."\n2,b\n', 't', 'CSV');
SELECT * FROM load('1,a\n2,"x\n\\.\ny"\n', 't', 'CSV');
SELECT * FROM load('1,a\n\\.x,b\n', 't', 'CSV');
SELECT * FROM load('1,\\.\n', 't', 'CSV');
SELECT * FROM load('1\ta\n\\.\n2\tb\n');
SELECT * FROM load('1\ta\n\\.');
SELECT * FROM load('1\ta\\.\n2\tb\n');
SELECT * FROM load('1\ta\r\n\\.\n');
SELECT * FROM load('1\ta\n\\.\r\n');
SELECT * FROM load('1\ta\n\\.x\n');
SELECT * FROM load('\\.\n1\ta\n');
-- byte order mark, NUL, bad UTF-8
SELECT * FROM load('\xef\xbb\xbf1,a\n', 't', 'CSV');
SELECT * FROM load('1,a\n2,\x00\n', 't', 'CSV');
SELECT * FROM load('1,a\n2,\xc3\n', 't', 'CSV');
SELECT * FROM load('1,a\n2,b\n3,\xed\xa0\x80\n', 't', 'CSV');
SELECT * FROM load('1,a\n2,\xff\xfe', 't', 'CSV');
SELECT * FROM load('1,a\noops\n3,\xff\n', 't', 'CSV');
SELECT * FROM load('1,a\n2,\xf4\x8f\xbf\xbf\xf0\x9f\x98\x80\n', 't', 'CSV');
-- empty lines, and a table of one column
CREATE TABLE one (a text);
SELECT * FROM load('\n\nx\n\n', 'one', 'CSV');
SELECT * FROM load('\n\nx\n\n', 'one');
SELECT * FROM load('\\.\n', 'one', 'CSV');
-- and of none
CREATE TABLE none ();
SELECT * FROM load('\n\n', 'none');
SELECT * FROM load('', 'none');
SELECT * FROM load('x\n', 'none');
DROP TABLE t, one, none;

-- COPY ... (FORMAT csv): quotes, escapes, NULL, FORCE_*, HEADER
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
CREATE TABLE t (a int, b text, c numeric(10,2));
SELECT * FROM load('1,one,1.50\n2,"two",2.255\n3,,\n4,"",\n', 't', 'CSV');
-- quotes: doubled, inside a field, around delimiters and newlines
SELECT * FROM load('1,"say ""hi""",1\n2,ab"c,d"ef,2\n3,"x\ny\r\nz",3\n4,"""",4\n', 't', 'CSV');
SELECT * FROM load('1,"a\\"b",1\n2,"a\\\\b",2\n3,"a\\b",3\n4,a\\,4\n', 't', '(FORMAT csv, ESCAPE ''\'')');
SELECT * FROM load('1,''it''''s'',1\n2,"x",2\n', 't', '(FORMAT csv, QUOTE '''''''')');
SELECT * FROM load('1|"a|b"|1\n', 't', '(FORMAT csv, DELIMITER ''|'')');
SELECT * FROM load('1\t"a\tb"\t1\n', 't', E'(FORMAT csv, DELIMITER E''\\t'')');
-- white space is data
SELECT * FROM load('1, one ,1\n 2 ,two, 2\n3," three " ,3\n', 't', 'CSV');
-- NULL only when not quoted, except as FORCE_* say
SELECT * FROM load('1,NULL,NULL\n2,"NULL",\n', 't (a, b, c)', '(FORMAT csv, NULL ''NULL'')');
SELECT * FROM load('1,NULL,NULL\n2,"NULL","NULL"\n', 't', '(FORMAT csv, NULL ''NULL'', FORCE_NULL (b, c))');
SELECT * FROM load('1,,1\n2,"",2\n', 't', '(FORMAT csv, FORCE_NOT_NULL (b))');
SELECT * FROM load('1,,1\n2,"",2\n', 't', '(FORMAT csv, FORCE_NOT_NULL (b), FORCE_NULL (b))');
SELECT * FROM load('1,,1\n2,x,""\n', 't', '(FORMAT csv, FORCE_NULL (c))');
SELECT * FROM load('1,,1\n2,x,""\n', 't', 'CSV');
-- HEADER
SELECT * FROM load('a,b,c\n1,x,1\n', 't', '(FORMAT csv, HEADER)');
SELECT * FROM load('"a","b",c\n1,x,1\n', 't', '(FORMAT csv, HEADER MATCH)');
SELECT * FROM load('a,c,b\n1,x,1\n', 't', '(FORMAT csv, HEADER MATCH)');
SELECT * FROM load('a,b\n1,x,1\n', 't', '(FORMAT csv, HEADER MATCH)');
SELECT * FROM load('a,"b\nb",c\n1,x,1\n2,y,oops\n', 't', '(FORMAT csv, HEADER)');
SELECT * FROM load('a\tb\tc\n1\tx\t1\n', 't', '(HEADER MATCH)');
SELECT * FROM load('', 't', '(FORMAT csv, HEADER)');
-- line numbers count the newlines inside quotes
SELECT * FROM load('1,"a\nb\nc",1\n2,x,oops\n', 't', 'CSV');
SELECT * FROM load('1,"a\nb\nc",1\n2,"x\ny",3,4\n', 't', 'CSV');
SELECT * FROM load('1,x,1\n2,"never closed,2\n3,z,3\n', 't', 'CSV');
SELECT * FROM load('1,x\n', 't', 'CSV');
SELECT * FROM load('1,x,1,\n', 't', 'CSV');
-- options that do not go together
SELECT * FROM load('', 't', '(FORMAT csv, QUOTE ''ab'')');
SELECT * FROM load('', 't', '(FORMAT csv, DELIMITER '','', QUOTE '','')');
SELECT * FROM load('', 't', '(FORMAT text, QUOTE ''"'')');
SELECT * FROM load('', 't', '(FORMAT csv, FORCE_NULL (nosuch))');
-- many rows with everything in them
SELECT * FROM load(lines($$ format('%s,"%s ""quoted"", é%s",%s', g, repeat('w', g % 40), CASE WHEN g % 7 = 0 THEN E'\nnext' ELSE '' END,
  CASE WHEN g % 3 = 0 THEN '' ELSE (g / 8.0)::text END) $$, 20000), 't', 'CSV');
SELECT * FROM load(lines($$ format('%s,"%s",%s', g, CASE WHEN g % 7 = 0 THEN E'\n\n' ELSE 'é' END, CASE WHEN g = 19000 THEN 'oops' ELSE '1' END) $$, 20000), 't', 'CSV');
DROP TABLE t;

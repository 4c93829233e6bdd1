-- Spellings of numbers: what a kernel takes and what the input function takes give the same
LOAD 'millrace';
SET search_path = public, testing;
SET datestyle = 'ISO, MDY';
\pset format unaligned
\pset fieldsep ' | '
SELECT * FROM spellings('smallint', '0', '-0', '+7', ' 12 ', '007', '32767', '-32768', '32768', '', '-', '1.0', '1e2', '0x10', '1 2', '٣');
SELECT * FROM spellings('int', '2147483647', '-2147483648', '2147483648', '-2147483649', '00000000000000000001', '1_000', '12x', '99999999999999999999');
SELECT * FROM spellings('bigint', '9223372036854775807', '-9223372036854775808', '9223372036854775808', '-9223372036854775809', '00000000000000000000012');
SELECT * FROM spellings('oid', '0', '4294967295', '4294967296', '-1', ' 5', 'x');
SELECT * FROM spellings('real', '1.5', '-0', '1e38', '1e39', '1e-46', 'NaN', 'inf', '-Infinity', '.5', '5.', '', '0x1p3', '16777217', '1.17549435e-38');
SELECT * FROM spellings('double precision', '0.1', '-0.0', '1e308', '1e309', '1e-400', 'nan', 'infinity', '4.35', '9007199254740993', '1.7976931348623157e308',
  '0.1000000000000000055511151231257827', '2.2250738585072011e-308', '123456789012345678901234567890', '1e', '1d0', ' 1 ');
SELECT * FROM spellings('numeric', '0', '-0', '0.00', '.5', '5.', '1e3', '1.5e-3', 'NaN', 'Infinity', '-inf', '10000', '99999999.99999999', '1.10', '00012.50',
  '12345678901234567890123456789012345678901234567890.5', '', '.', '1.2.3', '1,5', '1e999999', ' 1.5 ');
SELECT * FROM spellings('numeric(5,2)', '999.99', '999.994', '999.995', '-999.995', '1000', '0.005', '-0.005', '0.004', '1e2', 'NaN', 'inf', '1.999');
SELECT * FROM spellings('numeric(4,-2)', '149', '150', '999949', '999950', '49', '-50');
SELECT * FROM spellings('numeric(3,3)', '0.999', '0.9995', '1', '0.0005', '-.5');
SELECT * FROM spellings('boolean', 't', 'f', 'true', 'FALSE', 'tru', 'y', 'no', 'on', 'of', 'off', 'o', '1', '0', '2', '', ' t ');

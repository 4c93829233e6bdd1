"""Column types and the spellings of their values: plain, odd but legal, and broken ones."""


def _digits(r, longest):
    return "".join(r.choice("0123456789") for _ in range(r.randint(1, longest)))


def _int(bits):
    top = 1 << (bits - 1)

    def plain(r):
        if r.random() < 0.5:
            return str(r.randint(-1000, 1000))
        return str(r.randint(-(1 << r.randint(0, bits - 1)), (1 << r.randint(0, bits - 1)) - 1))

    odd = [str(top - 1), str(-top), "-0", "+7", " 12", "12 ", "\t3", "007", "0000000000000000000000012", "-1 ", "+0",
           " -5 "]
    broken = [str(top), str(-top - 1), "", "-", "+", "1.0", "1e3", "0x1f", "12a", "1 2", "--1", "+-1", "１",
              "99999999999999999999999", "0b1", "1_000", " "]
    return plain, odd, broken


def _numeric_plain(precision, scale):
    def plain(r):
        if precision is None:
            text = _digits(r, r.choice([1, 4, 9, 20, 40]))
            return r.choice(["", "-"]) + text + (("." + _digits(r, r.choice([1, 4, 12]))) if r.random() < 0.6 else "")
        whole = r.randint(0, max(precision - scale, 1) - (0 if precision > scale else 1))
        text = (_digits(r, whole) if whole else "0").lstrip("0") or "0"
        return r.choice(["", "", "-"]) + text + ("." + _digits(r, scale) if scale and r.random() < 0.8 else "")
    return plain


_NUMERIC_ODD = ["0", "-0", "0.00", "00012.50", ".5", "5.", "+3", "1e3", "1.5e-3", "1E+2", "NaN", "nan", " 1.5", "1.5 ",
                "0.000000000000000000001", "9999.9999", "1000", "10000", "100000000", "0.0001", "99999999.99999999",
                "12345678901234567890.12345678901234567890", "-.25", "0.995", "0.005", "-0.005", "9.995", "1e-1000",
                "0.0000"]
_NUMERIC_BROKEN = ["", ".", "-", "1.2.3", "1e", "1,5", "12x", "1 .5", "- 1", "inf", "Infinity", "-Infinity", "1e999999",
                   "99999999999999999999999999999", "0x10", "1_0", "e5", "+-1", " "]


def _float(bits):
    def plain(r):
        kind = r.random()
        if kind < 0.3:
            return repr(round(r.uniform(-1000, 1000), r.randint(0, 6)))
        if kind < 0.6:
            return repr(r.uniform(-1, 1) * 10 ** r.randint(-30, 30))
        return str(r.randint(-100000, 100000))
    odd = ["0", "-0", "-0.0", "1e5", "1E-5", ".5", "5.", "+1", "NaN", "nan", "inf", "-Infinity", "infinity", " 1.5", "1.5 ",
           "1e308" if bits == 64 else "1e38", "0x10", "0x1p3", "123456789012345678901234567890",
           "0.1000000000000000055511151231257827", "4.35", "2.2250738585072011e-308" if bits == 64 else "1.17549435e-38",
           "9007199254740993", "16777217", "1e0", "1e+00"]
    broken = ["", "-", ".", "1e", "1e400", "1e-400", "abc", "1.2.3", "1f", "1 2", "NaNa", "infin", " ", "e", "1d0"]
    return plain, odd, broken


def _date_parts(r):
    return r.randint(1900, 2099), r.randint(1, 12), r.randint(1, 28)


def _date(r):
    return "%04d-%02d-%02d" % _date_parts(r)


def _time(r):
    text = "%02d:%02d:%02d" % (r.randint(0, 23), r.randint(0, 59), r.randint(0, 59))
    return text + ("." + _digits(r, 6) if r.random() < 0.4 else "")


_DATE_ODD = ["infinity", "-infinity", "epoch", "2000-02-29", "1900-02-28", "0001-01-01", "9999-12-31", "4714-11-24 BC",
             "5874897-12-31", "2001-1-2", "20010203", "Jan 5 2001", "5 Jan 2001", "01/02/2003", "2001.032", "J2451187",
             " 2001-02-03", "2001-02-03 ", "2001/02/03", "99-01-02", "2001-02-03 04:05:06", "0044-03-15 BC", "10000-01-01",
             "2024-02-29", "2001-Feb-03"]
_DATE_BROKEN = ["", "2001-02-29", "2001-13-01", "2001-00-10", "2001-01-00", "2001-01-32", "1900-02-29", "0000-01-01",
                "2001-02", "garbage", "2001-02-0x", "2001-02-03x", "5874898-01-01", "4714-11-23 BC", "2001--02-03",
                "31/31/2001", "２００１-01-01", "now now", " "]
_TIME_ODD = ["24:00:00", "00:00:60", "23:59:59.999999", "1:2:3", "12:34", "040506", "04:05 PM", "12:00:00.1234567",
             "allballs", " 01:02:03", "01:02:03 ", "23:59:59.9999999", "04:05:06.5"]
_TIME_BROKEN = ["", "25:00:00", "12:60:00", "12:00:61", "24:00:01", "abc", "1:2:3:4:5", "12:34:5x", "-01:00:00", "12.34.56"]
_STAMP_ODD = ["2001-02-03", "2001-02-03T04:05:06", "2001-02-03 04:05", "2001-02-03 24:00:00", "2001-02-03 04:05:60",
              "2001-02-03 04:05:06.1234567", "infinity", "-infinity", "epoch", "2001-02-03 04:05:06 PM",
              "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999", "20010203T040506", "2001-02-03  04:05:06",
              " 2001-02-03 04:05:06", "2001-02-03 04:05:06 ", "2001-02-03 04:05:06Z", "2001-02-03 04:05:06+02",
              "2001-02-03 04:05:06.", "2001-02-03 4:5:6", "Sat Feb 03 04:05:06 2001", "02/03/2001 04:05:06",
              "2001-02-03 23:59:59.9999999", "2000-01-01 00:00:00", "1999-12-31 23:59:59.5", "2001-02-03 04:05:06 BC"]
_STAMP_BROKEN = ["", "2001-02-30 00:00:00", "2001-02-03 25:00:00", "2001-02-03 04:61:00", "2001-02-03 04:05:06x", "x",
                 "294277-01-01 00:00:00", "2001-02-03 04:05:", "2001-02-03 24:00:01", "2001-02-03 -4:05:06", "99999999999"]
_ZONED_ODD = ["2001-02-03 04:05:06+00", "2001-02-03 04:05:06-08:30", "2001-02-03 04:05:06+05:30:15",
              "2001-02-03 04:05:06 Europe/Berlin", "2001-02-03 04:05:06 PST", "2001-03-25 02:30:00", "2001-10-28 02:30:00",
              "2001-02-03 04:05:06+0200", "2001-02-03 04:05:06 +3", "1880-01-01 00:00:00", "2040-07-01 12:00:00",
              "2001-02-03 04:05:06-15:59:59", "2001-02-03T04:05:06Z", "2001-02-03 04:05:06.5z"]
_ZONED_BROKEN = ["2001-02-03 04:05:06+16", "2001-02-03 04:05:06 Nowhere/Land", "2001-02-03 04:05:06+5:xx",
                 "2001-02-03 04:05:06+02:60"]


def _word(r, longest=30):
    n = r.choice([0, 1, 2, 5, r.randint(0, longest)])
    return "".join(r.choice("abcdefghijklmnopqrstuvwxyz ABCXYZ0123456789-_") for _ in range(n))


_SPICE = [",", "|", "\t", "\"", "\"\"", "'", "\\", "\\N", "\\.", "\n", "\r", "\r\n", "é", "ß", "日本", "漢字テスト", "😀", "€", "\\t",
          "\\x41", "\\101", "NULL", "null", ";", " ", "\x01", "\x7f", "\u0085", "\u2028", "$", "~", "\b", "\f", "\v"]


def text(r, longest=40):
    """Any text: words with delimiters, quotes, escapes and newlines strewn in."""
    if r.random() < 0.7:
        return _word(r, longest)
    return "".join(r.choice([_word(r, 8), r.choice(_SPICE)]) for _ in range(r.randint(1, 8)))


def _limited(n):
    def plain(r):
        return text(r, n)[:n]
    return plain, ["x" * n + "   ", " " * (n + 3), "é" * n, "a" * n, "日" * n, ""], ["x" * (n + 1), "é" * (n + 1), "ab" * n + " c"]


def _uuid(r):
    h = "%032x" % r.getrandbits(128)
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


_UUID_ODD = ["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "a0eebc999c0b4ef8bb6d6bb9bd380a11",
             "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11", "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}",
             "00000000-0000-0000-0000-000000000000", "aAeEbC99-9c0b-4Ef8-bb6d-6bb9bd380a11"]
_UUID_BROKEN = ["", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a111", "g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
                "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "a0eebc99_9c0b-4ef8-bb6d-6bb9bd380a11",
                " a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]


def _pick(*choices):
    return lambda r: r.choice(choices)


def _json(r, depth=0):
    kind = r.random()
    if depth > 2 or kind < 0.4:
        return r.choice(["1", "-2.5", "true", "null", '"x"', '"a\\"b"', '"\\u00e9"', '"é, x"', '"\\n"', "1e5"])
    if kind < 0.7:
        return "[" + ",".join(_json(r, depth + 1) for _ in range(r.randint(0, 4))) + "]"
    return "{" + ", ".join(f'"k{r.randint(0, 9)}": {_json(r, depth + 1)}' for _ in range(r.randint(0, 4))) + "}"


_BOOL_ODD = ["true", "false", "T", "F", "yes", "no", "on", "off", "1", "0", "TRUE", "tru", "y", "n", " t", "f ", "oFf", "fa"]
_BOOL_BROKEN = ["", "o", "2", "truex", "maybe", " ", "10", "ｔ"]

# name -> (plain(r), odd spellings, broken spellings)
TYPES = {
    "smallint": _int(16), "int": _int(32), "bigint": _int(64),
    "oid": (lambda r: str(r.randint(0, 4294967295)), ["4294967295", "0", "-1", " 7", "7 ", "+3", "007"],
            ["", "4294967296", "x", "1.5", "-2147483649", "0x10"]),
    "real": _float(32), "double precision": _float(64),
    "numeric": (_numeric_plain(None, None), _NUMERIC_ODD, _NUMERIC_BROKEN),
    "numeric(15,2)": (_numeric_plain(15, 2), _NUMERIC_ODD, _NUMERIC_BROKEN),
    "numeric(5,5)": (_numeric_plain(5, 5), _NUMERIC_ODD, _NUMERIC_BROKEN),
    "numeric(4,-2)": (lambda r: str(r.randint(-99999, 99999)), _NUMERIC_ODD, _NUMERIC_BROKEN),
    "numeric(30,10)": (_numeric_plain(30, 10), _NUMERIC_ODD, _NUMERIC_BROKEN),
    "boolean": (_pick("t", "f"), _BOOL_ODD, _BOOL_BROKEN),
    "date": (_date, _DATE_ODD, _DATE_BROKEN),
    "time": (_time, _TIME_ODD, _TIME_BROKEN), "time(2)": (_time, _TIME_ODD, _TIME_BROKEN),
    "timetz": (lambda r: _time(r) + "+02", _TIME_ODD, _TIME_BROKEN),
    "timestamp": (lambda r: _date(r) + " " + _time(r), _STAMP_ODD, _STAMP_BROKEN),
    "timestamp(0)": (lambda r: _date(r) + " " + _time(r), _STAMP_ODD, _STAMP_BROKEN),
    "timestamptz": (lambda r: _date(r) + " " + _time(r) + r.choice(["", "+00", "-07", "+05:30"]), _STAMP_ODD + _ZONED_ODD,
                    _STAMP_BROKEN + _ZONED_BROKEN),
    "timestamptz(3)": (lambda r: _date(r) + " " + _time(r) + "+01", _STAMP_ODD + _ZONED_ODD, _STAMP_BROKEN + _ZONED_BROKEN),
    "interval": (_pick("1 day", "2 years 3 mons", "-00:00:01.5", "1 mon -2 days +03:04:05", "0"),
                 ["P1Y2M3DT4H5M6S", "1-2", "@ 1 minute ago", "1.5 days"], ["", "1 fortnite", "x", "99999999999 years"]),
    "text": (text, [], []),
    "text collate \"C\"": (text, [], []),
    "varchar": (text, [], []), "varchar(10)": _limited(10), "varchar(255)": _limited(255),
    "char(1)": _limited(1), "char(7)": _limited(7), "bpchar": (text, [], []),
    '"char"': (lambda r: r.choice("abcXYZ09"), ["", "ab", "\\101", "é", " "], []),
    "name": (lambda r: text(r, 20), ["x" * 63, "x" * 64, "é" * 40, "日" * 30, ""], []),
    "uuid": (_uuid, _UUID_ODD, _UUID_BROKEN),
    "bytea": (lambda r: "\\x" + "%0*x" % (2 * r.randint(0, 20), 0) if r.random() < 0.2 else "\\x" + r.randbytes(r.randint(0, 40)).hex(),
              ["\\x", "\\xDEADbeef", "\\x de ad", "abc", "a\\000b", "\\\\", "", "\\x\n00"], ["\\x1", "\\xgg", "\\x0 1", "a\\9", "\\", "\\12"]),
    "json": (_json, ["  {} ", '{"a":1,"a":2}', '"\\u0000"'], ["", "{", "nul", "[1,]", '{"a"}', "01"]),
    "jsonb": (_json, ["  {} ", '{"a":1,"a":2}', "1.10"], ["", "{", "nul", "[1,]", '{"a"}', '"\\u0000"']),
    "xml": (_pick("<a/>", "<a>b &amp; c</a>", "text"), ["<?xml version='1.0'?><x/>"], ["<a>", "<a></b>", "&x"]),
    "inet": (_pick("10.0.0.1", "192.168.1.0/24", "::1", "2001:db8::/32"), ["10.1.2.3/32"], ["", "10.0.0.256", "1.2.3", "x"]),
    "cidr": (_pick("10.0.0.0/8", "192.168.1.0/24"), ["10/8"], ["10.0.0.1/8", "x"]),
    "macaddr": (_pick("08:00:2b:01:02:03", "08-00-2b-01-02-03"), ["08002b010203"], ["", "08:00"]),
    "money": (_pick("$1.50", "12", "-3.25"), ["1,234.56", "($5)"], ["", "x", "99999999999999999999"]),
    "bit(5)": (_pick("10101", "00000"), ["B10101", "X1F"], ["101", "101011", "2", ""]),
    "varbit": (_pick("1", "0110", ""), ["X1F"], ["2", "0x1"]),
    "point": (_pick("(1,2)", "3,4"), ["( 1.5 , -2e3 )"], ["(1)", "x", ""]),
    "box": (_pick("(1,2),(3,4)",), [], ["(1,2)", ""]),
    "int[]": (_pick("{}", "{1,2,3}", "{{1,2},{3,4}}", "{NULL,5}"), ["[2:3]={1,2}", " {1} ", '{"7"}'], ["{1", "{a}", "1,2", "{{1},{2,3}}", ""]),
    "text[]": (_pick("{}", '{a,"b,c"}', '{"x\\"y",NULL,""}', '{"a\nb"}', "{é}"), [], ["{", '{"a}', "{a}b"]),
    "int4range": (_pick("empty", "[1,5)", "(,3]", "[2,)"), [], ["[5,1)", "x", "[1,2"]),
    "tsvector": (_pick("a b c", "'x':1,2 y"), [], ["'a"]),
    "pg_lsn": (_pick("0/0", "16/B374D848"), [], ["x", ""]),
    "mood": (_pick("sad", "ok", "happy, \"very\""), [], ["", "Sad", "glad"]),
    "posint": (lambda r: str(r.randint(1, 1000)), ["+5", " 7"], ["0", "-5", "", "x", "99999999999"]),
    "short": (lambda r: text(r, 6)[:6], ["", "é" * 6], ["toolongvalue", "bad!"]),
    "must": (lambda r: r.choice(["a", "b"]), [""], []),
    "pair": (_pick('(1,x)', '(2,"a,b")', '(,)', '(3,"q ""z""")'), ["( 4,x)"], ["(1)", "1,x", "(a,b)", ""]),
    "regclass": (_pick("pg_class", "pg_type", "1259"), ["-"], ["nosuchtable", ""]),
}

# What some of the types need. The domain "must" refuses NULL.
PRELUDE = """
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy, "very"');
CREATE DOMAIN posint AS int CHECK (VALUE > 0);
CREATE DOMAIN short AS varchar(6) DEFAULT 'dflt' CHECK (VALUE !~ '!');
CREATE DOMAIN must AS text NOT NULL;
CREATE TYPE pair AS (n int, t text);
"""

# Types whose kernels matter most are drawn more often.
FAST = ["smallint", "int", "int", "bigint", "oid", "real", "double precision", "double precision", "numeric", "numeric(15,2)",
        "numeric(5,5)", "numeric(4,-2)", "numeric(30,10)", "boolean", "date", "date", "time", "time(2)", "timestamp",
        "timestamp(0)", "timestamptz", "timestamptz(3)", "text", "text", "text", "varchar", "varchar(10)", "varchar(255)",
        "char(1)", "char(7)", "bpchar", '"char"', "name", "uuid", "bytea"]


def draw_type(r):
    return r.choice(FAST) if r.random() < 0.85 else r.choice(list(TYPES))


def draw_value(r, name, p_odd, p_broken):
    plain, odd, broken = TYPES[name]
    kind = r.random()
    if broken and kind < p_broken:
        return r.choice(broken)
    if odd and kind < p_broken + p_odd:
        return r.choice(odd)
    return plain(r)

"""Random COPY options and the bytes of an input written under them, whole or damaged."""
from values import draw_value

# PostgreSQL's name, Python's name
ENCODINGS = [("LATIN1", "latin-1"), ("WIN1252", "cp1252"), ("SJIS", "shift_jis"), ("GBK", "gbk"), ("BIG5", "big5"),
             ("EUC_JP", "euc_jp"), ("EUC_KR", "euc_kr"), ("EUC_CN", "gb2312"), ("UHC", "cp949"), ("GB18030", "gb18030"),
             ("KOI8R", "koi8-r"), ("LATIN9", "iso8859-15"), ("UTF8", "utf-8"), ("SQL_ASCII", "utf-8"), ("JOHAB", "johab")]


class Options:
    def __init__(self):
        self.csv = False
        self.delimiter, self.null, self.quote, self.escape = "\t", "\\N", '"', '"'
        self.header = None  # None, True, "match"
        self.force_null, self.force_not_null, self.force_quote_all = [], [], False
        self.encoding = None  # (PostgreSQL's, Python's) of the ENCODING option
        self.freeze = False
        self.more = []  # further options, verbatim
        self.old_syntax = False
        self.given = set()

    def sql(self):
        def q(value):
            return "E'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\t", "\\t") + "'"

        if self.old_syntax:
            words = []
            if "delimiter" in self.given:
                words.append("DELIMITER AS " + q(self.delimiter))
            if "null" in self.given:
                words.append("NULL AS " + q(self.null))
            if self.csv:
                words.append("CSV")
                if self.header:
                    words.append("HEADER")
                if "quote" in self.given:
                    words.append("QUOTE AS " + q(self.quote))
                if "escape" in self.given:
                    words.append("ESCAPE AS " + q(self.escape))
                if self.force_not_null:
                    words.append("FORCE NOT NULL " + ", ".join(self.force_not_null))
            return " ".join(words)
        words = ["FORMAT csv"] if self.csv else ["FORMAT text"] if "format" in self.given else []
        for name in ("delimiter", "null", "quote", "escape"):
            if name in self.given:
                words.append(f"{name.upper()} {q(getattr(self, name))}")
        if self.header is not None:
            words.append("HEADER " + ("MATCH" if self.header == "match" else "true"))
        for name, columns in (("FORCE_NULL", self.force_null), ("FORCE_NOT_NULL", self.force_not_null)):
            if columns:
                words.append(f"{name} ({', '.join(columns)})")
        if self.encoding:
            words.append(f"ENCODING '{self.encoding[0]}'")
        if self.freeze:
            words.append("FREEZE")
        return "WITH (" + ", ".join(words + self.more) + ")" if words or self.more else ""


def draw_options(r, table, major):
    o = Options()
    o.csv = r.random() < 0.55
    names = [n for n, _ in table.columns]
    if o.csv:
        o.delimiter, o.null, o.escape = ",", "", '"'
    if r.random() < 0.1:
        o.given.add("format")
    if r.random() < 0.4:
        o.delimiter = r.choice([",", "|", "\t", ";", ":", " ", "~", "^", "#", "/", "-", "\x01"] + ([] if o.csv else ["'", '"']))
        o.given.add("delimiter")
    if r.random() < 0.3:
        o.null = r.choice(["", "\\N", "NULL", "null", "-", "NA", "n/a", "\\\\N", "0", "x" * 20, "é", "\\n", "nil "])
        o.given.add("null")
    if o.csv:
        if r.random() < 0.15:
            o.quote = r.choice(["'", "$", "^", '"', "`"])
            o.escape = o.quote
            o.given.add("quote")
        if r.random() < 0.2:
            o.escape = r.choice(["\\", o.quote, "!", "'", o.delimiter if r.random() < 0.1 else "\\"])
            o.given.add("escape")
        if names and r.random() < 0.15:
            o.force_null = r.sample(names, r.randint(1, len(names)))
        if names and r.random() < 0.15:
            o.force_not_null = r.sample(names, r.randint(1, len(names)))
    if r.random() < 0.2:
        o.header = r.choice([True, True, "match"])
    if r.random() < 0.15:
        o.encoding = r.choice(ENCODINGS if r.random() < 0.8 else ENCODINGS[:1] + [("UTF8", "utf-8")])
    if r.random() < 0.06:
        o.freeze = True
    if r.random() < 0.05:
        o.old_syntax, o.encoding, o.freeze, o.force_null = True, None, False, []
        if not o.csv or o.header == "match":
            o.header = None
    if major >= 16 and r.random() < 0.05:
        o.more.append("DEFAULT '\\D'")
    if major >= 17 and r.random() < 0.08:
        o.more.append("ON_ERROR ignore")
        if r.random() < 0.5:
            o.more.append("LOG_VERBOSITY verbose")
        if major >= 18 and r.random() < 0.5:
            o.more.append(f"REJECT_LIMIT {r.choice([1, 3, 100])}")
    if r.random() < 0.01:
        o.more.append(r.choice(["FORMAT csv", "NOSUCH 1", "DELIMITER 'ab'", "QUOTE 'x'", "HEADER 2", "ENCODING 'x'"]))
    return o


_TEXT_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v"}


def _text_field(r, value, o, escapes):
    out = []
    for i, c in enumerate(value):
        if c in _TEXT_ESCAPES and (c in "\\\n\r" or r.random() < 0.7):
            out.append(_TEXT_ESCAPES[c])
        elif c == o.delimiter:
            out.append("\\" + c)
        elif escapes and r.random() < escapes:
            out.append(r.choice(["\\x%02x" % ord(c), "\\%03o" % ord(c)]) if ord(c) < 128 else "\\" + c)
        else:
            out.append(c)
    text = "".join(out)
    if text == o.null and text:
        text = "\\" + text if text[0] not in "bfnrtvx01234567N.\\" else text
    return text


def _csv_field(r, value, o, quoting):
    need = any(c in value for c in (o.delimiter, o.quote, "\n", "\r")) or value == o.null or value == "\\."
    if not need and r.random() >= quoting:
        return value
    body = "".join(o.escape + c if c == o.quote or (c == o.escape and o.escape != o.quote) else c for c in value)
    if r.random() < 0.02 and len(body) > 2 and not need:  # quotes may stand anywhere in a field
        cut = r.randint(1, len(body) - 1)
        return body[:cut] + o.quote + body[cut:] + o.quote
    return o.quote + body + o.quote


def draw_rows(r, table):
    """Rows of values (str or None) with their damage on the value level."""
    size = r.choice([0, 1, 2, 3, 5, 10, 30, 100, 300, 999, 1000, 1001, 1500, 2500, 5000])
    width = max(len(table.columns), 1)
    size = min(size, 60000 // width)
    p_null = r.choice([0, 0, 0, 0.05, 0.3, 0.9])
    p_odd = r.choice([0, 0, 0, 0.002, 0.05, 0.5])
    p_broken = r.choice([0] * 8 + [0.0005, 0.01])
    all_null = set(n for n, _ in table.columns if r.random() < 0.03)
    never_null = set(table.not_null | {n for n, k in table.columns if k == "must"}) if r.random() < 0.9 else ()
    long_text = r.random() < 0.06
    rows = []
    for _ in range(size):
        row = []
        for name, kind in table.columns:
            if name not in never_null and (name in all_null or r.random() < p_null):
                row.append(None)
                continue
            value = draw_value(r, kind, p_odd, p_broken)
            if long_text and kind in ("text", "varchar", "bytea", "bpchar") and r.random() < 0.02:
                length = r.choice([1990, 2050, 8200, 20000, 65535, 70000, 300000])
                if kind == "bytea":
                    value = "\\x" + r.randbytes(length // 4).hex()
                else:
                    value = (value + r.choice(["a", "é", "x\ny", '"', "\\"])) * (length // (len(value) + 1))
                    if r.random() < 0.5:  # not compressible
                        value += r.randbytes(length // 2).hex()
            row.append(value)
        rows.append(row)
    return rows


def write_rows(r, rows, table, o):
    """The lines of the input, without terminators, as str."""
    escapes = r.choice([0, 0, 0, 0.01, 0.2])
    quoting = r.choice([0, 0, 0.1, 0.5, 1])
    marker = o.null
    lines = []
    for row in rows:
        fields = []
        for value in row:
            if value is None:
                fields.append(marker)
            elif o.csv:
                fields.append(_csv_field(r, value, o, quoting))
            else:
                fields.append(_text_field(r, value, o, escapes))
        lines.append(o.delimiter.join(fields))
    if o.header is not None:
        names = [n for n, _ in table.columns]
        if r.random() < 0.1 and names:
            names[r.randrange(len(names))] = r.choice(["wrong", "", '"q"', "\\N"])
        lines.insert(0, o.delimiter.join(names))
    return lines


_INSERTS = [b"\\.", b"\\.\n", b"\n\\.\n", b"\\.\r\n", b"\r", b"\n", b"\r\n", b"\0", b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80",
            b"\xf5\x80\x80\x80", b"\xc0\x80", b'"', b'""', b"'", b"\\", b"\\\\", b"\\N", b"\t", b",", b"|", b"\xef\xbb\xbf", b"\x1a",
            b" ", b"\\\n", b"\\\r\n", b"\\x", b"\\0", b"\\xg", b"\\400", b"\\377", b"\\xff", b"\\000", b"\\x00", b"\x80", b"\x81\x30"]


def _damage(r, data):
    """One random change of the bytes."""
    at = r.randint(0, len(data))
    kind = r.random()
    if kind < 0.6:
        return data[:at] + r.choice(_INSERTS) + data[at:]
    if kind < 0.7:
        return data[:at] + data[at + r.choice([1, 1, 2, 5]):]
    if kind < 0.8:
        return data[:at]
    if kind < 0.9:
        return data[:at] + bytes([r.randrange(256)]) + data[at + 1:]
    other = r.randint(0, len(data))
    low, high = min(at, other), min(max(at, other), min(at, other) + 200)
    return data[:high] + data[low:high] + data[high:]


def encode_input(r, lines, encoding):
    """Bytes of the lines under some end-of-line habit, whole or damaged. Returns the bytes and what was done."""
    notes = set()
    eol = r.choice(["\n"] * 8 + ["\r\n"] * 3 + ["\r"])
    text = eol.join(lines)
    if lines and r.random() < 0.85:
        text += eol
    if r.random() < 0.03:
        text = text.replace(eol, r.choice(["\n", "\r\n", "\r", "\n\r"]), r.randint(1, 3))
        notes.add("mixed EOL")
    if r.random() < 0.05:
        text += r.choice(["\\.", "\\.\n", "\\.\r\n", "\\.\nrest, of\tit\n", "\\.\n" + text[:5000]])
        notes.add("marker")
    data = text.encode(encoding, "replace" if r.random() < 0.9 else "surrogatepass" if encoding == "utf-8" else "ignore")
    if r.random() < 0.03:
        data = b"\xef\xbb\xbf" + data
        notes.add("BOM")
    if r.random() < 0.2:
        for _ in range(r.choice([1, 1, 1, 2, 5])):
            data = _damage(r, data)
        notes.add("damaged")
    return data, notes


def split(r, data):
    """The same bytes as CopyData messages."""
    how = r.random()
    if how < 0.3 or not data:
        return [data]
    if how < 0.4 and len(data) < 3000:
        return [data[i:i + 1] for i in range(len(data))]
    if how < 0.6:
        size = r.choice([3, 64, 1000, 8192, 65535, 65536, 65537, 262144])
        return [data[i:i + size] for i in range(0, len(data), max(size, len(data) // 5000 + 1))]
    if how < 0.8:
        lines = data.splitlines(True)  # as psql and drivers do
        return lines if len(lines) < 6000 else [data]
    cuts = sorted(r.randint(0, len(data)) for _ in range(r.randint(1, 20)))
    return [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]

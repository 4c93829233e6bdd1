"""Rows whose text the test knows: as COPY input, and as the checksum the server must show for them afterwards.

A load is the first n rows of a pool, marked with the load's number in column l.
"""
import hashlib

COLUMNS = "l int, i int, a bigint, n numeric(12,2), d date, t text"

# One line a load: its number, rows and checksum. %s: the table.
CONTENT = ("SELECT l, count(*), md5(string_agg(concat_ws('|', i, coalesce(a::text, '~'), n, d, coalesce(t, '~')), E'\\n' ORDER BY i)) "
           "FROM %s GROUP BY l ORDER BY l")


def _word(rng):
    return rng.choice(["", "plain", "two words", 'say "so"', "a,b", "tab\there", "back\\slash", "new\nline", "größer", "x" * rng.randint(1, 60),
                       "%08x" % rng.getrandbits(32)])


def _text(value):
    if value is None:
        return "\\N"
    return value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def _csv(value):
    if value is None:
        return ""
    if value and not any(c in value for c in ',"\n'):
        return value
    return '"' + value.replace('"', '""') + '"'


class Pool:
    """Rows to load. fat: each so many rows has a value for the toast table."""

    def __init__(self, rng, size, fat=0):
        self.size = size
        self.forms = {"text": [], "csv": []}
        self.lines = []
        self.digests = {}
        for i in range(size):
            a = None if rng.random() < 0.05 else str(rng.choice([0, rng.randint(-99, 99), rng.randint(-2**63, 2**63 - 1)]))
            n = "%.2f" % (rng.randint(-9999900, 9999900) / 100)  # never -0.00, which comes back as 0.00
            d = "20%02d-%02d-%02d" % (rng.randint(10, 39), rng.randint(1, 12), rng.randint(1, 28))
            t = None if rng.random() < 0.05 else _word(rng)
            if fat and i % fat == 0:
                t = "%0*x" % (rng.randint(2500, 12000), rng.getrandbits(10000))
            self.forms["text"].append("\t".join(["", str(i), a or "\\N", n, d, _text(t)]).encode() + b"\n")
            self.forms["csv"].append(",".join(["", str(i), a or "", n, d, _csv(t)]).encode() + b"\n")
            self.lines.append("|".join([str(i), a or "~", n, d, "~" if t is None else t]).encode())

    def input(self, load, n, form):
        """The COPY input of a load."""
        mark = b"%d" % load
        return b"".join([mark + line for line in self.forms[form][:n]])

    def digest(self, n):
        """What CONTENT shows for n rows."""
        if n not in self.digests:
            self.digests[n] = hashlib.md5(b"\n".join(self.lines[:n])).hexdigest()
        return self.digests[n]

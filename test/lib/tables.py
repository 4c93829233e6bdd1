"""Tables of several kinds, loads for them, and their content as checksums: for tests that compare two servers."""
COLUMNS = "l int, i int, a bigint, n numeric, d date, x double precision, t text"

TABLES = {
    "plain": [f"CREATE TABLE plain ({COLUMNS})"],
    "keyed": [f"CREATE TABLE keyed ({COLUMNS}, PRIMARY KEY (l, i))", "CREATE INDEX ON keyed (d, n)"],
    "toast": [f"CREATE TABLE toast ({COLUMNS})", "ALTER TABLE toast ALTER t SET STORAGE external"],
    "parts": [f"CREATE TABLE parts ({COLUMNS}) PARTITION BY RANGE (i)",
              "CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (1000)",
              f"CREATE TABLE parts_high ({COLUMNS.replace('l int, i int', 'i int, l int')})",  # its columns are in another order
              "ALTER TABLE parts ATTACH PARTITION parts_high DEFAULT", "CREATE INDEX ON parts (a)"],
}

_words = ["", "plain", "two words", "a\\tb", "back\\\\slash", "new\\nline", "größer", "\\N", "0123456789" * 5]


def rows(load, n, fat=0):
    """COPY text of n rows; each so many has a value too long for the page."""
    lines = []
    for i in range(n):
        word = "%05d" % i * 1500 if fat and i % fat == 0 else _words[(i * 7 + load) % len(_words)]
        lines.append("%d\t%d\t%d\t%d.%02d\t20%02d-%02d-%02d\t%r\t%s\n" % (
            load, i, (i * 2654435761 + load) % 2**40 - 2**39, i % 5000 - 2500, i % 100, i % 40, i % 12 + 1, i % 28 + 1, i / 7, word))
    return "".join(lines).encode()


def make_tables(c):
    for statements in TABLES.values():
        for statement in statements:
            c.must(statement)


def load(c, table, number, n):
    """One COPY of n rows, which must succeed."""
    result = c.copy(f"COPY {table} FROM STDIN", [rows(number, n, 50 if table == "toast" else 0)])
    if result.error or result.tag != f"COPY {n}":
        raise RuntimeError(f"{table}: {result}")


def load_all(c, number, n=3000):
    """Every kind of transaction around loads; a failing one among them. Numbers from number to number + 9 mark its rows."""
    for table in TABLES:
        load(c, table, number, n)
    c.must("BEGIN; SAVEPOINT a")
    load(c, "plain", number + 1, n)
    load(c, "toast", number + 1, n // 4)
    c.must("ROLLBACK TO a; SAVEPOINT b; SAVEPOINT c")
    for table in TABLES:
        load(c, table, number + 2, n // 2)
    c.must("RELEASE b; SAVEPOINT d")
    load(c, "parts", number + 3, n // 3)
    c.must("COMMIT; BEGIN")
    load(c, "plain", number + 4, n)
    c.must("ROLLBACK")
    c.must("DELETE FROM plain WHERE i % 10 = 3; UPDATE toast SET a = a + 1 WHERE i % 100 = 0")
    c.must("BEGIN; DROP TABLE IF EXISTS fresh; CREATE TABLE fresh (LIKE plain)")
    result = c.copy("COPY fresh FROM STDIN (FREEZE)", [rows(number + 5, n)])
    if result.error:
        raise RuntimeError(result.error)
    c.must("COMMIT")
    for table in TABLES:  # too small for whole pages
        load(c, table, number + 6, 5)


def content(c, tables=None):
    """(table, rows, checksum) of every ordinary table, or of these."""
    tables = tables or [row[0].decode() for row in c.must(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1").rows]
    return [(table, *c.must(f"SELECT count(*), md5(string_agg(x::text, E'\\n' ORDER BY x::text)) FROM {table} x").rows[0])
            for table in tables]


AGGREGATES = ("SELECT count(*), count(a), sum(i), sum(n), min(d), max(a), avg(n) FROM %s",
              "SELECT count(*), sum(a) FROM %s WHERE i BETWEEN 500 AND 2000", "SELECT l, count(*), sum(n), max(d) FROM %s GROUP BY l")


def aggregates(c, tables):
    """The answers of both scans, millrace's and PostgreSQL's, in the transaction as it stands: a pair."""
    pair = []
    for on in ("on", "off"):
        c.must(f"SET LOCAL millrace.scan = {on}")
        pair.append([sorted(c.must(query % table).rows) for table in tables for query in AGGREGATES])
    return pair

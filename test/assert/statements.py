"""A little of everything, millrace off and on, for servers that are very slow because they check themselves; run by test/assert/run.

MILLRACE_DISCARD=1 sets debug_discard_caches: whatever was looked up in a catalog cache is gone at the next chance, and what
keeps a pointer into one too long meets freed memory. MILLRACE_POSTGRES may name a server under Valgrind.
"""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from server import Server  # noqa: E402
from tap import both, main, outcome, rows, same  # noqa: E402

DISCARD = f"SET debug_discard_caches = {os.environ.get('MILLRACE_DISCARD', 0)}"
server = Server(conf=["session_preload_libraries = 'millrace'", "autovacuum = off"])
MAKE = """
CREATE TYPE color AS ENUM ('red', 'green'); CREATE DOMAIN small AS int CHECK (VALUE < 100);
CREATE TABLE plain (a int, b text); CREATE TABLE q (a int, b text, c float8, d timestamp);
CREATE TABLE t (a int, b text, c color, d numeric(8,2), e small, f date DEFAULT '2020-01-01', g int GENERATED ALWAYS AS (a + 1) STORED, h int[]);
CREATE TABLE k (a int PRIMARY KEY, b text, CHECK (a <> 7)); CREATE INDEX ON k ((length(b))) WHERE a > 1;
CREATE TABLE r (a int REFERENCES k, b text); CREATE TABLE p (a int, b text) PARTITION BY LIST (a);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1, 2); CREATE TABLE p3 PARTITION OF p DEFAULT;
CREATE TABLE told (x text); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (new.a || TG_OP); RETURN new; END $$;
CREATE TABLE w (a int, b text); CREATE TRIGGER n AFTER INSERT ON w FOR EACH ROW EXECUTE FUNCTION note();
CREATE TABLE big (a int, b text, c numeric, d float8, e date, f color);
INSERT INTO big SELECT g, 'b' || g % 5, g / 3.0, g, '2020-01-01'::date + g % 30, CASE g % 2 WHEN 0 THEN 'red' ELSE 'green' END::color FROM generate_series(1, 3000) g;
ANALYZE big
"""
FULL = b"".join(b"%d\ttext %d\tred\t%d.25\t%d\t{%d,2}\n" % (i, i, i, i % 90, i) for i in range(30))
PAIR = b"".join(b"%d\ttext %d\n" % (i + 10, i) for i in range(30))
PAGES = b"".join(b"%d\trow %d with \\ttab and \xc3\xa9\n" % (i, i) for i in range(6000))
QUOTED = b"".join(b'%d,"row ""%d"", with\nline end",%d.5,2020-02-%02d\n' % (i, i, i, 1 + i % 28) for i in range(1500))
LOADS = [("plain", PAGES), ("plain", PAGES + b"oops\tx\n"), ("q CSV", QUOTED), ("q CSV", QUOTED + b'1,"x'), ("t (a, b, c, d, e, h)", FULL), ("t (a, b, c, d, e, h)", FULL + b"1\tx\tblue\t1\t1\t{}\n"), ("t (a, b, c, d, e, h)", FULL + b"1\tx\tred\t1\t100\t{}\n"),
         ("t (a, c)", b"1\tgreen\n\\N\t\\N\n"), ("k", PAIR), ("k", PAIR), ("k", b"7\tx\n"), ("r", b"10\tx\n11\ty\n"), ("r", b"9\tx\n"),
         ("p", b"1\tx\n2\ty\n3\tz\n" * 20), ("w", b"1\tx\n2\ty\n3\tz\n"), ("w (b)", b"only\n")]
QUERIES = ["SELECT count(*) FROM big", "SELECT sum(a), avg(c), min(b), max(e), sum(d) FROM big WHERE a > 10 AND b <> 'b2'",
           "SELECT b, f, count(*), sum(c), stddev(d) FROM big GROUP BY b, f ORDER BY 1, 2", "SELECT sum(1 / (a - 2000)) FROM big",
           "SELECT sum(a + length(b)) FILTER (WHERE e > '2020-01-09') FROM big", "SELECT (SELECT count(*) FROM big WHERE a < g) FROM generate_series(1, 4) g",
           "SELECT a % 70, count(*) FROM big GROUP BY 1 ORDER BY 1", "PREPARE q AS SELECT count(*), sum(a) FROM big WHERE a < $1", "EXECUTE q(50)", "EXECUTE q(60)",
           "SELECT count(*), max(f) FROM big HAVING count(*) > 5", "SELECT millrace.count('big')", "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(*) FROM told"]
PARALLEL = ("SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0")


def seen(result):
    """outcome() without the schema, which has its name from the mode."""
    (result.error or {}).pop("schema", None)
    return outcome(result)


def statements():
    with server.connect() as c:
        c.must("CREATE EXTENSION millrace")
    pair = both(server, MAKE)
    for c in pair:
        c.must("SET max_parallel_workers_per_gather = 0; " + DISCARD)
    for table, data in LOADS:
        name, _, options = table.partition(" CSV")
        sql = f"COPY {name} FROM STDIN" + ("" if name == table else " CSV" + options)
        same(*(seen(c.copy(sql, [data[:5000], data[5000:]])) for c in pair), f"{sql}: {len(data)} bytes")
    for c in pair:
        c.must("SET debug_discard_caches = 0")
    for table in ("plain", "q", "t", "k", "r", "p", "w", "told"):
        same(*(rows(c, table) for c in pair), f"... what {table} holds then")
    for plan in ("SET max_parallel_workers_per_gather = 0", PARALLEL):
        for c in pair:
            c.must(plan + "; DEALLOCATE ALL; " + DISCARD)
        for query in QUERIES:
            if plan == PARALLEL and ("sum(d)" in query or "stddev" in query or "EXPLAIN" in query or "1 /" in query):
                continue
            results = [c.run(query) for c in pair]
            if "EXPLAIN" in query:
                same(results[0].error, results[1].error, query)
            else:
                same(*((seen(r), r.rows) for r in results), query)


main(statements)

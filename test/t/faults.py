"""Faults under way: no memory, cancels at any moment, locks, deadlocks, DDL beside loads and scans, no workers, late errors.

Each is done with millrace off and on: the client sees the same, nothing is lost, and nothing stays behind.
"""
import contextlib
import os
import random
import re
import resource
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pq import COPY_IN  # noqa: E402
from server import Server  # noqa: E402
from tap import both, main, memory, ok, open_files, outcome, path, same  # noqa: E402

server = Server(conf=["session_preload_libraries = 'millrace'", "autovacuum = off", "deadlock_timeout = 50ms",
                      "max_worker_processes = 8"])
with server.connect() as c:
    c.must("CREATE EXTENSION millrace; CREATE EXTENSION pg_buffercache")
SEED = int(os.environ.get("MILLRACE_SEED", time.time()))
rng = random.Random(SEED)
TRIES = int(os.environ.get("MILLRACE_TRIES", 50))  # of each kind of statement, by each kind of stop: 400 in all
OUT_OF_MEMORY, CANCELED = "53200", "57014"
PARALLEL = ("SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
            "SET min_parallel_table_scan_size = 0")
FILES = {}


def at_once(threads):
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def file_of(name, lines):
    """A file that the server reads; its path."""
    if name not in FILES:
        FILES[name] = os.path.join(server.dir, name)
        with open(FILES[name], "wb") as f:
            f.write(b"".join(lines))
    return FILES[name]


def numbered(n):
    return file_of(f"rows{n}", (b"%d\trow number %d\n" % (i, i) for i in range(1, n + 1)))


@contextlib.contextmanager
def twins(sql):
    """both(), closed at the end."""
    pair = both(server, sql)
    try:
        yield pair
    finally:
        for c in pair:
            c.close()


@contextlib.contextmanager
def fast(sql):
    """The one with millrace on."""
    with twins(sql) as pair:
        yield pair[1]


def blur(result):
    """outcome() without the numbers that differ between any two runs: processes, transactions, sizes, places."""
    def words(report):
        return report and {k: v if k == "sqlstate" else re.sub(r"\d+", "N", re.sub("fast|plain", "S", v)) for k, v in report.items()}
    return result.status, result.tag, words(result.error), [words(n) for n in result.notices]


def code(result):
    return result.error and result.error.get("sqlstate")


def uses_scan(c, query):
    return any(b"MillraceAgg" in r[0] for r in c.must("EXPLAIN " + query).rows)


def left_behind(c):
    """What a session that is not in a transaction must not have: locks, pinned buffers. Others, such as the checkpointer, pin some for a moment."""
    with server.connect() as other:
        for _ in range(50):
            found = (other.must(f"SELECT count(*) FROM pg_locks WHERE pid = {c.pid}").value,
                     other.must("SELECT count(*) FROM pg_buffercache WHERE pinning_backends > 0 AND "
                                "reldatabase = (SELECT oid FROM pg_database WHERE datname = 'postgres') AND "
                                "relfilenode >= 16384").value)
            if found == ("0", "0"):
                break
            time.sleep(0.1)
        return found


def alarms():
    """Lines of the server's log that no test here may cause."""
    with open(server.log, errors="replace") as f:
        return [line for line in f if re.search("PANIC|TRAP|was terminated by signal|leak|still referenced|corrupt", line)]


def blocked(c):
    """Waits until the session waits for a lock."""
    with server.connect() as other:
        for _ in range(200):
            if other.must(f"SELECT cardinality(pg_blocking_pids({c.pid}))").value != "0":
                return True
            time.sleep(0.01)
    return False


def limit_memory(pid, more):
    """Lets a process have so many bytes of address space more than it has; None: any."""
    with open(f"/proc/{pid}/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY if more is None else used + more, resource.RLIM_INFINITY))


def no_memory():
    """The address space of a backend ends a bit later each time: the statement is done, or it is out of memory."""
    wide = file_of("wide", (b"%d\t%s\n" % (i, b"x" * 3_000_000) for i in range(4)))
    rows = numbered(20000)
    make = ("CREATE TABLE t (a int, b text); CREATE TABLE k (a int PRIMARY KEY, b text); "
            "CREATE TABLE p (a int, b text) PARTITION BY RANGE (a); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (9999); "
            f"CREATE TABLE p2 PARTITION OF p DEFAULT; CREATE TABLE s (a int, b text); COPY s FROM '{rows}'")
    for what, sql, wanted in (
            ("a load", f"COPY t FROM '{rows}'", "COPY 20000"),
            ("a load with an index", f"COPY k FROM '{rows}'", "COPY 20000"),
            ("a load of long lines", f"COPY t FROM '{wide}'", "COPY 4"),
            ("a load into partitions", f"COPY p FROM '{rows}'", "COPY 20000"),
            ("many groups", "SELECT count(*) FROM (SELECT b, count(*), sum(a), avg(a) FROM s GROUP BY b) x", "20000"),
            ("a long minimum", "SELECT length(min(b || repeat('y', 2000000))) FROM s WHERE a < 9", "2000012")):
        told = set()
        with fast(make):
            for room in [0, 64] + [rng.randrange(0, 65536) for _ in range(10)]:
                with server.connect() as c:
                    c.must("SET search_path = fast; SET millrace.scan = on; SET millrace.scan_min_cost = 0; SET work_mem = '256MB'; SET enable_sort = off; SET jit = off")
                    limit_memory(c.pid, room * 1024)
                    r = c.run(sql)
                    told.add(code(r) or (r.rows[0][0].decode() if r.rows else r.tag))
                    limit_memory(c.pid, None)
                    again = c.run("TRUNCATE t, k, p; " + sql)
                    if again.error:
                        told.add(f"then {again.error}")
                    c.must("TRUNCATE t, k, p")
        ok(told == {wanted, OUT_OF_MEMORY}, f"{what} with little memory: done or 53200, and the session goes on", told, f"seed {SEED}")
    ok(not alarms(), "... and the server never faltered", *alarms()[:3])


def no_memory_for_workers():
    """The same for workers: they inherit what the postmaster may have."""
    query = "SELECT count(*), max(n) FROM (SELECT b, count(*) AS n FROM t GROUP BY b) x"
    told, postmaster = set(), server.pid()
    with fast(f"CREATE TABLE t (a int, b text); COPY t FROM '{numbered(100000)}'; ANALYZE t; {PARALLEL}; "
              "SET work_mem = '256MB'; SET enable_sort = off") as c:
        try:
            for room in range(1, 16):
                limit_memory(postmaster, room * 1024 * 1024)
                r = c.run(query)
                # a worker may end before it can tell why, or have no room for the libraries it is to load
                early = r.error and re.match("lost connection to parallel worker|could not load library", r.error["message"])
                told.add(OUT_OF_MEMORY if early else code(r) or r.rows[0])
        finally:
            limit_memory(postmaster, None)
        told.add(c.run(query).rows[0])
    ok(told <= {(b"100000", b"1"), OUT_OF_MEMORY} and (b"100000", b"1") in told, "workers without memory: an answer or 53200", told)
    ok(not alarms(), "... and the server never faltered", *alarms()[:3])


def stopped_at_random(how, stop):
    """TRIES times: the statement is done, or it is cancelled and has done nothing."""
    rows, n = numbered(50000), 50000
    query = "SELECT g, count(*), sum(a), avg(a), min(b) FROM s WHERE b LIKE '%1%' GROUP BY g"
    with fast("CREATE TABLE t (a int, b text); CREATE TABLE k (a int, b text); CREATE INDEX ON k (a); "
              "CREATE TABLE s (a int, b text, g int GENERATED ALWAYS AS (a % 100) STORED)"
              + f"; COPY s FROM '{rows}'" * 8 + "; ANALYZE s") as c:
        for what, before, sql in (("COPY", "", f"COPY t FROM '{rows}'"), ("COPY with an index", "", f"COPY k FROM '{rows}'"),
                                  ("a serial aggregate", "SET max_parallel_workers_per_gather = 0", query),
                                  ("a parallel aggregate", PARALLEL, query)):
            c.must(before or "SELECT 1")
            is_copy = sql.startswith("COPY")
            if not is_copy:
                ok(uses_scan(c, sql), f"{what} is MillraceAgg")
            c.must(sql)
            began = time.monotonic()
            wanted = c.must(sql)
            lasts = time.monotonic() - began
            table = sql.split()[1]
            done, stopped, wrong = 0, 0, []
            if is_copy:
                c.must(f"TRUNCATE {table}")
            for _ in range(TRIES):
                r = stop(c, sql, rng.random() * lasts * 1.2)
                if code(r) == CANCELED:
                    stopped += 1
                elif r.error or (not is_copy and sorted(r.rows) != sorted(wanted.rows)):
                    wrong.append(r.error or "another answer")
                else:
                    done += 1
            if is_copy:
                counted = int(c.must(f"SELECT count(*) FROM {table}").value)
                if counted != done * n:
                    wrong.append(f"{counted} rows of {done} loads")
            ok(not wrong and stopped > TRIES / 20, f"{how} in {what}: {done} done, {stopped} stopped, nothing half done", *wrong[:3], f"seed {SEED}")
            same(("0", "0"), left_behind(c), "... no lock and no pin is left")


def by_timeout(c, sql, seconds):
    c.must(f"SET statement_timeout = {max(1, round(seconds * 1000))}")
    r = c.run(sql)
    while c.run("SET statement_timeout = 0").error:  # which has the timeout, too
        pass
    return r


def by_cancel(c, sql, seconds):
    c.send(sql)
    time.sleep(seconds)
    c.cancel()
    r = c.wait()
    c.run("SELECT 1")  # a cancel that came late hits this at most
    c.must("SELECT 1")
    return r


def random_timeouts():
    stopped_at_random("statement_timeout", by_timeout)


def random_cancels():
    stopped_at_random("a cancel", by_cancel)
    ok(not alarms(), "no alarm in the log", *alarms()[:3])


def lock_timeouts():
    seen = []
    with twins("CREATE TABLE t (a int PRIMARY KEY, b text); CREATE TABLE parent (id int PRIMARY KEY); "
       "CREATE TABLE child (id int REFERENCES parent); INSERT INTO parent VALUES (1)") as pair:
        for c in pair:
            got = []
            with server.connect() as other:
                other.must(f"SET search_path = {c.must('SHOW search_path').value}")
                c.must("SET lock_timeout = 60")
                for lock, what in (("LOCK t IN ACCESS EXCLUSIVE MODE", f"COPY t FROM '{numbered(20000)}'"),
                                   ("LOCK t IN ACCESS EXCLUSIVE MODE", "SELECT count(*), sum(a) FROM t"),
                                   ("LOCK t IN SHARE MODE", f"COPY t FROM '{numbered(20000)}'"),
                                   ("INSERT INTO t VALUES (15000, 'first')", f"COPY t FROM '{numbered(20000)}'"),
                                   ("DELETE FROM parent", f"COPY child FROM '{file_of('one', [b'1' + bytes([10])])}'")):
                    other.must("BEGIN; " + lock)
                    got.append(blur(c.run(what)))
                    other.must("ROLLBACK")
                    got.append(c.must("SELECT count(*) FROM t").value)
            seen.append(got)
    same(seen[0], seen[1], "lock_timeout: for the table, for a key, for a referenced row")
    ok([s[2]["sqlstate"] for s in seen[1][::2]] == ["55P03"] * 5, "... gives 55P03", seen[1])


def deadlocks():
    """Two loads that want each other's keys: one of them is told so, the other goes on."""
    for rows in (1, 5000):
        seen = []
        for name, on in (("plain", "off"), ("fast", "on")):
            with twins("CREATE TABLE t (a int PRIMARY KEY, b text)"):
                pass
            one, two = server.connect(), server.connect()
            for s in (one, two):
                s.must(f"SET search_path = {name}; SET millrace.copy = {on}")
                s.must("BEGIN")
            keys = [b"".join(b"%d\tx\n" % i for i in range(first, first + rows)) for first in (0, rows)]
            one.copy("COPY t FROM STDIN", [keys[0]])
            two.copy("COPY t FROM STDIN", [keys[1]])
            results = {}

            def load(s, data, key):
                results[key] = s.copy("COPY t FROM STDIN", [data])
            threads = [threading.Thread(target=load, args=a) for a in ((one, keys[1], 1), (two, keys[0], 2))]
            threads[0].start()
            waits = blocked(one)
            threads[1].start()
            # the loser is rolled back, whichever it is; the other one, which may be heard of first, has its rows then
            losers = []
            while not losers and len(results) < 2:
                time.sleep(0.01)
                losers = [key for key, r in list(results.items()) if "40P01" in str(blur(r))]
            for loser in losers:
                (one, two)[loser - 1].must("ROLLBACK")
            for t in threads:
                t.join()
            told = sorted(str(blur(r)) for r in results.values())
            for s in (one, two):
                s.run("COMMIT")
            seen.append((waits, told, one.must("SELECT count(*), count(DISTINCT a) FROM t").rows))
            one.close()
            two.close()
        same(seen[0], seen[1], f"a deadlock of two loads of {rows} rows")
        ok("40P01" in seen[1][1][0] + seen[1][1][1], "... is one", seen[1])


DDL = ["DROP TABLE t", "TRUNCATE t", "ALTER TABLE t ADD c int", "ALTER TABLE t ADD c int NOT NULL DEFAULT 7", "ALTER TABLE t DROP b",
       "ALTER TABLE t ALTER a TYPE text", "ALTER TABLE t ALTER a TYPE bigint", "ALTER TABLE t ADD CHECK (a < 50)",
       "ALTER TABLE t RENAME TO other", "ALTER TABLE t RENAME b TO bb", "ALTER TABLE t RENAME b TO bb; ALTER TABLE t RENAME a TO b; "
       "ALTER TABLE t RENAME bb TO a", "CREATE UNIQUE INDEX ON t ((a % 70))", "ALTER TABLE t SET UNLOGGED", "DROP TABLE t; CREATE TABLE t (b text, a int)",
       "DROP TABLE t; CREATE VIEW t AS SELECT 1 AS a, '2'::text AS b", "CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING",
       "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION public.refuse()", "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
       "CREATE TABLE u (LIKE t); DROP TABLE t; CREATE TABLE t (a int, b text) PARTITION BY LIST (a); ALTER TABLE t ATTACH PARTITION u DEFAULT",
       "ALTER TABLE t SET (fillfactor = 20)"]
REFUSE = ("CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF new.a % 2 = 0 THEN RETURN NULL; "
          "END IF; RETURN new; END $$")


def ddl_first():
    """A statement waits for DDL that then commits, or not: it must see the table as it has become."""
    wrong, scans = [], 0
    with server.connect() as other:
        other.must(REFUSE)
    statements = [("COPY t FROM STDIN", b"1\tx\n60\ty\n" * 3), ("COPY t (a, b) FROM STDIN CSV", b"5,x\n7,\n6,z\n" + b"9,q\n" * 1000)]
    queries = ["SELECT count(*), sum(a), min(b) FROM t", "SELECT b, count(*) FROM t WHERE a > 1 GROUP BY b"]
    for ddl in DDL:
        for end in ("COMMIT", "ROLLBACK"):
            for sql, data in statements + [(q, None) for q in queries] + [(f"EXECUTE q{i}", None) for i in range(2)]:
                seen = []
                with twins("CREATE TABLE t (a int, b text); INSERT INTO t "
                   "SELECT g, 'v' || g % 3 FROM generate_series(1, 40) g; DEALLOCATE ALL;"
                   + ";".join(f"PREPARE q{i} AS {q}" for i, q in enumerate(queries))) as pair:
                    for c in pair:
                        schema = c.must("SELECT current_schema()").value
                        scans += uses_scan(c, queries[0])
                        c.must("EXECUTE q0")
                        with server.connect() as other:
                            other.must(f"SET search_path = {schema}; BEGIN")
                            other.must("LOCK t IN ACCESS EXCLUSIVE MODE; " + ddl)
                            c.send(sql)
                            waits = blocked(c)
                            other.must(end)
                        r = c.wait()
                        if r.status == COPY_IN:
                            c.put(data)
                            r = c.end()
                        state = c.run("SELECT x::text FROM t x ORDER BY 1")
                        seen.append((waits, blur(r), [sorted(r.rows), code(r)], state.rows, code(state)))
                if seen[0] != seen[1] or not seen[1][0]:
                    wrong.append(f"{ddl}; {end}; {sql}: {seen}")
    ok(not wrong, f"statements behind {len(DDL)} kinds of DDL, committed or not", *wrong[:4])
    ok(scans > 0, "... with scans among them")


def ddl_behind():
    """DDL waits for a load and for a scan under way, and finds all of the load."""
    seen = []
    with twins(f"CREATE TABLE t (a int, b text); COPY t FROM '{numbered(30000)}'") as pair:
        for c in pair:
            schema, got = c.must("SELECT current_schema()").value, []
            for ddl in ("TRUNCATE t", "ALTER TABLE t ADD c int DEFAULT 3", "ALTER TABLE t DROP c", "CREATE INDEX ON t (a)", "DROP TABLE t"):
                for reader in (False, True):
                    with server.connect() as other:
                        other.must(f"SET search_path = {schema}")
                        if reader:
                            c.must("BEGIN; DECLARE x CURSOR FOR SELECT a % 10, count(*) FROM t GROUP BY 1; FETCH 1 FROM x")
                        else:
                            c.run("COPY t (a, b) FROM STDIN")
                            c.put(b"1\tx\n" * 3000)
                        other.send(("BEGIN; " + ddl + "; ROLLBACK") if reader else ddl)
                        waits = blocked(other)
                        if reader:
                            got.append(len(c.must("FETCH ALL FROM x").rows))
                            got.append(blur(c.run(ddl)))  # and in the session that has the cursor
                            c.run("ROLLBACK")
                        else:
                            got.append(c.end().tag)
                        got.append((waits, blur(other.wait())))
                        got.append(other.run("SELECT count(*) FROM t").rows)
                        if ddl == "DROP TABLE t" and not reader:
                            c.must("CREATE TABLE t (a int, b text); INSERT INTO t SELECT g, 'x' FROM generate_series(1, 1000) g")
            seen.append(got)
    same(seen[0], seen[1], "DDL behind a load and behind an open scan")


def storm():
    """Loads, scans and DDL all at once for some seconds: only errors that core may give, and a count that fits."""
    allowed = {"42P01", "42701", "42703", "40P01", "55P03", "55000", "0A000", "23505", "22P04", "22P02", "XX000"}
    codes, odd, until = {}, [], time.monotonic() + 5

    def work(n):
        r = random.Random(SEED + n)
        with server.connect() as s:
            s.must("SET search_path = fast; SET millrace.scan = on; SET millrace.scan_min_cost = 0; SET lock_timeout = 500; " + (PARALLEL if n % 2 else ""))
            while time.monotonic() < until:
                if n < 3:
                    got = s.copy("COPY t (a, b) FROM STDIN", [b"%d\tx\n" % n * r.choice((1, 700, 5000))] * 2)
                elif n < 6:
                    got = s.run(r.choice(["SELECT count(*) FROM t", "SELECT b, sum(a), max(a) FROM t GROUP BY b", "SELECT avg(a) FROM t WHERE b = 'x'"]))
                else:
                    time.sleep(0.01)
                    got = s.run(r.choice(["TRUNCATE t", "ALTER TABLE t ADD c int DEFAULT 1", "ALTER TABLE t DROP c", "VACUUM t", "DELETE FROM t WHERE a = 1",
                                          "BEGIN; DROP TABLE t; CREATE TABLE t (a int, b text); COMMIT", "VACUUM FULL t", "ALTER TABLE t ALTER a TYPE bigint",
                                          "BEGIN; DROP TABLE t; ROLLBACK", "CREATE INDEX ON t (a)", "ANALYZE t", "UPDATE t SET b = 'x' WHERE a = 2"]))
                    if got.error:
                        s.run("ROLLBACK")
                codes[code(got)] = codes.get(code(got), 0) + 1
                # a relation dropped while its name is looked up is an internal error in core, too
                if code(got) and (code(got) not in allowed or code(got) == "XX000" and not re.search(
                        "could not open relation|cache lookup failed|tuple concurrently|does not exist", got.error["message"])):
                    odd.append(got.error)
    with fast("CREATE TABLE t (a int, b text)") as c:
        at_once([threading.Thread(target=work, args=(n,)) for n in range(8)])
        ok(not odd and codes.get(None, 0) > 50, f"loads, scans and DDL at once: {codes}", *odd[:3], f"seed {SEED}")
        c.must("SET max_parallel_workers_per_gather = 0")
        answers = [c.must(f"SET millrace.scan = {on}; SELECT count(*), sum(a), min(b) FROM t").rows for on in ("off", "on")]
        same(answers[0], answers[1], "... and afterwards the scan counts what core counts")
    ok(not alarms(), "... with no alarm in the log", *alarms()[:3])


def no_workers():
    """Fewer workers than planned, none at all, and a leader that would not take part."""
    seen = []
    with twins(f"CREATE TABLE t (a int, b text); COPY t FROM '{numbered(100000)}'; ANALYZE t; {PARALLEL}; SET max_parallel_workers_per_gather = 4") as pair:
        for c in pair:
            got = []
            for limit in (0, 1, 8):
                for leader in ("on", "off"):
                    c.must(f"SET max_parallel_workers = {limit}; SET parallel_leader_participation = {leader}")
                    for query in ("SELECT count(*), sum(a), min(b), avg(a) FROM t", "SELECT a % 100, count(*), max(b) FROM t GROUP BY 1",
                                  "SELECT (SELECT count(*) FROM t WHERE a > g) FROM generate_series(1, 3) g", "SELECT DISTINCT a % 10 FROM t"):
                        got.append(sorted(c.must(query).rows))
            c.must("SET max_parallel_workers = 0")
            plan = b"\n".join(r[0] for r in c.must("EXPLAIN (ANALYZE, COSTS OFF) SELECT count(*), sum(a) FROM t").rows)
            got.append(b"Workers Launched: 0" in plan)
            seen.append(got)
    same(seen[0], seen[1], "parallel plans without their workers")
    ok(seen[1][-1] and b"MillraceAgg" in plan, "... had none launched, and were MillraceAgg", plan)
    # all the server's slots taken by others
    results = []

    def query(s):
        results.append(s.run("SELECT count(*), sum(a), count(DISTINCT x) FROM (SELECT a, a % 7 AS x FROM t) y").rows +
                       s.run("SELECT count(*), sum(a) FROM t").rows)
    sessions = [server.connect() for _ in range(12)]
    for s in sessions:
        s.must(f"SET search_path = fast; SET millrace.scan = on; SET millrace.scan_min_cost = 0; {PARALLEL}; SET max_parallel_workers_per_gather = 6")
    for _ in range(5):
        at_once([threading.Thread(target=query, args=(s,)) for s in sessions])
    for s in sessions:
        s.close()
    ok(len(results) == 60 and all(r == results[0] for r in results) and results[0][1] == (b"100000", b"5000050000"),
       "twelve sessions that want six workers each, of eight", results[0])


def subtransactions():
    """Savepoints and exception blocks around loads and scans, good and bad, in one long transaction."""
    good, bad = numbered(3000), file_of("bad", [b"1\tx\n" * 2500 + b"oops\ty\n"])
    late = file_of("late", [b"".join(b"%d\tx\n" % i for i in range(9001, 11000)) + b"1\tx\n"])
    seen = []
    with twins("CREATE TABLE t (a int, b text); CREATE TABLE k (a int PRIMARY KEY, b text); CREATE TABLE told (x text)") as pair:
        for c in pair:
            c.must(f"""DO $$ DECLARE i int; n record; BEGIN
              FOR i IN 1..200 LOOP
                BEGIN
                  IF i % 8 = 0 THEN COPY t FROM '{bad}'; ELSIF i % 8 = 1 THEN COPY t FROM '{good}'; RAISE EXCEPTION 'undone';
                  ELSIF i % 8 = 2 THEN SELECT sum(1 / (a - 3)) AS x INTO n FROM t;
                  ELSIF i % 8 = 3 THEN COPY t FROM '{good}'; SELECT count(*) AS x INTO n FROM t; INSERT INTO told VALUES (n.x);
                  ELSIF i % 8 = 4 THEN COPY k FROM '{good}'; COPY k FROM '{late}';
                  ELSIF i % 8 = 5 THEN TRUNCATE t; COPY t FROM '{bad}';
                  ELSIF i % 8 = 6 THEN FOR n IN SELECT a % 5 AS x, count(*) AS y FROM t GROUP BY 1 ORDER BY 1 LOOP
                      IF n.x = 3 THEN RAISE EXCEPTION 'in a cursor at %', n.y; END IF; END LOOP;
                  ELSE DELETE FROM t WHERE a % 3 = 0; SELECT count(*) AS x, sum(a) AS y INTO n FROM t; INSERT INTO told VALUES (n); END IF;
                EXCEPTION WHEN OTHERS THEN INSERT INTO told VALUES (SQLSTATE || SQLERRM); END;
              END LOOP; END $$""")
            c.must("BEGIN; DECLARE x CURSOR FOR SELECT a % 50, count(*) FROM t GROUP BY 1; FETCH 3 FROM x; SAVEPOINT s; "
                   "DECLARE y CURSOR FOR SELECT a, count(*) FROM t GROUP BY 1; FETCH 3 FROM y")
            failed = blur(c.run("SELECT sum(1 / (a - 4)) FROM t"))
            c.must("ROLLBACK TO s")
            got = [failed, blur(c.run("FETCH 1 FROM y"))]
            c.must("ROLLBACK TO s")
            got.append(len(c.must("FETCH ALL FROM x").rows))
            c.must("COMMIT")
            seen.append(got + [c.must("SELECT x FROM told").rows, c.must("SELECT count(*), sum(a) FROM t").rows, c.must("SELECT count(*) FROM k").value])
            same(("0", "0"), left_behind(c), "no lock and no pin is left by 200 subtransactions")
    same(seen[0], seen[1], "savepoints and exception blocks around loads and scans")


def late_trigger():
    """An error in a trigger in the 100,000th row."""
    make = ("CREATE TABLE t (a int, b text); CREATE OR REPLACE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF new.a = 100000 THEN RAISE EXCEPTION 'row % is not wanted', new.a USING HINT = 'none'; END IF; RETURN new; END $$; ")
    for what, trigger in (("AFTER ROW", "CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION stop()"),
                          ("BEFORE ROW", "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION stop()"),
                          ("deferred", "CREATE CONSTRAINT TRIGGER r AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stop()"),
                          ("WHEN", "CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW WHEN (new.a > 99990) EXECUTE FUNCTION stop()")):
        seen = []
        with twins(make + trigger) as pair:
            for c in pair:
                r = c.run(f"COPY t FROM '{numbered(100100)}'")
                left = c.must("SELECT count(*) FROM t").value
                c.must("DROP TRIGGER r ON t")
                seen.append((blur(r), r.error["message"], left, c.run(f"COPY t FROM '{numbered(100100)}'").tag,
                             c.must("SELECT count(*), sum(a) FROM t").rows))
        same(seen[0], seen[1], f"a {what} trigger that fails in the 100,000th row")
        ok(seen[1][1:4] == ("row 100000 is not wanted", "0", "COPY 100100"), "... leaves nothing, and the table takes the rows then", seen[1])


def same_failure(off, on, major):
    """
    Are these errors of a CopyFail the same? Since 19 core may end a line only with another 16 bytes at hand, and be that many lines of
    CSV behind us when there are no more.
    """
    if off == on or major < 19:
        return off == on
    lines = []
    for _, _, error, _ in (off, on):
        context, _, line = error["context"].rpartition(", line ")
        lines.append(int(line))
        error["context"] = context
    return off == on and 0 <= lines[1] - lines[0] <= 16


def copy_fail():
    """CopyFail after each message, wherever that cuts the input, into tables of every kind."""
    texts = [("CSV", b'1,"a ""quoted\nfield"\n2,\xc3\xa9\xe2\x82\xac\n3,"x' + b"y" * 9000 + b'"\n' + b"4,z\n" * 700),
             ("", b"1\ta\\\nb\n2\t\\N\n3\t\xf0\x9f\x98\x80\n" + b"4\tzz\n" * 700)]
    kinds = ["CREATE TABLE t (a int, b text)", "CREATE TABLE t (a int, b text); CREATE INDEX ON t (a)",
             "CREATE TABLE t (a int, b text) PARTITION BY HASH (a); CREATE TABLE t0 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 0);"
             "CREATE TABLE t1 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 1)", "CREATE TEMP TABLE t (a int, b text)"]
    wrong, tried = [], 0
    for make in kinds:
        with twins(make) as pair:
            major = int(pair[0].must("SHOW server_version_num").value) // 10000
            for options, data in texts:
                cuts = sorted(rng.sample(range(1, 60), 12) + rng.sample(range(60, len(data)), 8))
                pieces = [data[a:b] for a, b in zip([0] + cuts, cuts + [len(data)])]
                for before in range(len(pieces) + 1):
                    seen = []
                    for c in pair:
                        c.run(f"COPY t FROM STDIN {options}")
                        for piece in pieces[:before]:
                            c.put(piece)
                        seen.append((outcome(c.end(f"reason {before}")), c.must("SELECT count(*) FROM t").value))
                    tried += 1
                    if (not same_failure(seen[0][0], seen[1][0], major) or [left for _, left in seen] != ["0", "0"]
                            or seen[1][0][2]["sqlstate"] != CANCELED):
                        wrong.append((before, seen))
    ok(not wrong, f"CopyFail at {tried} places", *wrong[:3])


def repeats():
    """1,000 statements that fail, are cancelled or are left half done: nothing adds up."""
    rows = numbered(5000)
    with fast(f"CREATE TABLE t (a int, b text); COPY t FROM '{rows}'; CREATE TABLE w (a int, b text); ANALYZE t; SET work_mem = '64kB';"
              "CREATE FUNCTION bad(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN IF $1 = 4000 THEN RAISE 'no'; END IF; RETURN $1; END $$") as c:

        def once():
            c.must("SET max_parallel_workers_per_gather = 0")
            assert code(c.run("SELECT sum(1 / (a - 4000)) FROM t")) == "22012"
            assert code(c.run("SELECT b, sum(a::int2 * 30000::int2) FROM t GROUP BY b")) == "22003"
            assert code(c.run("SELECT bad(a), count(*), sum(a), min(b) FROM t GROUP BY 1")) == "P0001"
            c.must("BEGIN; DECLARE x CURSOR FOR SELECT b, count(*), min(b) FROM t GROUP BY b; FETCH 5 FROM x; ROLLBACK")
            c.must("BEGIN; DECLARE x CURSOR WITH HOLD FOR SELECT a % 9, sum(a) FROM t GROUP BY 1; COMMIT; FETCH 2 FROM x; CLOSE x")
            c.must("SELECT g, (SELECT count(*) FROM t WHERE a < g AND b <> repeat('x', g)) FROM generate_series(1, 30) g LIMIT 9")
            by_timeout(c, "SELECT sum(bad(a % 3000)) FROM t, generate_series(1, 50)", 0.001)
            c.send("SELECT count(*), sum(a), max(b) FROM t")
            c.cancel()
            c.wait()
            c.run("SELECT 1")
            c.must("BEGIN; SAVEPOINT s")
            c.run(f"COPY w (a) FROM '{rows}'")
            c.must("ROLLBACK TO s; COMMIT")
            c.must("PREPARE p AS SELECT count(*), sum(a) FROM t WHERE a > $1; EXECUTE p(7); DEALLOCATE p")
            c.must(PARALLEL)
            if n % 5 == 0:
                assert code(c.run("SELECT sum(1 / (a - 4000)) FROM t")) == "22012"
                c.must("SELECT b, count(*) FROM t GROUP BY b LIMIT 3")

        def held():
            return int(c.must("SELECT sum(total_bytes) FROM pg_backend_memory_contexts").value) // 1024
        for n in range(20):
            once()
        contexts, kb, files = held(), memory(c.pid), open_files(c.pid)
        for n in range(100):
            once()
        more = held() - contexts
        ok(more < 200, f"1,000 failed and cancelled statements hold {more} kB of contexts more", contexts)
        more = memory(c.pid) - kb
        ok(more < 3000, f"... and {more} kB of memory")
        ok(open_files(c.pid) <= files + 8, "... no file", files, open_files(c.pid))
        same(("0", "0"), left_behind(c), "... no lock and no pin")
        ok(not alarms(), "... and no alarm is in the log", *alarms()[:3])
        same("fast", path(c) if c.run(f"COPY w FROM '{rows}'").tag else "", "... the fast path is still taken")


main(no_memory, no_memory_for_workers, random_timeouts, random_cancels, lock_timeouts, deadlocks, ddl_first, ddl_behind, storm, no_workers,
     subtransactions, late_trigger, copy_fail, repeats)

"""Scans of tables that shared buffers cannot hold: each page is read once, the rows are right, and whatever ends a scan early leaves no page pinned."""
import json
import os
import random
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from server import Server  # noqa: E402
from tap import main, ok, same  # noqa: E402

# 512 buffers for at most nine processes: few, but no reason to be sparing with them
server = Server(conf=["session_preload_libraries = 'millrace'", "autovacuum = off", "shared_buffers = 4MB", "max_connections = 6",
                      "max_worker_processes = 2", "max_wal_senders = 0", "autovacuum_max_workers = 1", "wal_level = minimal"])
with server.connect() as c:
    for statement in ("CREATE EXTENSION millrace",
                      "CREATE TABLE big AS SELECT g AS i, g % 1000 AS k, repeat('x', g % 150) AS t FROM generate_series(1, 200000) g",
                      "DELETE FROM big WHERE i % 7 = 0 OR i BETWEEN 50000 AND 60000", "VACUUM ANALYZE big",
                      "CREATE TABLE small AS SELECT * FROM big WHERE i <= 20000", "VACUUM ANALYZE small"):
        c.must(statement)

QUERIES = ("SELECT count(*), sum(i), min(t), max(k) FROM big", "SELECT k % 10, count(*), sum(i) FROM big WHERE i > 100 GROUP BY 1 ORDER BY 1",
           "SELECT i FROM big WHERE k = 77 ORDER BY i", "SELECT i, k FROM big ORDER BY k, i LIMIT 5",
           "SELECT (SELECT sum(i) FROM big WHERE i > n * 50000) FROM generate_series(0, 3) n",
           "SELECT count(*) FROM big a JOIN small b USING (i) WHERE a.k < 500 AND b.k < 300")


def sessions(workers=0):
    pair = []
    for on in ("off", "on"):
        c = server.connect()
        c.must(f"SET millrace.scan = {on}; SET max_parallel_workers_per_gather = {workers}; SET jit = off")
        if workers:
            c.must("SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0")
        pair.append(c)
    return pair


def answers():
    for workers in (0, 2):
        off, on = sessions(workers)
        for query in QUERIES:
            same(off.must(query).rows, on.must(query).rows, f"{query}, {workers} workers")
        off.close()
        on.close()


def buffers(c, query):
    """Pages that the plan's lowest node met."""
    plan = json.loads(c.must(f"EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT json) {query}").value)[0]["Plan"]
    while "Plans" in plan:
        plan = plan["Plans"][0]
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def pages():
    off, on = sessions()
    size = int(on.must("SELECT pg_relation_size('big') / 8192").value)
    ok(size > 2000, "the table is larger than shared buffers", size)
    for query in QUERIES[:3]:
        same(buffers(off, query), buffers(on, query), f"pages, {query}")
        same(size, buffers(on, query), "... which are all")
    # cached now, where it lies in a row and where it does not
    for table in ("small", "small", "small"):
        same(buffers(off, f"SELECT count(*) FROM {table}"), buffers(on, f"SELECT count(*) FROM {table}"), "pages of a cached table")
    off.close()
    on.close()


def ends_early():
    """As many scans as would use up all buffers if each left one pinned."""
    rng = random.Random(5)
    c = sessions()[1]
    c.must("BEGIN; DECLARE a CURSOR FOR SELECT i FROM big WHERE k > 10; DECLARE b NO SCROLL CURSOR FOR SELECT i FROM big WHERE k > 10")
    for _ in range(3):
        same(c.must("FETCH 5 FROM a").rows, c.must("FETCH 5 FROM b").rows, "two cursors side by side")
    c.must("COMMIT")
    good = 0
    for i in range(400):
        kind = i % 4
        if kind == 0:
            good += len(c.must(f"SELECT i FROM big WHERE k > 10 LIMIT {rng.randint(1, 3000)}").rows) > 0
        elif kind == 1:
            error = c.run(f"SELECT sum(10 / (i - {rng.choice((101, 20002, 150001))})) FROM big").error
            good += error is not None and error["sqlstate"] == "22012"
        elif kind == 2:
            c.must("BEGIN; DECLARE x NO SCROLL CURSOR FOR SELECT i FROM big WHERE k > 10; SAVEPOINT s; FETCH 10 FROM x; ROLLBACK TO s; COMMIT")
            good += 1
        elif i % 40 == 3:
            c.send("SELECT count(*), sum(i), max(t) FROM big a, generate_series(1, 200)")
            time.sleep(rng.uniform(0, 0.05))
            while not c.ready(0.05):  # the first one may come before the statement
                c.cancel()
            error = c.wait().error
            good += error is not None and error["sqlstate"] == "57014"
        else:
            good += c.must("SELECT EXISTS (SELECT FROM big WHERE k = 999)").value == "t"
    ok(good == 400, "400 scans ended early", good)
    same(c.must("SELECT count(*) FROM big").value, sessions()[0].must("SELECT count(*) FROM big").value, "the table can still be read")
    with open(server.log, errors="replace") as f:
        bad = [line for line in f if "leak" in line or "still referenced" in line or "no unpinned buffers" in line]
    ok(not bad, "no pin was left", *bad[:5])


main(answers, pages, ends_early)

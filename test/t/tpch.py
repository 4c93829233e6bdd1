"""The 22 queries of TPC-H at scale 0.01: with the fast scan every one gives PostgreSQL's rows, whatever the plan."""
import os
import sys
here = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(here, "..", "lib"), os.path.join(here, "..", "..", "bench", "lib")]
import tpch_data  # noqa: E402
from server import Server  # noqa: E402
from tap import main, ok  # noqa: E402
from tpch_queries import QUERIES, query, same_rows  # noqa: E402

SCALE = 0.01
EAGER = ["millrace.scan_min_cost = 0"]  # every scan that can be ours is
# joins over sequential scans; correlated subqueries keep their indexes, without which they take a minute
HASHED = EAGER + ["enable_nestloop = off", "enable_mergejoin = off"]
PARALLEL = ["max_parallel_workers_per_gather = 2", "min_parallel_table_scan_size = 0", "min_parallel_index_scan_size = 0",
            "parallel_setup_cost = 0", "parallel_tuple_cost = 0"]

server = Server(conf=["session_preload_libraries = 'millrace'", "autovacuum = off", "max_parallel_workers_per_gather = 0", "jit = off"])


def session(schema, *settings):
    c = server.connect()
    for setting in (f"search_path = {schema}",) + settings:
        c.must("SET " + setting)
    return c


def answers(c):
    return {number: c.must(query(number, SCALE)).rows for number in QUERIES}


def with_our_nodes(c):
    return [number for number in QUERIES
            if any(b"(Millrace" in row[0] for row in c.must("EXPLAIN " + query(number, SCALE)).rows)]


def check(expected, what, schema, *settings):
    with session(schema, *settings) as c:
        for number in QUERIES:
            found = c.run(query(number, SCALE))
            if found.error or not same_rows(number, expected[number], found.rows):
                return ok(False, f"{what}: query {number}", found.error, f"off: {expected[number]}", f"on:  {found.rows}")
        ours = with_our_nodes(c)
        return ok(1 in ours and 6 in ours and len(ours) >= 10, f"{what}: all rows are PostgreSQL's, our nodes in queries {ours}")


def tpch():
    with server.connect() as c:
        for schema, analyzed in (("warm", True), ("cold", False)):
            for sql in tpch_data.statements(schema, SCALE, analyzed):
                c.must(sql)
    with session("warm", "millrace.scan = off") as c:
        expected = answers(c)
        ok(not with_our_nodes(c), "with millrace.scan off there are no nodes of ours")
    empty = [n for n, rows in expected.items() if not any(value for row in rows for value in row)]
    ok(not empty, "every query has an answer", empty)
    check(expected, "as set", "warm")
    check(expected, "small scans too", "warm", *EAGER)
    check(expected, "hash joins only", "warm", *HASHED)
    check(expected, "without hashing", "warm", "enable_hashagg = off", "enable_hashjoin = off", *EAGER)
    check(expected, "parallel hash joins", "warm", *HASHED, *PARALLEL)
    check(expected, "never analyzed", "cold", *EAGER)


main(tpch)

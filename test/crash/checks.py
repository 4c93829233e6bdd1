"""What must hold after recovery."""
from data import CONTENT
from plans import UNLOGGED
from visibility import check_visible

# Heaps of ours and their toast tables come with what hangs on them; relkind p has no storage. Unlogged ones do not exist on a standby.
HEAPS = "SELECT c.oid::regclass::text FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relpersistence IN (%s) ORDER BY 1"
INDEXES = ("SELECT i.indexrelid::regclass::text FROM pg_class c JOIN pg_index i ON i.indrelid IN (c.oid, c.reltoastrelid) "
           "WHERE c.relkind = 'r' AND relnamespace = 'public'::regnamespace AND relpersistence IN (%s) ORDER BY 1")


def names(c, query, standby):
    return [row[0].decode() for row in c.must(query % ("'p'" if standby else "'p', 'u'")).rows]


def first(c, query, what):
    """The first row that a checking query gives, or its error; None when there is neither."""
    result = c.run(query)
    if result.error:
        return f"{what}: {result.error}"
    return f"{what}: {result.rows[:2]}" if result.rows else None


def structure(c, standby=False):
    """amcheck and pg_visibility on every table and index; the problems."""
    problems = []
    for table in names(c, HEAPS, standby):
        problems.append(first(c, f"SELECT * FROM verify_heapam('{table}', check_toast => true)", f"verify_heapam {table}"))
        problems.append(first(c, f"SELECT * FROM pg_check_frozen('{table}')", f"pg_check_frozen {table}"))
        hidden = check_visible(c, table)
        problems.append(hidden and f"pg_check_visible {table}: {hidden[:2]}")
    for index in names(c, INDEXES, standby):
        error = c.run(f"SELECT bt_index_check('{index}', heapallindexed => true)").error
        problems.append(error and f"bt_index_check {index}: {error}")
    return [p for p in problems if p]


def content(c, model, pools, standby=False):
    """Every committed load is there with all of its rows, and nothing else; the problems."""
    problems = []
    for table, loads in model.items():
        if standby and table in UNLOGGED:
            continue
        pool = pools["fat" if table == "toast" else "lean"]
        expected = [(load, rows, pool.digest(rows)) for load, rows in sorted(loads.items())]
        found = [(int(load), int(rows), md5.decode()) for load, rows, md5 in c.must(CONTENT % table).rows]
        if found != expected:
            wrong = sorted(set(found) ^ set(expected))
            problems.append(f"{table}: {wrong[:4]} (found {len(found)} loads, expected {len(expected)})")
    return problems


def scans(c, model, standby=False):
    """Aggregates by millrace and by PostgreSQL; the differences."""
    problems = []
    for table in model:
        if standby and table in UNLOGGED:
            continue
        answers = []
        for on in ("on", "off"):
            c.must(f"SET millrace.scan = {on}")
            answers.append((c.must(f"SELECT count(*), count(a), sum(i), sum(n), min(d), max(d) FROM {table} WHERE i >= 10").rows,
                            sorted(c.must(f"SELECT l, count(*), sum(n), max(i) FROM {table} GROUP BY l").rows)))
        if answers[0] != answers[1]:
            problems.append(f"{table}: on {str(answers[0])[:200]}, off {str(answers[1])[:200]}")
    return problems


def everything(c):
    """amcheck on every heap and btree index of the database, catalogs too; the problems."""
    problems = []
    for (table,) in c.must("SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 't', 'm') AND relpersistence = 'p'").rows:
        problems.append(first(c, f"SELECT * FROM verify_heapam('{table.decode()}')", table.decode()))
    for (index,) in c.must("SELECT c.oid::regclass::text FROM pg_class c JOIN pg_am a ON a.oid = relam "
                           "WHERE relkind = 'i' AND amname = 'btree' AND relpersistence = 'p'").rows:
        error = c.run(f"SELECT bt_index_check('{index.decode()}', heapallindexed => true)").error
        problems.append(error and f"{index.decode()}: {error}")
    return [p for p in problems if p]

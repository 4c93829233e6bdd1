#!/usr/bin/env python3
"""Loads generated inputs into twin tables, millrace off and on, and compares everything that can be seen.

Compared: the command tag, every field of errors and notices, the rows and their physical order, the bytes
of the tuples, what triggers wrote, sequences, and the connection's fate. The server and both databases are
its own. A case is a function of its seed alone (and of the server's major version):

    differential.py --seconds 60            a new seed
    differential.py --seconds 60 --seed 7   cases 7:0, 7:1, ...
    differential.py --only 7:123            that one, with its report
"""
import argparse
import collections
import os
import random
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import inputs  # noqa: E402
import tables  # noqa: E402
import values  # noqa: E402
from pq import Connection, COPY_IN  # noqa: E402
from server import PORT, Server  # noqa: E402

DATABASES = [("UTF8", 70), ("LATIN1", 8), ("EUC_JP", 8), ("SQL_ASCII", 14)]
PYTHON_CODEC = dict(inputs.ENCODINGS)

SETTINGS = [
    "SET datestyle = 'ISO, DMY'", "SET datestyle = 'ISO, YMD'", "SET datestyle = 'German'", "SET datestyle = 'SQL, DMY'",
    "SET timezone = 'America/New_York'", "SET timezone = 'Europe/Berlin'", "SET timezone = 'Asia/Kolkata'",
    "SET timezone = 'UTC'", "SET timezone = '-03:30'", "SET intervalstyle = 'iso_8601'", "SET extra_float_digits = 0",
    "SET session_replication_role = replica", "SET default_transaction_isolation = 'serializable'",
    "SET xmloption = document", "SET check_function_bodies = off", "SET array_nulls = off", "SET work_mem = '64kB'",
    "SET row_security = off", "SET lc_monetary = 'C'", "SET backslash_quote = on", "SET default_toast_compression = 'pglz'",
    "SET constraint_exclusion = on", "SET commit_delay = 0", "SET synchronous_commit = off",
]

IMAGE = """
SELECT lp_flags, lp_len, t_field3, t_ctid = format('(%s,%s)', b, lp)::tid, t_infomask2,
       t_infomask & ~3840 | CASE WHEN t_infomask & 768 = 768 THEN 768 ELSE 0 END, t_hoff, t_bits, t_data
FROM generate_series(0, pg_relation_size('t') / current_setting('block_size')::int - 1) b,
     heap_page_items(get_raw_page('t', b::int)) WHERE lp_flags = 1 ORDER BY b, lp"""


class Case:
    """Everything about one comparison: made from the seed, run by run_side()."""

    def __init__(self, seed, major):
        r = random.Random(seed)
        self.seed = seed
        self.database = r.choices([d for d, _ in DATABASES], [w for _, w in DATABASES])[0]
        self.table = tables.draw_table(r)
        self.options = inputs.draw_options(r, self.table, major)
        self.settings = r.sample(SETTINGS, r.choice([0, 0, 0, 1, 2, 3]))
        self.client_encoding = r.choice(inputs.ENCODINGS)[0] if r.random() < 0.12 else None
        if self.client_encoding == "SQL_ASCII" or self.database == "SQL_ASCII":
            self.client_encoding = None
        if r.random() < 0.25:
            self.settings.append("SET millrace.simd = " + r.choice(["scalar", "avx2", "sse4", "ssse3", "sse2"]))
        self.source = r.choice(["stdin", "stdin", "file", "file", "program"])
        self.context = r.choice(["plain"] * 6 + ["block", "truncate", "savepoint", "same transaction", "do", "twice", "filled",
                                                 "holes", "cursor"])
        if self.options.freeze and r.random() < 0.8:
            self.context = r.choice(["truncate", "same transaction"])
        if self.context == "do" and self.source == "stdin":
            self.source = "file"
        encoding = self.options.encoding[1] if self.options.encoding else PYTHON_CODEC[
            self.client_encoding or self.database]
        lines = inputs.write_rows(r, inputs.draw_rows(r, self.table), self.table, self.options)
        self.data, self.notes = inputs.encode_input(r, lines, encoding)
        self.split_seed = r.random()
        self.program = r.choice(["cat {}", "cat {}", "dd if={} bs=777 2>/dev/null", "cat {}; exit 3", "head -c 1000 {}"])
        if r.random() < 0.06:  # large inputs: over every buffer's edge
            times = r.choice([2, 10, 100])
            if len(self.data) * times < 8 << 20 and not self.notes and not self.options.header:
                self.data *= times

    def statement(self, path):
        columns = f" ({', '.join(self.table.column_list)})" if self.table.column_list else ""
        source = {"stdin": "STDIN", "file": f"'{path}'", "program": f"PROGRAM '{self.program.format(path)}'"}[self.source]
        where = f" WHERE {self.table.where}" if self.table.where else ""
        return f"COPY {self.table.target}{columns} FROM {source} {self.options.sql()}{where}"

    def steps(self, path):
        """(kind, SQL) of each statement; kind is 'sql' or 'copy'."""
        copy = self.statement(path)
        ddl = [("sql", s) for s in self.table.ddl]
        if self.context == "same transaction":
            return [("sql", "BEGIN")] + ddl + [("copy", copy), ("sql", "COMMIT")]
        before = {"block": [("sql", "BEGIN"), ("sql", "SELECT count(*) FROM t")],
                  "truncate": [("sql", "BEGIN"), ("sql", "TRUNCATE t")],
                  "savepoint": [("sql", "BEGIN"), ("copy", copy), ("sql", "SAVEPOINT a"), ("copy", copy),
                                ("sql", "ROLLBACK TO a")],
                  "cursor": [("sql", "BEGIN"), ("sql", "DECLARE c CURSOR FOR SELECT count(*) FROM t"), ("sql", "FETCH 1 FROM c")],
                  "twice": [("copy", copy)],
                  "filled": [("sql", "INSERT INTO t SELECT FROM generate_series(1, 37)")],
                  "holes": [("copy", copy), ("sql", "DELETE FROM t WHERE hashtext(t::text) % 2 = 0"), ("sql", "VACUUM t")],
                  }.get(self.context, [])
        after = [("sql", "COMMIT")] if self.context in ("block", "truncate", "savepoint", "cursor") else []
        if self.context == "do":
            quoted = copy.replace("$q$", "")
            return ddl + [("sql", f"DO $o$ BEGIN EXECUTE $q${quoted}$q$; EXCEPTION WHEN OTHERS THEN "
                           "RAISE NOTICE '% %', SQLSTATE, SQLERRM; END $o$")]
        return ddl + before + [("copy", copy)] + after


class Side:
    """One database with millrace on or off."""

    def __init__(self, server_dir, database, on):
        self.parameters = dict(host=server_dir, port=PORT, dbname=database)
        self.on = on
        self.conn = None
        self.placed = None
        self.pages = 0

    def connect(self):
        if self.conn:
            self.conn.close()
        for attempt in range(200):  # a server that crashed comes back
            try:
                self.conn = Connection(**self.parameters)
                break
            except ConnectionError:
                if attempt == 199:
                    raise
                time.sleep(0.1)
        self.conn.must(f"SET millrace.copy = {'on' if self.on else 'off'}")
        self.conn.must("SET statement_timeout = '60s'")

    def run(self, case, path, data):
        """Runs the case; a list of (label, observation), and how its last COPY was done."""
        if self.conn is None or not self.conn.alive:
            self.connect()
        c, seen, path_taken = self.conn, [], None
        c.must("SET client_min_messages = error; ROLLBACK; DROP SCHEMA IF EXISTS s CASCADE; DROP TABLE IF EXISTS t CASCADE; "
               "CREATE SCHEMA s; CREATE SEQUENCE s.seq; SET search_path = s, pg_temp, base; SET client_min_messages = notice")
        for setting in case.settings:
            c.run(setting)
        c.must("SELECT setseed(0.25)")
        codec = "utf-8"
        if case.client_encoding:
            if c.run(f"SET client_encoding = '{case.client_encoding}'").error is None:
                codec = PYTHON_CODEC[case.client_encoding]
        elif case.database not in ("UTF8", "SQL_ASCII"):
            codec = PYTHON_CODEC[case.database]
        committed = True
        for kind, sql in case.steps(path):
            encoded = sql.encode(codec, "replace")
            result = c.run(encoded)
            if kind == "copy" and result.status == COPY_IN:
                notices = result.notices
                for piece in inputs.split(random.Random(case.split_seed), data):
                    c.put(piece)
                result = c.end()
                result.notices = notices + result.notices
            for report in result.notices + ([result.error] if result.error else []):
                for field, text in report.items():
                    report[field] = re.sub(r"pg_(toast_)?temp_\d+", "pg_temp", text)
            seen.append((sql[:4000], (result.status, result.tag, result.rows, result.error, result.notices)))
            if not c.alive:
                seen.append(("connection", "lost"))
                return seen, "lost"
            if result.error and sql == "COMMIT":
                committed = False
            if kind == "copy" or case.context == "do" and sql.startswith("DO"):
                if result.error or kind == "sql" and result.notices:
                    path_taken = "error"
                    if self.on and os.environ.get("MILLRACE_SHOW_ERRORS"):
                        print("error:", result.error["message"][:100])
                elif not self.on:
                    path_taken = "off"
                else:
                    last = c.run("SELECT path, coalesce(reason, ''), rows FROM millrace.last_copy()")
                    path_taken = b" ".join(last.rows[0][:2]).decode().strip() if last.rows else "?"
        c.run("ROLLBACK")
        c.must("RESET ALL")
        c.must("SET search_path = s, pg_temp, base; SET statement_timeout = '60s'; SET client_encoding = 'SQL_ASCII'; "
               f"SET client_min_messages = notice; SET millrace.copy = {'on' if self.on else 'off'}")
        seen += self.look(case, committed and path_taken not in (None, "error"))
        c.must("RESET client_encoding")
        return seen, path_taken

    def look(self, case, whole):
        """What the case left in the database."""
        out = []

        def see(label, sql):
            result = self.conn.run(sql)
            out.append((label, (result.rows, result.error)))
            return result

        see("rows", case.table.check_query)
        # which page a row lands on may differ where a page's last bytes are free; that is counted, not failed
        self.pages = int(self.conn.run("SELECT coalesce(pg_relation_size(to_regclass('t')), 0) / "
                                       "current_setting('block_size')::int").value)
        self.placed = self.conn.run("SELECT ctid FROM t ORDER BY ctid").rows if case.table.plain_heap else None
        see("sequence", "SELECT last_value, is_called FROM s.seq")
        for name, note in (("log", "after"), ("tlog", "transition")):
            if note in case.table.notes:
                see(name, f"SELECT ctid, {name}::text FROM {name} ORDER BY ctid")
        see("locks", "SELECT locktype, mode FROM pg_locks WHERE pid = pg_backend_pid() AND locktype <> 'virtualxid' AND mode <> 'SIReadLock' "
            "AND relation IS DISTINCT FROM 'pg_locks'::regclass ORDER BY 1, 2")
        if whole and case.table.plain_heap and not any(k in ("mood", "pair") for _, k in case.table.columns):
            toasted = self.conn.run("SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 't'::regclass "
                                    "AND reltoastrelid <> 0")
            if not toasted.rows or toasted.rows[0][0] == b"0":
                see("image", IMAGE)
        return out


def moved_back(off, on, most):
    """Is `off` the sequence `on` but for at most so many rows that stand earlier in it?"""
    waiting, count, i, j = collections.Counter(), 0, 0, 0
    while i < len(off) or j < len(on):
        if i < len(off) and j < len(on) and off[i] == on[j]:
            i, j = i + 1, j + 1
        elif j < len(on) and waiting[on[j]]:
            waiting[on[j]] -= 1
            j += 1
        elif i < len(off) and count < most:
            waiting[off[i]] += 1
            count, i = count + 1, i + 1
        else:
            return False
    return not any(waiting.values())


def same(label, off, on, free_space):
    """
    Are two observations equal? Core's buffered insertion sometimes moves a small row back into the last free
    bytes of an earlier page (it asks the free space map when a flush's first row does not fit). Whole pages
    are filled in file order instead, so a few such rows for each flush are allowed for. In a
    table with free space in its pages, which page takes which row is nobody's promise at all.
    """
    if off == on:
        return True
    if label not in ("rows", "image") or off[-1] != on[-1]:
        return False
    if free_space:
        return collections.Counter(off[0]) == collections.Counter(on[0])
    volume = sum(len(x or b"") + 30 for row in off[0] for x in row)
    return moved_back(off[0], on[0], 8 * (2 + len(off[0]) // 1000 + volume // 30000))


def all_same(off, on, free_space):
    return len(off) == len(on) and all(a[0] == b[0] and same(a[0], a[1], b[1], free_space) for a, b in zip(off, on))


def first_difference(off, on, free_space):
    """Where two observations part, for people."""
    for (label, a), (_, b) in zip(off, on):
        if same(label, a, b, free_space):
            continue
        lines = [f"different: {label[:1500]}"]
        if isinstance(a, tuple) and isinstance(a[-1], (dict, list, type(None))):
            rows_a, rows_b = (a[0], b[0]) if len(a) == 2 else (a[2], b[2])
            for name, x, y in zip(("status", "tag", "rows", "error", "notices") if len(a) == 5 else ("rows", "error"), a, b):
                if name == "rows" or x == y:
                    continue
                lines += [f"  {name} off: {str(x)[:3000]}", f"  {name} on:  {str(y)[:3000]}"]
            if rows_a != rows_b:
                lines.append(f"  rows: {len(rows_a)} off, {len(rows_b)} on")
                for i, (x, y) in enumerate(zip(rows_a, rows_b)):
                    if x != y:
                        lines += [f"  row {i} off: {str(x)[:1500]}", f"  row {i} on:  {str(y)[:1500]}"]
                        break
        else:
            lines += [f"  off: {str(a)[:2000]}", f"  on:  {str(b)[:2000]}"]
        return "\n".join(lines)
    return f"one side went on: {len(off)} steps off, {len(on)} on; next {str((off + on)[min(len(off), len(on)):][:1])[:500]}"


class Bench:
    """The twin databases of one worker."""

    def __init__(self, server_dir, number):
        self.sides = {}
        self.server_dir = server_dir
        self.number = number
        self.path = os.path.join(server_dir, f"input{number}")

    def pair(self, encoding):
        if encoding not in self.sides:
            with Connection(host=self.server_dir, port=PORT) as admin:
                for which in ("off", "on"):
                    name = f"{which}_{encoding.lower()}_{self.number}"
                    admin.must(f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
                    with Connection(host=self.server_dir, port=PORT, dbname=name) as c:
                        c.must("CREATE EXTENSION pageinspect; CREATE EXTENSION millrace; CREATE SCHEMA base; SET search_path = base;"
                               + values.PRELUDE + tables.FUNCTIONS)
            self.sides[encoding] = [Side(self.server_dir, f"{which}_{encoding.lower()}_{self.number}", which == "on")
                                    for which in ("off", "on")]
        return self.sides[encoding]

    def compare(self, case, data=None):
        """None when equal, else the report; and how the COPY was done with millrace on."""
        data = case.data if data is None else data
        if case.source != "stdin":
            with open(self.path, "wb") as f:
                f.write(data)
        off, on = self.pair(case.database)
        seen_off, path_off = off.run(case, self.path, data)
        seen_on, path_on = on.run(case, self.path, data)
        if path_off == "lost" and path_on == "lost":
            raise RuntimeError("the server is gone")
        if "lost" in (path_off, path_on):
            off.connect(), on.connect()
        free_space = case.context in ("holes", "savepoint", "twice", "filled")
        equal = all_same(seen_off, seen_on, free_space)
        # rows rolled back lie between the others: what of their pages is used again is a matter of luck
        share, more = (1.1, 16) if case.context == "savepoint" else (1.02, 2)
        if free_space or "fillfactor" in str(case.table.ddl):  # core fills gaps in pages
            share = 1.1
        if "error" in (path_off, path_on):  # the flush an error is in, which core never stores: up to 1000 rows
            more = 64
        if equal and on.pages > off.pages * share + more:
            return f"the table has {off.pages} pages off, {on.pages} on", path_on
        if equal and path_on and off.placed != on.placed:
            path_on += ", some rows on other pages"
        return (None if equal else first_difference(seen_off, seen_on, free_space)), path_on

    def shrink(self, case, seconds=20):
        """The shortest input found that still makes a difference."""
        data, until = case.data, time.monotonic() + seconds
        for unit in ("line", "byte"):
            parts = data.splitlines(True) if unit == "line" else [data[i:i + 1] for i in range(len(data))]
            if unit == "byte" and len(parts) > 2000:
                break
            size = max(len(parts) // 2, 1)
            while size >= 1 and time.monotonic() < until:
                at, shrunk = 0, False
                while at < len(parts) and time.monotonic() < until:
                    trial = parts[:at] + parts[at + size:]
                    if self.compare(case, b"".join(trial))[0]:
                        parts, shrunk = trial, True
                    else:
                        at += size
                if size == 1 and not shrunk:
                    break
                size = size // 2 if size > 1 else 1
            data = b"".join(parts)
        return data


def report(bench, case, text, keep):
    lines = [f"MISMATCH in case {case.seed}   (differential.py --only {case.seed})",
             f"database {case.database}, client_encoding {case.client_encoding}, from {case.source}, context {case.context}"]
    lines += ["  " + s for s in case.settings]
    lines += ["  " + sql for _, sql in case.steps(bench.path)]
    lines.append(text)
    try:
        data = bench.shrink(case)
        again = bench.compare(case, data)[0]
        lines.append(f"shrunk from {len(case.data)} to {len(data)} bytes: {data[:3000]!r}")
        lines.append(str(again))
    except (RuntimeError, ConnectionError) as e:
        data = case.data
        lines.append(f"not shrunk: {e}")
    if keep:
        os.makedirs(keep, exist_ok=True)
        stem = os.path.join(keep, case.seed.replace(":", "_"))
        with open(stem + ".input", "wb") as f:
            f.write(case.data)
        with open(stem + ".shrunk", "wb") as f:
            f.write(data)
        with open(stem + ".txt", "w", errors="replace") as f:
            f.write("\n".join(lines) + "\n")
    print("\n".join(lines), flush=True)


def work(server, number, jobs, args, major, until):
    """One worker's share; returns (cases, mismatches, paths)."""
    bench = Bench(server.dir, number)
    paths, cases, bad = collections.Counter(), 0, 0
    seeds = [args.only] if args.only else (f"{args.seed}:{i}" for i in range(number, 1 << 60, jobs))
    for seed in seeds:
        if not args.only and time.monotonic() >= until:
            break
        case = Case(seed, major)
        try:
            different, path = bench.compare(case)
        except (RuntimeError, ConnectionError) as e:
            # the server went down under another worker, or this one: try once more
            for side in bench.pair(case.database):
                side.connect()
            try:
                different, path = bench.compare(case)
            except (RuntimeError, ConnectionError) as again:
                print(f"MISMATCH in case {seed}: {e}; {again}", flush=True)
                different, path, bad = None, "lost", bad + 1
        paths[path or "no COPY"] += 1
        cases += 1
        if different:
            report(bench, case, different, args.keep)
            bad += 1
            if bad >= args.most:
                break
        if cases % 200 == 0:  # fresh backends from time to time
            for side in [s for pair in bench.sides.values() for s in pair]:
                side.connect()
    return cases, bad, paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default=None, help="default: a new one each time")
    parser.add_argument("--only", help="one case, as printed")
    parser.add_argument("--keep", help="directory for the inputs of mismatches")
    parser.add_argument("--most", type=int, default=1, help="mismatches after which a worker stops")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--host", help="socket directory of a running server instead of one of its own")
    args = parser.parse_args()
    args.seed = args.seed or str(random.SystemRandom().randrange(1 << 32))
    jobs = 1 if args.only else args.jobs
    server = Server(conf=["session_preload_libraries = 'millrace'", "autovacuum = off", "max_wal_size = 4GB",
                          "log_min_messages = fatal", "default_toast_compression = pglz"])
    with server.connect() as c:
        major = int(c.run("SHOW server_version_num").value) // 10000
    print(f"differential: seed {args.seed}, PostgreSQL {major}, {jobs} workers", flush=True)
    until = time.monotonic() + args.seconds
    children = []
    for number in range(jobs):
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                cases, bad, paths = work(server, number, jobs, args, major, until)
                os.write(writing, repr((cases, bad, dict(paths))).encode())
                status = 0
            finally:
                sys.stdout.flush()
                if status:
                    import traceback
                    traceback.print_exc()
                os._exit(status)
        os.close(writing)
        children.append((pid, reading))
    cases, bad, paths = 0, 0, collections.Counter()
    for pid, reading in children:
        with os.fdopen(reading, "rb") as f:
            text = f.read().decode()
        _, status = os.waitpid(pid, 0)
        if status or not text:
            bad += 1
            continue
        some, wrong, how = eval(text)  # our own child's repr
        cases, bad = cases + some, bad + wrong
        paths.update(how)
    done = sum(paths.values()) or 1
    for path, count in paths.most_common():
        print(f"  {count:7d}  {100 * count / done:5.1f} %  {path}")
    server.remove()
    print(f"differential: {cases - bad} passed, {bad} failed (seed {args.seed})")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

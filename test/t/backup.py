"""Backups of a server that is loaded: pg_basebackup in the middle of loads, and dumps with millrace on both sides."""
import os
import shutil
import subprocess
import sys
import threading
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from server import PORT, Server, bin_dir  # noqa: E402
from tables import TABLES, content, load, load_all, make_tables  # noqa: E402
from tap import main, ok, same  # noqa: E402

PRELOAD = "session_preload_libraries = 'millrace'"


def new_server(*conf):
    server = Server(conf=[PRELOAD, *conf])
    with server.connect() as c:
        c.must("CREATE EXTENSION millrace; CREATE EXTENSION amcheck")
    return server


class Loader(threading.Thread):
    """Loads until told to stop; the numbers of the loads that are committed, in order, as (table, number, rows)."""

    def __init__(self, server, first):
        super().__init__()
        self.server, self.first = server, first
        self.stopped, self.committed, self.problem = threading.Event(), [], None

    def run(self):
        try:
            with self.server.connect() as c:
                number = self.first
                while not self.stopped.is_set():
                    for table in TABLES:
                        rows = {"plain": 20000, "toast": 1000}.get(table, 3000)
                        c.must("BEGIN; SAVEPOINT a")
                        load(c, table, number, rows)
                        c.must("COMMIT")
                        self.committed.append((table, number, rows))
                        number += 1
        except Exception as e:  # noqa: BLE001
            self.problem = e


def base_backup():
    """Each load is in a backup made in its midst whole or not at all; those committed before it are, those begun after it are not."""
    for method in ("stream", "fetch"):
        with new_server("max_wal_senders = 5", "wal_keep_size = 1GB", "max_wal_size = 256MB") as server:
            with server.connect() as c:
                make_tables(c)
            loaders = [Loader(server, first) for first in (1, 100001)]
            for loader in loaders:
                loader.start()
            while not all(len(loader.committed) > 4 or loader.problem for loader in loaders):
                loaders[0].join(0.02)
            before = [x for loader in loaders for x in list(loader.committed)]
            data = os.path.join(server.dir, "backup")
            server.tool("pg_basebackup", "-D", data, "-h", server.dir, "-p", str(PORT), "-U", "postgres", "-X", method, "-c", "fast", "--no-sync")
            after = [len(loader.committed) for loader in loaders]
            while not all(len(loader.committed) > n + 4 or loader.problem for loader, n in zip(loaders, after)):
                loaders[0].join(0.02)
            for loader in loaders:
                loader.stopped.set()
                loader.join()
            ok(not any(loader.problem for loader in loaders), f"pg_basebackup -X {method} while two sessions load", *[x.problem for x in loaders])
            server.tool("pg_verifybackup", data)
            committed = {x for loader in loaders for x in loader.committed}
            late = {x for loader, n in zip(loaders, after) for x in loader.committed[n + 2:]}

            def loads(c):
                return {(table, int(number), int(rows)): md5 for table in TABLES for number, rows, md5 in
                        c.must(f"SELECT l, count(*), md5(string_agg(x::text, ',' ORDER BY i)) FROM {table} x GROUP BY l").rows}
            with server.connect() as c:
                there = loads(c)
            with Server(data=lambda path: shutil.copytree(data, path)) as copy, copy.connect() as c:
                restored = loads(c)
                ok(set(before) <= set(restored), "every load committed before it is in it", set(before) - set(restored))
                ok(set(restored) <= committed and not set(restored) & late, f"{len(restored)} of {len(committed)} loads are, none of the later ones",
                   sorted(set(restored) - committed), sorted(set(restored) & late))
                ok(all(there[x] == md5 for x, md5 in restored.items()), "... with the same rows")
                found = c.must("SELECT relname, v.* FROM pg_class c, verify_heapam(c.oid, check_toast => true) v "
                               "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LIMIT 3").rows
                broken = c.run("SELECT bt_index_check(oid, true) FROM pg_class WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace").error
                ok(not found and not broken, "amcheck is content", found, broken)
                load_all(c, 1000001, 1500)
                ok(c.must("SELECT path FROM millrace.last_copy()").value == "fast", "and the copy takes loads")


ODD_TABLES = """
CREATE TYPE mood AS ENUM ('sad', 'so, so', 'glad "really"');
CREATE DOMAIN percent AS numeric CHECK (value BETWEEN 0 AND 100);
CREATE TABLE odd (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b bytea, f float8, f4 float4, n numeric, p percent, m mood, a text[], j jsonb, ts timestamptz,
  iv interval, u uuid, c char(7), v varchar(30), flag boolean, r int4range, dropped int, g text GENERATED ALWAYS AS (v || '!') STORED, "sp ace" text, UNIQUE (id, u));
ALTER TABLE odd DROP COLUMN dropped;
INSERT INTO odd (b, f, f4, n, p, m, a, j, ts, iv, u, c, v, flag, r, "sp ace")
SELECT decode(md5(i::text), 'hex'), CASE i % 7 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' WHEN 2 THEN '-0' ELSE exp(i % 600) / 7 END::float8, i / 3.0::float4,
  CASE i % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE (i || '.' || repeat('0', i % 9) || '5')::text END::numeric, i % 101,
  (enum_range(NULL::mood))[i % 4], ARRAY['x' || i, NULL, E'\\\\', ''], jsonb_build_object('k', i, 't', E'tab\\there'),
  '2000-01-01 00:00:00.123+00'::timestamptz + i * interval '1 hour 1 us', i * interval '1 mon -1 day', md5(i::text)::uuid, chr(65 + i % 26) || ' ',
  CASE i % 6 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN E'line\\nend' WHEN 3 THEN E'\\\\N' WHEN 4 THEN E'cr\\rlf' ELSE 'väl' || i END, i % 3 = 0,
  CASE WHEN i % 4 > 0 THEN int4range(i, i + 9) END, repeat('wide ', i % 700)
FROM generate_series(1, 5000) i;
CREATE TABLE child (id bigint REFERENCES odd, note text);
INSERT INTO child SELECT i % 5000 + 1, 'note ' || i FROM generate_series(1, 20000) i;
CREATE INDEX ON child (note);
CREATE VIEW sums AS SELECT m, count(*) FROM odd GROUP BY m;
CREATE MATERIALIZED VIEW counted AS SELECT flag, count(*) FROM odd GROUP BY flag;
"""


def dumps():
    """pg_dump | psql and pg_restore, serial and parallel, bring the same rows and the same schema, all of it by the fast path."""
    with new_server() as source, new_server() as target:
        with source.connect() as c:
            make_tables(c)
            load_all(c, 10)
            c.must(ODD_TABLES)
            wanted = content(c)

        def program(server, name, *arguments, database="postgres", file=None, out=None):
            """Runs a client program; what it says. NOTICEs tell of a COPY that is left to PostgreSQL."""
            environment = dict(os.environ, PGOPTIONS="-c millrace.log_fallback=on")
            done = subprocess.run([os.path.join(bin_dir(), name), "-h", server.dir, "-p", str(PORT), "-U", "postgres", "-d", database, *arguments],
                                  stdin=open(file) if file else subprocess.DEVNULL, stdout=open(out, "w") if out else subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env=environment, check=False)
            return (f"exit status {done.returncode} " if done.returncode else "") + done.stderr

        def schema(server, database):
            dumped = os.path.join(target.dir, "schema")
            problem = program(server, "pg_dump", "-s", database=database, out=dumped)
            with open(dumped) as f:  # newer releases put a random word into \\restrict
                return problem + "".join(line for line in f if "restrict" not in line)

        schema_wanted = schema(source, "postgres")
        path = os.path.join(source.dir, "dump")
        for name, dump, restore in (
                ("pg_dump | psql", [], ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1"]),
                ("pg_dump | psql -1, by the partitions' root", ["--load-via-partition-root"], ["psql", "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1"]),
                ("pg_dump -Fc, pg_restore", ["-Fc"], ["pg_restore"]),
                ("pg_dump -Fc, pg_restore -j 2", ["-Fc"], ["pg_restore", "-j", "2"]),
                ("pg_dump -Fd -j 2, pg_restore -j 2", ["-Fd", "-j", "2"], ["pg_restore", "-j", "2"]),
                ("pg_dump -Fc, pg_restore -1 --data-only into truncated tables", ["-Fc"], None)):
            shutil.rmtree(path, ignore_errors=True)
            if os.path.isfile(path):
                os.unlink(path)
            said = program(source, "pg_dump", *dump, "-f", path)
            with target.connect() as c:
                if restore:
                    c.must("DROP DATABASE IF EXISTS r")
                    c.must("CREATE DATABASE r")
                else:
                    with target.connect(dbname="r") as r:
                        r.must(f"TRUNCATE {', '.join(TABLES)}, fresh, odd, child")
                    restore = ["pg_restore", "-1", "--data-only", "--disable-triggers"]
            said += program(target, restore[0], *restore[1:], *([path] if restore[0] == "pg_restore" else ["-f", path]), database="r")
            with target.connect(dbname="r") as r:
                same(wanted, content(r), f"{name}: the rows")
            same(schema_wanted, schema(target, "r"), f"{name}: the schema")
            ok(not said, f"{name}: no error, and no COPY is left to PostgreSQL", said)


main(base_backup, dumps)

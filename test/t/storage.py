"""What a load leaves in the files: logical decoding, replicas, crashes, full disks, no WAL, visibility, other hooks."""
import os
import signal
import sys
import tempfile
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from server import PORT, Server  # noqa: E402
from tap import both, main, ok, path, rows, same, skip  # noqa: E402

PRELOAD = "session_preload_libraries = 'millrace'"
ROWS = b"".join(b"%d\trow number %d\n" % (i, i) for i in range(5000))
FAT = b"".join(b"%d\t%s\n" % (i, b"%032x" % (i * 2654435761) * 200) for i in range(40))


def with_extension(server, *more):
    with server.connect() as c:
        c.must("CREATE EXTENSION millrace")
        for name in more:
            c.must(f"CREATE EXTENSION {name}")
    return server


def logical_decoding():
    with with_extension(Server(conf=["wal_level = logical", PRELOAD])) as server:
        seen = []
        for c in both(server, "CREATE TABLE t (a int, b text)"):
            c.must("SELECT pg_create_logical_replication_slot('s', 'test_decoding')")
            c.copy("COPY t FROM STDIN", [ROWS])
            c.must("BEGIN; SAVEPOINT a")
            c.copy("COPY t FROM STDIN", [ROWS])
            c.must("COMMIT")
            c.must("BEGIN; SAVEPOINT a")
            c.copy("COPY t FROM STDIN", [ROWS])
            c.must("ROLLBACK TO a; RELEASE a; INSERT INTO t VALUES (-1, 'after'); COMMIT")
            c.copy("COPY t FROM STDIN", [FAT])
            c.must("BEGIN; TRUNCATE t")
            c.copy("COPY t FROM STDIN (FREEZE)", [ROWS])
            c.must("COMMIT")
            changes = c.must("SELECT replace(replace(data, 'plain', 's'), 'fast', 's') FROM pg_logical_slot_get_changes("
                             "'s', NULL, NULL, 'include-xids', '0')").rows
            c.must("SELECT pg_drop_replication_slot('s')")
            seen.append(changes)
        ok(seen[0] == seen[1] and len(seen[0]) > 15000, f"test_decoding shows the same {len(seen[0])} changes", len(seen[0]), len(seen[1]),
           next((x for x in zip(*seen) if x[0] != x[1]), ""))


def replica():
    """A standby replays every kind of load, comparing each page with the primary's image of it."""
    primary = with_extension(Server(conf=["wal_level = replica", "wal_consistency_checking = 'all'", "max_wal_senders = 5", PRELOAD,
                                          "hot_standby = on"]), "amcheck")
    with primary:
        def clone(data):
            primary.tool("pg_basebackup", "-D", data, "-h", primary.dir, "-p", str(PORT), "-U", "postgres", "-R", "-X", "stream",
                         "-c", "fast", "--no-sync")
        with Server(data=clone, conf=["hot_standby = on"]) as standby:
            c = both(primary, "CREATE TABLE t (a int, b text); CREATE TABLE k (a int PRIMARY KEY, b text); "
                     "CREATE TABLE f (a int, b text); CREATE TABLE ff (a int, b text) WITH (fillfactor = 40)")[1]
            for _ in range(3):
                for table in ("t", "ff"):
                    c.copy(f"COPY {table} FROM STDIN", [ROWS])
                    c.copy(f"COPY {table} FROM STDIN", [FAT, ROWS])
            c.copy("COPY k FROM STDIN", [ROWS])
            c.must("BEGIN; TRUNCATE f")
            c.copy("COPY f FROM STDIN (FREEZE)", [ROWS, FAT])
            c.must("COMMIT; BEGIN")
            c.copy("COPY t FROM STDIN", [ROWS])
            c.must("ROLLBACK")
            c.must("DELETE FROM t WHERE a % 2 = 0")
            c.must("VACUUM t")
            c.copy("COPY t FROM STDIN", [ROWS])
            c.copy("COPY t FROM STDIN", [ROWS * 20])
            lsn = c.must("SELECT pg_current_wal_flush_lsn()").value
            there = "f"
            with standby.connect() as r:
                for _ in range(600):
                    there = r.must(f"SELECT coalesce(pg_last_wal_replay_lsn() >= '{lsn}', false)").value
                    if there == "t":
                        break
                    time.sleep(0.05)
                ok(there == "t", "the standby replayed everything", standby.tail())
                # since 16 core adds blocks in bulk and logs those it fills only: empty ones at the end are the primary's alone
                major = int(c.must("SHOW server_version_num").value) // 10000
                for table in ("t", "k", "f", "ff"):
                    blocks = f"pg_relation_size('fast.{table}') / 8192" if major < 16 else "(max(ctid)::text::point)[0] + 1"
                    query = f"SELECT count(*), md5(string_agg(ctid || x::text, ',' ORDER BY ctid)), {blocks} FROM fast.{table} x"
                    same(c.must(query).rows, r.must(query).rows, f"table {table} is the same there")
            with open(standby.log, errors="replace") as f:
                bad = [line for line in f if "inconsistent page" in line or "FATAL" in line or "PANIC" in line]
            ok(not bad, "no inconsistent page in replay", *bad[:3])
            for table in ("t", "k", "f", "ff"):
                found = c.must(f"SELECT * FROM verify_heapam('fast.{table}', check_toast => true)").rows
                ok(not found, f"verify_heapam of {table}", found[:3])
            ok(not c.must("SELECT bt_index_check('k_pkey', true)").error, "bt_index_check of a loaded index")


def crash():
    """kill -9 in mid-load: nothing of it is left, and what was committed is there."""
    with with_extension(Server(conf=["wal_level = replica", PRELOAD], fsync=True), "amcheck") as server:
        c = both(server, "CREATE TABLE t (a int, b text); CREATE UNLOGGED TABLE u (a int, b text); CREATE TABLE other (a int, b text)")[1]
        c.copy("COPY t FROM STDIN", [ROWS])
        c.copy("COPY u FROM STDIN", [ROWS])
        c.must("CHECKPOINT")
        c.copy("COPY t FROM STDIN", [ROWS])
        c.run("COPY other FROM STDIN")
        for _ in range(50):
            c.put(ROWS)
        time.sleep(0.3)
        postmaster = server.pid()
        os.kill(postmaster, signal.SIGKILL)
        c.close()
        for _ in range(200):  # its children notice
            time.sleep(0.05)
            if not os.path.exists(f"/proc/{postmaster}"):
                break
        time.sleep(1)
        server.start()
        with server.connect() as c:
            same(("10000", "0", "0"), tuple(c.must(f"SELECT count(*) FROM fast.{t}").value for t in ("t", "u", "other")),
                 "after recovery: the committed rows, an empty unlogged table, nothing of the load under way")
            ok(not c.must("SELECT * FROM verify_heapam('fast.t')").rows and not c.must("SELECT * FROM verify_heapam('fast.other')").rows,
               "verify_heapam after recovery")
            c.must("SET search_path = fast")
            r = c.copy("COPY other FROM STDIN", [ROWS])
            same("5000", c.must("SELECT count(*) FROM other").value, "and the table takes rows again")


def backend_crash():
    """kill -9 of the loading backend alone: the others restart clean."""
    with with_extension(Server(conf=[PRELOAD, "restart_after_crash = on"])) as server:
        c = both(server, "CREATE TABLE t (a int, b text)")[1]
        c.run("COPY t FROM STDIN")
        for _ in range(20):
            c.put(ROWS)
        time.sleep(0.2)
        os.kill(c.pid, signal.SIGKILL)
        c.close()
        for _ in range(200):
            time.sleep(0.1)
            try:
                with server.connect() as d:
                    left = d.run("SELECT count(*) FROM fast.t")
                    if not left.error:
                        break
            except ConnectionError:
                pass
        same("0", left.value, "a killed backend leaves no row")


def no_wal():
    """wal_level = minimal: a table made or truncated in the transaction is synced, not logged."""
    with with_extension(Server(conf=["wal_level = minimal", "max_wal_senders = 0", PRELOAD, "wal_skip_threshold = 0"], fsync=True),
                        "amcheck") as server:
        c = both(server)[1]
        c.must("CREATE TABLE old (a int, b text)")
        before = c.must("SELECT pg_current_wal_insert_lsn()").value
        c.must("BEGIN; CREATE TABLE t (a int, b text)")
        c.copy("COPY t FROM STDIN", [ROWS * 40])
        c.must("SAVEPOINT s; TRUNCATE old")
        c.copy("COPY old FROM STDIN", [ROWS, FAT])
        c.must("COMMIT")
        wrote = int(float(c.must(f"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '{before}')").value))
        ok(wrote < 1_000_000, f"200,000 rows wrote {wrote} bytes of WAL")
        c.close()
        server.stop("immediate")
        server.start()
        with server.connect() as c:
            same(("200000", "5040"), tuple(c.must(f"SELECT count(*) FROM fast.{t}").value for t in ("t", "old")),
                 "all rows survive a crash after the commit")
            ok(not c.must("SELECT * FROM verify_heapam('fast.t')").rows, "verify_heapam after it")


def full_disk():
    place = os.environ.get("MILLRACE_SMALL_DISK")
    if not place:
        skip("a full disk gives core's error", "no small file system (needs root)")
        return
    with with_extension(Server(conf=[PRELOAD])) as server:
        folder = tempfile.mkdtemp(dir=place)
        with server.connect() as c:
            c.must(f"CREATE TABLESPACE small LOCATION '{folder}'")
        seen = []
        for c in both(server):
            for kind in ("", "UNLOGGED "):
                c.must(f"CREATE {kind}TABLE t (a int, b text) TABLESPACE small")
                r = c.copy("COPY t FROM STDIN", [ROWS * 100])
                error = dict(r.error or {})
                for field in ("message", "detail", "context"):
                    error[field] = "".join(ch for ch in error.get(field, "") if not ch.isdigit())
                left = c.must("SELECT count(*) FROM t").value
                c.must("DROP TABLE t")
                c.must("CHECKPOINT")
                c.must(f"CREATE {kind}TABLE t (a int, b text) TABLESPACE small")
                small = c.copy("COPY t FROM STDIN", [ROWS])
                seen.append((error.get("sqlstate"), error.get("hint"), error["message"].split(":")[-1], left, small.tag))
                c.must("DROP TABLE t; CHECKPOINT")
        ok(len(set(seen)) == 1 and seen[0][0] == "53100", "a full disk gives core's error, and the server goes on", *seen)


def other_hooks():
    for libraries in ("pg_stat_statements,auto_explain,millrace", "millrace,auto_explain,pg_stat_statements"):
        with with_extension(Server(conf=[f"shared_preload_libraries = '{libraries}'", "auto_explain.log_min_duration = 0",
                                         "pg_stat_statements.track = 'all'"]), "pg_stat_statements") as server:
            seen = []
            for c in both(server, "CREATE TABLE t (a int, b text)"):
                c.must("SELECT pg_stat_statements_reset()")
                c.copy("COPY t FROM STDIN", [ROWS])
                c.copy("COPY t FROM STDIN", [ROWS])
                taken = path(c)
                c.run("COPY t FROM '/nonexistent'")
                seen.append((rows(c), c.must("SELECT query, calls, rows FROM pg_stat_statements WHERE query LIKE 'COPY%'").rows))
            same(seen[0], seen[1], f"pg_stat_statements counts COPY, {libraries}")
            same("fast", taken, "... and the fast path ran")


def progress():
    with with_extension(Server(conf=[PRELOAD])) as server:
        seen = []
        for c in both(server, "CREATE TABLE t (a int, b text)"):
            c.run("COPY t FROM STDIN WHERE a % 10 <> 0")
            c.put(ROWS * 4)
            best = None
            with server.connect() as watcher:
                for _ in range(100):
                    time.sleep(0.02)
                    best = watcher.must("SELECT command, type, bytes_processed, bytes_total, tuples_processed > 1000, "
                                        "tuples_excluded > 100, relid::regclass::text LIKE '%.t' FROM pg_stat_progress_copy").rows
                    if best and best[0][2] == str(len(ROWS) * 4).encode() and best[0][4] == b"t":
                        break
                c.end()
                gone = watcher.must("SELECT count(*) FROM pg_stat_progress_copy").value
            seen.append((best, gone))
        same(seen[0], seen[1], "pg_stat_progress_copy of a copy under way")
        ok(seen[1][0] and seen[1][0][0][:2] == (b"COPY FROM", b"PIPE"), "... shows it", seen[1])


def preload_ways():
    with Server() as server:
        for on_load in ("LOAD 'millrace'",):
            with server.connect() as c:
                c.must(on_load)
                c.must("CREATE TABLE t (a int, b text); SET millrace.log_fallback = on")
                r = c.copy("COPY t FROM STDIN", [ROWS])
                same(("COPY 5000", []), (r.tag, r.notices), "LOAD alone is enough, in a database without the extension")
        with server.connect(options="-c session_preload_libraries=millrace -c millrace.copy=off") as c:
            same("off", c.must("SHOW millrace.copy").value, "settings given before the library is loaded hold")


main(logical_decoding, replica, crash, backend_crash, no_wal, full_disk, other_hooks, progress, preload_ways)

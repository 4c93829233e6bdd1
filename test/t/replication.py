"""Copies of a server that is loaded: a standby, recovery to points in time, a subscriber; each must have the same rows."""
import os
import re
import shutil
import sys
import threading
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from server import PORT, Server  # noqa: E402
from tables import TABLES, aggregates, content, load, load_all, make_tables, rows  # noqa: E402
from tap import main, ok, same  # noqa: E402

PRELOAD = "session_preload_libraries = 'millrace'"


def new_primary(*conf):
    server = Server(conf=[PRELOAD, "max_wal_senders = 5", "max_prepared_transactions = 5", *conf])
    with server.connect() as c:
        c.must("CREATE EXTENSION millrace; CREATE EXTENSION amcheck")
        make_tables(c)
    return server


def base_backup(server, data, *options):
    server.tool("pg_basebackup", "-D", data, "-h", server.dir, "-p", str(PORT), "-U", "postgres", "-c", "fast", "--no-sync", *options)


def standby_of(server, *conf):
    return Server(data=lambda data: base_backup(server, data, "-R", "-X", "stream"), conf=["hot_standby = on", *conf])


def replayed(standby, lsn):
    """Waits for the standby; False when it does not come that far in a minute."""
    with standby.connect() as r:
        for _ in range(1200):
            if r.must(f"SELECT pg_last_wal_replay_lsn() >= '{lsn}'").value == "t":
                return True
            time.sleep(0.05)
    return False


def flushed(c):
    return c.must("SELECT pg_current_wal_flush_lsn()").value


def promoted(server):
    server.tool("pg_ctl", "-D", server.data, "-w", "-s", "promote")
    return server.connect()


def sound(server):
    """What verify_heapam and bt_index_check find, which should be nothing."""
    with server.connect() as c:
        found = c.must("SELECT relname, v.* FROM pg_class c, verify_heapam(c.oid, check_toast => true) v "
                       "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LIMIT 3").rows
        broken = c.run("SELECT bt_index_check(oid, true) FROM pg_class WHERE relkind = 'i' AND relnamespace = 'public'::regnamespace").error
    return [x for x in (*found, broken) if x]


def recovery():
    """A standby has what the primary has; copies recovered from an archive have what it had at a name, a position, a time."""
    archive = os.path.join(os.environ.get("MILLRACE_SCRATCH", "/tmp"), f"archive.{os.getpid()}")
    os.mkdir(archive)
    primary = new_primary("archive_mode = on", f"archive_command = 'cp %p {archive}/%f'")
    try:
        with primary, standby_of(primary) as standby:
            base = os.path.join(primary.dir, "base")
            base_backup(primary, base, "-X", "none")
            c = primary.connect()
            wanted = {}
            load_all(c, 10)
            c.must("SELECT pg_create_restore_point('after the first')")
            wanted["recovery_target_name = 'after the first'"] = content(c)
            load_all(c, 20)
            c.run("COPY plain FROM STDIN")
            c.put(rows(30, 20000))  # a load is under way at the next point
            time.sleep(0.3)
            with primary.connect() as d:
                load(d, "plain", 31, 3000)
                wanted[f"recovery_target_lsn = '{flushed(d)}'"] = content(d)
                load(d, "plain", 32, 3000)
            c.end()
            load_all(c, 40)
            time.sleep(0.1)
            wanted[f"recovery_target_time = '{c.must('SELECT clock_timestamp()').value}'"] = content(c)
            time.sleep(0.1)
            load_all(c, 50)
            wanted["recovery_target_timeline = 'latest'"] = last = content(c)
            ok(len({str(w) for w in wanted.values()}) == 4, "the four moments differ")
            ok(replayed(standby, flushed(c)), "the standby has replayed everything", standby.tail())
            with standby.connect() as r:
                same(last, content(r), "the standby has the primary's content")
            same([], sound(standby), "amcheck on the standby")
            c.must("SELECT pg_switch_wal()")
            c.close()
            primary.stop()  # waits for the archiver

            for target, expected in wanted.items():
                def restore(data):
                    shutil.copytree(base, data)
                    with open(os.path.join(data, "recovery.signal"), "w"):
                        pass
                with Server(data=restore, conf=[target, f"restore_command = 'cp {archive}/%f %p'", "archive_mode = off", PRELOAD,
                                                "recovery_target_action = 'promote'"]) as copy:
                    with copy.connect() as r:
                        for _ in range(1200):
                            if r.must("SELECT pg_is_in_recovery()").value == "f":
                                break
                            time.sleep(0.05)
                        same(expected, content(r), f"the copy recovered to {re.sub('[0-9].*', '...', target)}")
                        load_all(r, 90)
                    same([], sound(copy), "... takes more loads, and amcheck is content")
            with promoted(standby) as r:
                load_all(r, 90)
            same([], sound(standby), "the standby takes loads once promoted")
    finally:
        shutil.rmtree(archive)


def cpu(pid):
    """Processor seconds of a process so far."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def replay_speed():
    """Recovery after a crash replays loads in less time than they took; processor seconds, since other tests may be running."""
    with new_primary("max_wal_size = 4GB", "checkpoint_timeout = 1h") as primary:
        data = rows(1, 100000)
        c = primary.connect()
        c.must("CHECKPOINT")
        before, start = cpu(c.pid), time.monotonic()
        for _ in range(10):
            c.copy("COPY plain FROM STDIN", [data])
        load_cpu, load_time = cpu(c.pid) - before, time.monotonic() - start
        whole = content(c, ["plain"])
        c.close()
        primary.stop("immediate")
        primary.start()
        with primary.connect() as c:
            same(whole, content(c, ["plain"]), "a million rows are there after recovery")
        with open(primary.log, errors="replace") as f:
            user, system, elapsed = re.findall(r"redo done at .* user: ([\d.]+) s, system: ([\d.]+) s, elapsed: ([\d.]+) s", f.read())[-1]
        replay_cpu = float(user) + float(system)
        print(f"# load {load_time:.2f} s ({load_cpu:.2f} s processor), replay {elapsed} s ({replay_cpu:.2f} s processor)", flush=True)
        # half as much again, for the noise of so short a run
        ok(replay_cpu <= 1.5 * load_cpu + 0.1, "replay takes no more than the load", f"load {load_cpu:.2f} s, replay {replay_cpu:.2f} s")


def hot_standby():
    """Aggregates on a standby give PostgreSQL's answers while it replays, after promotion, and in a snapshot from before it."""
    with new_primary() as primary, standby_of(primary, "hot_standby_feedback = on", "max_standby_streaming_delay = -1") as standby:
        tables = list(TABLES)[:3] + ["parts_low", "parts_high"]
        stop, problem = threading.Event(), []

        def write():
            try:
                with primary.connect() as c:
                    number = 10
                    while not stop.is_set():
                        load_all(c, number, 2000)
                        c.must("DELETE FROM keyed WHERE l % 3 = 0 AND i % 2 = 0; UPDATE plain SET a = -a WHERE i < 100")
                        for vacuum in ("VACUUM plain", "VACUUM (FREEZE) keyed", "VACUUM toast"):
                            c.must(vacuum)
                        number += 10
                        if number % 100 == 0:
                            c.must("DELETE FROM plain; DELETE FROM keyed; DELETE FROM toast; DELETE FROM parts")
            except Exception as e:  # noqa: BLE001
                problem.append(e)

        writer = threading.Thread(target=write)
        with primary.connect() as c:
            load_all(c, 1, 500)
            ok(replayed(standby, flushed(c)), "the standby has the tables")
        writer.start()
        different, seen, in_recovery = [], set(), True
        with standby.connect() as r:
            start = time.monotonic()
            while (time.monotonic() < start + 8 or len(seen) < 5) and time.monotonic() < start + 120 and not different:
                r.must("BEGIN ISOLATION LEVEL REPEATABLE READ")
                on, off = aggregates(r, tables)
                in_recovery &= r.must("SELECT pg_is_in_recovery()").value == "t"
                r.must("COMMIT")
                seen.add(str(on))
                if on != off:
                    different = [x for x in zip(on, off) if x[0] != x[1]][:2]
            r.must("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL millrace.scan = on")
            plan = r.must("EXPLAIN SELECT count(*) FROM plain").rows[0][0]
            r.must("COMMIT")
        stop.set()
        writer.join()
        ok(not problem, "the primary was loaded all the while", *problem)
        ok(not different, f"aggregates during replay: {len(seen)} states", *different)
        ok(in_recovery and len(seen) > 3 and b"MillraceAgg" in plan, "... of a standby, moving, by the fast scan", in_recovery, len(seen), plan)
        with primary.connect() as c:
            ok(replayed(standby, flushed(c)), "the standby has caught up")
            c.must("BEGIN ISOLATION LEVEL REPEATABLE READ")
            there = aggregates(c, tables)[1]
        with standby.connect() as old:
            old.must("BEGIN ISOLATION LEVEL REPEATABLE READ")
            before = aggregates(old, tables)
            same(there, before[0], "all replayed: the primary's answers")
            with promoted(standby) as r:
                load_all(r, 1000000, 2000)  # numbers the writer cannot have come to
                r.must("DELETE FROM keyed WHERE i % 3 = 0")
                r.must("VACUUM plain")
                r.must("BEGIN ISOLATION LEVEL REPEATABLE READ")
                same(*aggregates(r, tables), "aggregates after promotion and more loads")
                r.must("COMMIT")
            after = aggregates(old, tables)
            same([before[1], before[1]], after, "a snapshot from before the promotion still sees what it saw")


def logical():
    """A subscriber gets every committed row: those there at first, subtransactions, toasted values, partitions by their root or as they are."""
    for root in ("true", "false"):
        with new_primary("wal_level = logical", "logical_decoding_work_mem = 64kB") as publisher, new_primary() as subscriber:
            with publisher.connect() as c, subscriber.connect() as s:
                for x in (c, s):
                    for table in TABLES:
                        if table != "keyed":
                            x.must(f"ALTER TABLE {table} REPLICA IDENTITY FULL")
                    x.must("ALTER TABLE parts_low REPLICA IDENTITY FULL; ALTER TABLE parts_high REPLICA IDENTITY FULL")
                    x.must("CREATE TABLE fresh (LIKE plain)")
                if root == "true":  # the subscriber's partitions may be others
                    s.must("DROP TABLE parts; CREATE TABLE parts (LIKE plain)")
                load(c, "plain", 1, 5000)
                load(c, "toast", 1, 500)
                load(c, "parts", 1, 3000)
                tables = [*TABLES, "fresh"] if root == "true" else ["plain", "keyed", "toast", "parts_low", "parts_high", "fresh"]
                c.must(f"CREATE PUBLICATION p FOR TABLE {', '.join(tables)} WITH (publish_via_partition_root = {root})")
                s.must(f"CREATE SUBSCRIPTION s CONNECTION 'host={publisher.dir} port={PORT} user=postgres dbname=postgres' PUBLICATION p "
                       f"WITH (streaming = {'on' if root == 'true' else 'off'})")
                for _ in range(1200):
                    if s.must("SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'").value == "0":
                        break
                    time.sleep(0.05)
                for number in (10, 20):
                    for table in tables[:-1]:
                        n = 1000 if table == "parts_low" else 3000  # rows of i below 1000 are its own
                        if table != "parts_high":
                            load(c, table, number, n)
                    c.must("BEGIN; SAVEPOINT a")
                    load(c, "toast", number + 1, 500)
                    c.must("ROLLBACK TO a; SAVEPOINT b")
                    load(c, "plain", number + 2, 4000)
                    load(c, "parts", number + 2, 4000)
                    load(c, "toast", number + 2, 1000)
                    c.must("SAVEPOINT c")
                    load(c, "keyed", number + 3, 2000)
                    c.must("RELEASE b; COMMIT; BEGIN")
                    load(c, "plain", number + 4, 4000)
                    c.must("ROLLBACK; BEGIN; TRUNCATE fresh")
                    frozen = c.copy("COPY fresh FROM STDIN (FREEZE)", [rows(number + 5, 4000)])
                    c.must("COMMIT")
                    c.must("DELETE FROM keyed WHERE i % 100 = 5; UPDATE keyed SET t = 'x' WHERE i % 100 = 6")
                lsn = c.must("SELECT pg_current_wal_lsn()").value
                there = "f"
                for _ in range(1200):
                    there = c.must(f"SELECT bool_and(coalesce(replay_lsn >= '{lsn}', false)) FROM pg_stat_replication").value
                    if there == "t":
                        break
                    time.sleep(0.05)
                ok(there == "t" and not frozen.error, f"the subscriber has applied everything, publish_via_partition_root = {root}", subscriber.tail())
                for table in tables:
                    same(content(c, [table]), content(s, [table]), f"{table} is the same there")
                s.must("DROP SUBSCRIPTION s")


main(recovery, replay_speed, hot_standby, logical)

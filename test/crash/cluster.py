"""The servers that are killed: a primary, and a standby that replays it all the time."""
import ctypes
import os
import re
import signal
import time

from server import PORT, Server
from pq import Connection

ALWAYS = ["session_preload_libraries = 'millrace'", "wal_consistency_checking = 'all'", "max_prepared_transactions = 10", "max_connections = 30",
          "restart_after_crash = on", "wal_writer_delay = 1s",  # so that WAL stays unwritten for a while
          "autovacuum_naptime = 1s", "checkpoint_timeout = 1h", "max_wal_size = 512MB", "log_min_messages = log", "log_checkpoints = off"]
STREAMING = ["max_wal_senders = 5", "max_replication_slots = 5", "hot_standby = on"]
MINIMAL = ["wal_level = minimal", "max_wal_senders = 0"]

# What must never be in a log. Signal 9 is ours; 3 is what the postmaster sends the others then.
BAD = re.compile(r"inconsistent page|PANIC:|TRAP:|terminated by signal (?!9:|3:)|invalid memory alloc|could not read block|page verification failed|"
                 r"invalid page in block|unexpected zero page|buffer refcount leak|still referenced")


# A killed postmaster is a zombie until its parent has waited for it, and a new one takes a zombie for a running server. Some
# containers' first process waits late, so orphans become ours (prctl's PR_SET_CHILD_SUBREAPER).
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def wait_for_orphans():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def processes_in(directory):
    """
    The processes whose working directory this is: a server's, then the programs its backends run. In this order, since a backend
    that outlives its program reports that as an error.
    """
    servers, programs = [], []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.readlink(f"/proc/{name}/cwd") == directory:
                    with open(f"/proc/{name}/comm") as f:
                        (servers if f.read() == "postgres\n" else programs).append(int(name))
            except OSError:
                pass
    return servers + programs


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def postmaster(server):
    """Its process id; 0 while it has none."""
    try:
        return server.pid()
    except (FileNotFoundError, ValueError):
        return 0


def remove_empty_lock(server):
    """Killed between making and writing its socket's lock file, a server leaves an empty one, which no server starts with."""
    lock = os.path.join(server.dir, f".s.PGSQL.{PORT}.lock")
    if os.path.exists(lock) and os.path.getsize(lock) == 0:
        os.unlink(lock)


def kill_server(server):
    """SIGKILL for every process of it, the postmaster first, so that nobody cleans up."""
    first = server.pid()
    kill(first, signal.SIGKILL)
    for _ in range(2000):
        left = processes_in(os.path.realpath(server.data))
        wait_for_orphans()
        if not left and not os.path.exists(f"/proc/{first}"):
            remove_empty_lock(server)
            return
        for pid in left:
            kill(pid, signal.SIGKILL)
        time.sleep(0.002)
    raise RuntimeError(f"processes outlive SIGKILL: {left}")


class Cluster:
    """name: minimal (a server alone) or streaming (a primary with a standby, wal_level replica or logical)."""

    def __init__(self, name, rng):
        self.name, self.rng = name, rng
        self.level = "minimal" if name == "minimal" else "replica"
        self.primary = Server(conf=ALWAYS + (MINIMAL if name == "minimal" else STREAMING + ["wal_level = replica"]))
        with self.primary.connect() as c:
            c.must("CREATE EXTENSION millrace; CREATE EXTENSION amcheck; CREATE EXTENSION pg_visibility")
        self.standby = None
        if name == "streaming":
            self.standby = Server(data=self.clone, conf=["primary_slot_name = 'standby'", "wal_retrieve_retry_interval = 50ms"])
        self.read = {}

    def clone(self, data):
        self.primary.tool("pg_basebackup", "-D", data, "-h", self.primary.dir, "-p", str(PORT), "-U", "postgres", "-R", "-X", "stream",
                          "-C", "-S", "standby", "-c", "fast", "--no-sync")

    def vary(self, keep_level):
        """New settings for the next start: WAL level, and a pool of buffers so small that pages are written while a load goes on."""
        if self.standby and not keep_level:
            self.level = self.rng.choice(["replica", "logical"])
        self.primary.configure(f"wal_level = {self.level}", f"shared_buffers = {self.rng.choice(['128MB', '8MB', '3MB'])}",
                               f"wal_skip_threshold = {self.rng.choice(['0', '2MB', '1GB'])}")

    def restart(self, keep_level, kill_in_recovery):
        """Starts the primary after its death; kill_in_recovery: kills it once more on its way."""
        self.vary(keep_level)
        if kill_in_recovery:
            dead = self.primary.pid()
            self.primary.tool("pg_ctl", "-D", self.primary.data, "-l", self.primary.log, "-W", "-s", "start")
            while postmaster(self.primary) in (0, dead):
                time.sleep(0.001)
            time.sleep(self.rng.uniform(0, 0.12))
            kill_server(self.primary)
        self.primary.start()

    def connect(self, server=None, seconds=60):
        """A connection, as soon as the server takes one."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                c = (server or self.primary).connect()
                if not c.run("SELECT 1").error:
                    return c
                c.close()
            except ConnectionError as e:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"no connection in {seconds} s: {e}\n{(server or self.primary).tail()}") from None
            time.sleep(0.01)

    def caught_up(self, c: Connection, seconds=60):
        """Waits until the standby has replayed all; a connection to it, or None."""
        lsn = c.must("SELECT pg_current_wal_flush_lsn()").value
        r = self.connect(self.standby)
        deadline = time.monotonic() + seconds
        while r.run(f"SELECT pg_last_wal_replay_lsn() >= '{lsn}'").rows != [(b"t",)]:
            if time.monotonic() > deadline or not r.alive:
                r.close()
                return None
            time.sleep(0.01)
        return r

    def bad_lines(self):
        """Lines of the logs, since the last time, that must not be there."""
        bad = []
        for server in filter(None, (self.primary, self.standby)):
            with open(server.log, errors="replace") as f:
                f.seek(self.read.get(server.log, 0))
                bad += [line.strip() for line in f if BAD.search(line)]
                self.read[server.log] = f.tell()
        return bad

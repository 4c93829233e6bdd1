"""The test server that a script was given, or one of its own.

A script run by test/run finds the installation in MILLRACE_PG_BIN. Server makes
a data directory in a temporary directory, starts it, and removes both at the end:

    with Server(conf=["wal_level = logical"]) as server:
        with server.connect() as c: ...
"""
import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from pq import Connection

PORT = 54311  # every server listens on a socket in its own directory only


def bin_dir():
    found = os.environ.get("MILLRACE_PG_BIN")
    if not found:
        sys.exit("MILLRACE_PG_BIN is not set: run this through test/run, or name a directory with PostgreSQL's programs")
    return found


def terminated(number, _):
    sys.exit(128 + number)


signal.signal(signal.SIGTERM, terminated)


class Server:
    def __init__(self, conf=(), initdb=(), data=None, fsync=False):
        """conf: lines of postgresql.conf. data: a ready data directory's maker, called with its path instead of initdb."""
        bin_dir()
        self.dir = tempfile.mkdtemp(prefix="server.", dir=os.environ.get("MILLRACE_SCRATCH"))
        self.data = os.path.join(self.dir, "data")
        self.log = os.path.join(self.dir, "log")
        atexit.register(self.remove)
        if data:
            data(self.data)
        else:
            self.tool("initdb", "-D", self.data, "-k", "-U", "postgres", "-A", "trust", "-E", "UTF8",
                      "--locale=C.UTF-8", "--no-sync", *initdb)
        self.configure(f"port = {PORT}", "listen_addresses = ''", f"unix_socket_directories = '{self.dir}'",
                       f"fsync = {'on' if fsync else 'off'}", "shared_buffers = 128MB", *conf)
        self.start()

    def tool(self, name, *arguments):
        """Runs one of PostgreSQL's programs; its output."""
        done = subprocess.run([os.path.join(bin_dir(), name), *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{name} failed: {done.stdout}{self.tail()}")
        return done.stdout

    def tail(self):
        if not os.path.exists(self.log):
            return ""
        with open(self.log, errors="replace") as f:
            return "".join(f.readlines()[-30:])

    def configure(self, *lines):
        with open(os.path.join(self.data, "postgresql.conf"), "a") as f:
            f.write("".join(line + "\n" for line in lines))

    def start(self):
        # MILLRACE_POSTGRES: what to run instead of the installation's postgres
        other = os.environ.get("MILLRACE_POSTGRES")
        self.tool("pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", "300", "-s", *(["-p", other] if other else []), "start")

    def stop(self, mode="fast"):
        if os.path.exists(os.path.join(self.data, "postmaster.pid")):
            self.tool("pg_ctl", "-D", self.data, "-m", mode, "-w", "-s", "stop")

    def pid(self):
        with open(os.path.join(self.data, "postmaster.pid")) as f:
            return int(f.readline())

    def connect(self, **parameters):
        parameters.setdefault("dbname", "postgres")
        return Connection(host=self.dir, port=PORT, **parameters)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        if os.path.isdir(self.dir):
            try:
                self.stop("immediate")
            except RuntimeError:
                pass
            if os.path.exists(self.log):
                with open(self.log, errors="replace") as f:
                    for line in f:
                        if line.startswith("TRAP:"):  # an assertion, in servers that have them
                            print(f"Bail out! {line}", flush=True)
            shutil.rmtree(self.dir, ignore_errors=True)

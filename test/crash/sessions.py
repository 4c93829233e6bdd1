"""A session that runs plans in a thread, until the server under it is gone."""
import errno
import fcntl
import os
import threading
import time

from plans import Copy
from pq import COPY_IN

PIECE = 64 * 1024


class Gone(Exception):
    """The server went away: what the test is about."""


class Session(threading.Thread):
    """Runs the plans of a generator. What they came to is in .committed, .in_doubt, .prepared; .problem is what should not be."""

    def __init__(self, server, planner, plans):
        super().__init__(daemon=True)
        self.server, self.planner, self.plans = server, planner, plans
        self.committed, self.prepared, self.in_doubt, self.lost = [], [], None, None
        self.problem = None
        self.held, self.go_on = threading.Event(), threading.Event()   # at the point the plan asks for; the test's answer
        self.stopped = threading.Event()
        self.fifo = os.path.join(server.dir, f"fifo.{id(self)}")
        os.mkfifo(self.fifo, 0o600)
        self.connection = server.connect()
        self.pid = self.connection.pid

    def run(self):
        plan = ending = None
        try:
            for plan in self.plans:
                for i, step in enumerate(plan.steps):
                    last = i + 1 == len(plan.steps)
                    ending = False
                    if isinstance(step, Copy):
                        self.copy(step)
                        # from the end of its input on, a COPY that is a transaction of its own may be committed
                        ending = last
                        self.finish_copy(step)
                    else:
                        if last and plan.hold_end:
                            self.hold()
                        ending = last
                        self.check(self.connection.run(step))
                (self.prepared if plan.prepared else self.committed).append(plan)
                plan = None
                if self.stopped.is_set():
                    return
        except Gone:
            if ending:
                self.in_doubt = plan
            else:
                self.lost = plan
        except Exception as e:  # noqa: BLE001
            self.problem = f"{type(e).__name__}: {e}"
        finally:
            self.held.set()
            self.connection.close()
            os.unlink(self.fifo)

    def check(self, result):
        """An error is the server's end (libpq's own errors have no SQLSTATE), or a problem."""
        if result.error:
            if result.error.get("sqlstate", "57P").startswith("57P"):
                raise Gone
            raise RuntimeError(result.error)
        return result

    def hold(self):
        """Waits for the test to go on, or to have killed the server."""
        self.held.set()
        if not self.stopped.is_set():
            self.go_on.wait()
            self.go_on.clear()

    def end(self):
        """The server is dead, or the session shall end after the plan it is in."""
        self.stopped.set()
        self.go_on.set()
        self.join(60)
        if self.is_alive():
            self.problem = "the session hangs"

    def copy(self, step):
        """Sends the statement and all of the input, but not the end."""
        self.current = step
        data = self.planner.pool(step.table).input(step.load, step.rows, step.form)
        options = f"(FORMAT {step.form}{', FREEZE' if step.freeze else ''})"
        source = {"stdin": "STDIN", "fifo": f"'{self.fifo}'", "program": f"PROGRAM 'cat {self.fifo}'"}[step.source]
        self.connection.send(f"COPY {step.table} FROM {source} {options}")
        if step.source == "stdin":
            if self.check(self.connection.wait()).status != COPY_IN:
                raise RuntimeError("COPY did not start")
            put = self.connection.put
        else:
            self.pipe = self.open_fifo()
            put = self.write_fifo
        hold_at = None if step.hold_at is None else int(step.hold_at * len(data))
        for at in range(0, len(data), PIECE):
            piece = data[at:at + PIECE]
            if hold_at is not None and at + len(piece) > hold_at:
                self.put(put, piece[:hold_at - at])
                self.hold()
                piece, hold_at = piece[hold_at - at:], None
            self.put(put, piece)
        if step.hold_end:
            self.hold()

    def put(self, put, piece):
        if piece and not put(piece):
            raise Gone

    def finish_copy(self, step):
        if step.source == "stdin":
            self.check(self.connection.end())
        else:
            os.close(self.pipe)
            self.check(self.connection.wait())

    def open_fifo(self):
        """Waits for the reader, unless the statement fails."""
        while True:
            try:
                pipe = os.open(self.fifo, os.O_WRONLY | os.O_NONBLOCK)
                fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_WRONLY)
                return pipe
            except OSError as e:
                if e.errno != errno.ENXIO:
                    raise
            if self.connection.ready(0):
                self.check(self.connection.wait())
                raise Gone
            time.sleep(0.001)

    def write_fifo(self, piece):
        try:
            while piece:
                piece = piece[os.write(self.pipe, piece):]
            return True
        except BrokenPipeError:
            os.close(self.pipe)
            self.check(self.connection.wait())
            return False

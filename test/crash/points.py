"""The moments of death, reached from outside.

placed      pages are in shared buffers and their WAL is not written: the input pauses, and pg_stat_progress_copy says that all of it
            is taken; in half of the cases a checkpoint then writes pages and WAL, and the input goes on to its end and pauses again
extension   the loading backend holds the relation's extension lock: it is stopped now and then until pg_locks says so
checkpoint  a checkpoint has begun
commit      all rows are there, COMMIT (or the end of the input) is not sent; in half of the cases a checkpoint has written them
committing  it is sent
prepared    the transaction is prepared
random      any time

Each function gets the session to watch, which stands at the hold of its plan if that has one, and a connection that controls;
it returns when it is time to kill, with what it has seen, for the report.
"""
import os
import signal
import time

from plans import KINDS, Copy

POINTS = ("random", "placed", "extension", "checkpoint", "commit", "committing", "prepared")


def plans(point, planner, rng, kinds=KINDS[:-1]):
    """What the session to be killed does: one plan that leads to the point, or any in turn where the point is a matter of time."""
    while point in ("random", "checkpoint"):
        yield planner.plan(rng.choice(kinds), 20000)
    yield plan_to(point, planner, rng)


def plan_to(point, planner, rng):
    if point == "placed":
        plan = planner.plan(rng.choice(["single", "savepoints", "create", "truncate"]), 30000, rng.choice(["plain", "plain", "toast", "parts", "keyed"]))
        copies = [s for s in plan.steps if isinstance(s, Copy)]
        # the first pages are placed 32 at once: after some 4000 rows
        copies[-1].rows = max(copies[-1].rows, min(12000, planner.limit(copies[-1].table)))
        copies[-1].hold_at = rng.uniform(0.5, 0.9)
        plan.adds[-1] = (copies[-1].table, copies[-1].load, copies[-1].rows)
        return plan
    if point == "extension":
        plan = planner.plan(rng.choice(["single", "truncate"]), 40000, rng.choice(["plain", "plain", "toast"]), "stdin")
        for i, step in enumerate(plan.steps):
            if isinstance(step, Copy):
                step.rows = planner.limit(step.table)
                plan.adds = [(t, load, step.rows if load == step.load else n) for t, load, n in plan.adds]
        return plan
    if point == "prepared":
        return planner.plan("prepared", 10000)
    plan = planner.plan(rng.choice(["single", "several", "savepoints", "create", "create", "truncate"]), 20000)
    if isinstance(plan.steps[-1], Copy):
        plan.steps[-1].hold_end = True
    else:
        plan.hold_end = True
    return plan


def wait_until(true, seconds=120):
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def at_hold(session, control):
    """Waits until the session has come to its hold, or its end."""
    if not session.held.wait(120):
        raise RuntimeError(f"no hold in two minutes: {control.must('SELECT * FROM pg_stat_activity').rows}")


def taken(session, control):
    """Waits until the backend has processed all input it has; the bytes."""
    before = -1
    for _ in range(400):
        rows = control.must(f"SELECT bytes_processed FROM pg_stat_progress_copy WHERE pid = {session.pid}").rows
        now = int(rows[0][0]) if rows else 0
        if now and now == before:
            break
        before = now
        time.sleep(0.01)
    return before


def random(session, control, rng):
    time.sleep(rng.uniform(0, 0.8))
    return []


def placed(session, control, rng):
    seen = []
    start = control.must("SELECT pg_current_wal_insert_lsn()").value
    at_hold(session, control)
    taken(session, control)
    if control.must(f"SELECT pg_current_wal_insert_lsn() - '{start}' > 64 * 8192").value == "t":
        seen.append("dozens of pages logged")
    if rng.random() < 0.5:
        control.must("CHECKPOINT")
        seen.append("with a checkpoint before")
        # the rest of the input, but not its end
        session.current.hold_end = True
        session.held.clear()
        session.go_on.set()
        at_hold(session, control)
        taken(session, control)
    if control.must("SELECT pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn()").value == "t":
        seen.append("WAL not written")
    return seen


def extension(session, control, rng):
    """Stops the backend at random until it is seen with the lock. A stopped backend may hold what pg_locks needs: then it goes on."""
    query = f"SELECT count(*) FROM pg_locks WHERE locktype = 'extend' AND granted AND pid = {session.pid}"
    for _ in range(300):
        time.sleep(rng.uniform(0, 0.002))
        try:
            os.kill(session.pid, signal.SIGSTOP)
            control.send(query)
            in_time = control.ready(0.1)
            if in_time and control.wait().value == "1":
                return ["seen holding the lock"]
            os.kill(session.pid, signal.SIGCONT)
            if not in_time:
                control.wait()
        except ProcessLookupError:
            break
    return ["missed"]


def checkpoint(session, control, rng):
    time.sleep(rng.uniform(0, 0.1))
    control.send("CHECKPOINT")
    time.sleep(rng.uniform(0, 0.05))
    return [] if control.ready(0) else ["not finished"]


def commit(session, control, rng):
    at_hold(session, control)
    if rng.random() < 0.5:
        return ["held"]
    control.must("CHECKPOINT")
    return ["held, with a checkpoint before"]


def committing(session, control, rng):
    seen = commit(session, control, rng)
    session.go_on.set()
    time.sleep(rng.choice([0, rng.uniform(0, 0.0005), rng.uniform(0, 0.005)]))
    return [seen[0].replace("held", "sent")]


def prepared(session, control, rng):
    if not wait_until(lambda: session.prepared or not session.is_alive()):
        raise RuntimeError("the transaction was not prepared")
    return ["prepared"]

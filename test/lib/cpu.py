"""The processor time of a backend and of its workers, in nanoseconds."""
import os
import time


def cpu(pid):
    with open(f'/proc/{pid}/schedstat', encoding='ascii') as f:
        return int(f.read().split()[0])


def settled_cpu(pid):
    """Waits until the backend sleeps, so that what it does after its answer is counted with it."""
    before = cpu(pid)
    while True:
        time.sleep(0)
        now = cpu(pid)
        if now == before:
            return now
        before = now


def ended_cpu(pid):
    """What the server's processes that have ended took, in steps of 10 ms. pid is a backend's. A query's parallel workers have
    ended when it has."""
    def stat(which):
        with open(f'/proc/{which}/stat', encoding='utf-8', errors='replace') as f:
            return f.read().rpartition(')')[2].split()
    postmaster = stat(pid)[1]
    user, system = stat(postmaster)[13:15]
    return (int(user) + int(system)) * 10**9 // os.sysconf('SC_CLK_TCK')

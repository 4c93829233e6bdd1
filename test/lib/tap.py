"""The Test Anything Protocol, for scripts under test/t, and what several of them need."""
import os
import sys
import traceback

_count = 0
_failed = 0


def ok(good, name, *why):
    global _count, _failed
    _count += 1
    print(f"{'ok' if good else 'not ok'} {_count} - {name}", flush=True)
    if not good:
        _failed += 1
        for line in why:
            for part in str(line)[:4000].splitlines():
                print(f"# {part}", flush=True)
    return good


def same(a, b, name):
    return ok(a == b, name, f"off: {a}", f"on:  {b}")


def skip(name, why):
    global _count
    _count += 1
    print(f"ok {_count} - {name} # skip {why}", flush=True)


def main(*tests):
    """Runs the functions; an exception is one failed check."""
    for test in tests:
        try:
            test()
        except Exception:  # noqa: BLE001
            ok(False, test.__name__, traceback.format_exc())
    print(f"1..{_count}", flush=True)
    sys.exit(1 if _failed else 0)


def outcome(result):
    """What a client sees of a statement, for comparison."""
    return result.status, result.tag, result.error, result.notices


def both(server, sql=None):
    """Connections with millrace off and on, in schemas of their own."""
    pair = []
    for name, on in (("plain", "off"), ("fast", "on")):
        c = server.connect()
        c.must(f"SET client_min_messages = warning; DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}; "
               f"SET search_path = {name}, public; RESET client_min_messages; SET millrace.copy = {on}; SET millrace.scan = {on}; SET millrace.scan_min_cost = 0")
        if sql:
            c.must(sql)
        pair.append(c)
    return pair


def rows(c, table="t"):
    return c.must(f"SELECT string_agg(x::text, E'\\n' ORDER BY ctid) FROM {table} x").rows


def path(c):
    return c.must("SELECT path FROM millrace.last_copy()").value


def memory(pid):
    """
    Private memory of a process, in kB. Not shared buffers that only this process has touched so far, which count as private too:
    since 19 there is no list of free buffers, and each new page of a table takes the next one.
    """
    kb, shared = 0, False
    with open(f"/proc/{pid}/smaps") as f:
        for line in f:
            words = line.split()
            if line.startswith("Private_"):
                kb += 0 if shared else int(words[1])
            elif not words[0].endswith(":"):  # a mapping: addresses, permissions (the last letter: s, p), ...
                shared = words[1].endswith("s")
    return kb


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))

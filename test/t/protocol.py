"""The copy-in protocol: any split of the input gives the same; CopyFail, disconnects and slow clients."""
import os
import sys
import time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pq import COPY_IN  # noqa: E402
from server import Server  # noqa: E402
from tap import both, main, ok, outcome, path, rows, same  # noqa: E402

server = Server(conf=["session_preload_libraries = 'millrace'"])
with server.connect() as c:
    c.must("CREATE EXTENSION millrace")

# (options, input); short, so that every byte boundary can be tried
SHORT = [
    ("CSV", b'1,"a ""b"", c"\r\n2,"x\r\ny"\r\n3,\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\r\n'),
    ("CSV", b'1,a\n2,"b\n\\.\nc"\n\\.\n3,never\n'),
    ("(FORMAT csv, ESCAPE '\\')", b'1,"a\\"b\\\\"\n2,"\\\\"\n3,x\n'),
    ("", b"1\ta\\\\b\\n\n2\tline\\\nbreak\n3\t\\N\n\\.\n"),
    ("", b"1\ta\r\n2\tb\r\n\\.\r\n"),
    ("", b"1\ta\r2\tb\r\\.\r"),
    ("", b"1\ta\n2\tb\\.\n"),
    ("", b"1\ta\n2\tb\\"),
    ("CSV", b"1,a\n2,b\r\n"),
    ("CSV", b"1,a\r2,b\n"),
    ("CSV", b"1,a\n2,\xe2\x82\n"),
    ("CSV", b"1,a\n2,\xf0\x9f"),
    ("CSV", b'1,a\n2,"never closed\n3,x\n'),
    ("(FORMAT csv, HEADER MATCH)", b'"a",b\n1,x\n'),
    ("(FORMAT csv, ENCODING 'SJIS')", b"1,\x93\xfa\x96\x7b\n2,\x83\x5c\x83\x7c\n3,\x93"),
    ("(ENCODING 'GB18030')", b"1\t\x81\x30\x81\x30\n2\t\xd6\xd0\n"),
    ("", b"oops\ta\n2\tb\n"),
    ("", b""),
]


def every_boundary():
    pair = both(server, "CREATE TABLE t (a int, b text)")
    for options, data in SHORT:
        wanted, wrong = None, []
        for at in range(len(data) + 1):
            for pieces in ([data[:at], data[at:]], [data[:at], b"", data[at:at + 1], data[at + 1:]]):
                got = pair[1].copy(f"COPY t FROM STDIN {options}", pieces)
                seen = outcome(got), rows(pair[1])
                pair[1].must("TRUNCATE t")
                if wanted is None:
                    plain = pair[0].copy(f"COPY t FROM STDIN {options}", [data])
                    wanted = outcome(plain), rows(pair[0])
                    pair[0].must("TRUNCATE t")
                if seen != wanted:
                    wrong.append(f"split at {at}: {seen}, not {wanted}")
        got = pair[1].copy(f"COPY t FROM STDIN {options}", [data[i:i + 1] for i in range(len(data))])
        if (outcome(got), rows(pair[1])) != wanted:
            wrong.append("a byte at a time")
        pair[1].must("TRUNCATE t")
        ok(not wrong, f"every split of {data[:30]!r} {options}", *wrong[:3])


def large_edges():
    """Something awkward moved over the edges of every buffer size."""
    # since 16 string_agg has parallel plans, which would give the rows in any order
    pair = both(server, "CREATE TABLE t (a int, b text); SET max_parallel_workers_per_gather = 0")
    for size in (8192, 65536, 262144, 1048576):
        wrong = []
        for awkward in (b'"q""\r\n\xe2\x82\xac"', b"\xf0\x9f\x98\x80", b"\\.", b'""'):
            for shift in range(-6, 7):
                head = b"1,x\n" * ((size + shift) // 4) + b"2," + b"y" * ((size + shift) % 4)
                data = head + awkward + b"\n3,z\n"
                for pieces in ([data], [data[:size], data[size:]]):
                    seen = []
                    for c in pair:
                        seen.append((outcome(c.copy("COPY t FROM STDIN CSV", pieces)),
                                     c.must("SELECT count(*), md5(string_agg(b, ',')), max(b) FROM t").rows))
                        c.must("TRUNCATE t")
                    if seen[0] != seen[1]:
                        wrong.append(f"{awkward!r} at {size}{shift:+d}: {seen}")
        ok(not wrong, f"awkward bytes at the {size} byte edge", *wrong[:3])


def messages_of_every_size():
    pair = both(server, "CREATE TABLE t (a int, b text)")
    data = b"".join(b'%d,"row %d ""x"" \xc3\xa9"\n' % (i, i) for i in range(30000))
    seen = []
    for size in (7, 4096, 65535, 65536, 65537, 300000, len(data)):
        for c in pair:
            r = c.copy("COPY t FROM STDIN CSV", [data[i:i + size] for i in range(0, len(data), size)])
            seen.append((r.tag, c.must("SELECT md5(string_agg(t::text, ',' ORDER BY a)) FROM t").value))
            c.must("TRUNCATE t")
    ok(len(set(seen)) == 1, "messages of 7 bytes to the whole", set(seen))


def slow_client():
    """Rows are judged as they come: an error is told while the client still holds the copy open, as core does."""
    pair = both(server, "CREATE TABLE t (a int, b text)")
    for c, name in zip(pair, ("off", "on")):
        c.run("COPY t FROM STDIN")
        for i in range(5):
            c.put(b"%d\tslow\n" % i)
            time.sleep(0.02)
        c.put(b"oops\tx\n1\ty\n")
        told = c.ready(2)
        ok(told, f"millrace {name}: a bad line is answered while the client waits")
        c.end()
    c = pair[1]
    c.run("COPY t FROM STDIN")
    for piece in (b"1", b"\t", b"a", b"\n", b"2\tb\\", b"n\n"):
        c.put(piece)
        time.sleep(0.02)
    same([("2")], [c.end().tag.split()[1]], "drops of a slow client arrive")


def copy_fail():
    pair = both(server, "CREATE TABLE t (a int, b text)")
    wrong = []
    for before in range(6):
        seen = []
        for c in pair:
            c.run("COPY t FROM STDIN")
            for i in range(before):
                c.put(b"%d\tx\n" % i * (1 + 700 * i))
            seen.append((outcome(c.end("client's reason")), rows(c), c.run("SELECT 1").value))
        if seen[0] != seen[1]:
            wrong.append(seen)
    ok(not wrong, "CopyFail after each message", *wrong)


def disconnect():
    for before in (b"", b"1\tx\n", b"1\tx\n" * 50000, b"1\tpart"):
        a, b = both(server, "CREATE TABLE t (a int, b text)")
        b.run("COPY t FROM STDIN")
        if before:
            b.put(before)
        pid = b.pid
        b.close()
        for _ in range(100):
            if a.must(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}").value == "0":
                break
            time.sleep(0.05)
        same(("0", "0"), (a.must(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}").value,
                          a.must("SELECT count(*) FROM fast.t").value), f"a client gone after {len(before)} bytes leaves nothing")
        a.close()


def kept_open_program():
    """A pipe that gives its rows and stays open for a while."""
    pair = both(server, "CREATE TABLE t (a int, b text)")
    seen = [(outcome(c.run("COPY t FROM PROGRAM 'for i in 1 2 3 4 5; do printf \"$i\\tr\"; sleep 0.05; echo ow; done'")), rows(c))
            for c in pair]
    same(seen[0], seen[1], "a slow program")
    same("fast", path(pair[1]), "... taken by the fast path")
    # core closes the pipe on an early end; the program then fails by SIGPIPE, which is no error
    seen = [(outcome(c.run("COPY t FROM PROGRAM 'printf \"1\\tx\\n\\\\.\\n\"; yes | head -1000000'")), rows(c)) for c in pair]
    same(seen[0], seen[1], "a program that goes on after the end-of-data marker")
    seen = [(outcome(c.run("COPY t FROM PROGRAM 'yes oops'")), rows(c)) for c in pair]
    same(seen[0], seen[1], "an endless program with a bad line")


def nested_in_extended_protocol():
    pair = both(server, "CREATE TABLE t (a int, b text)")
    for c in pair:
        c.must("BEGIN; SAVEPOINT a")
        r = c.copy("COPY t FROM STDIN", [b"1\tx\noops\n"])
        c.must("ROLLBACK TO a")
        c.copy("COPY t FROM STDIN", [b"2\ty\n"])
        c.must("COMMIT")
        ok(r.error is not None and rows(c) == [(b"(2,y)",)], "an error, the savepoint, and on", r, rows(c))
        r = c.run("COPY t FROM STDIN; SELECT 1")
        ok(r.status == COPY_IN and c.end().error is None, "COPY and more in one query string")


main(every_boundary, large_edges, messages_of_every_size, slow_client, copy_fail, disconnect, kept_open_program,
     nested_in_extended_protocol)

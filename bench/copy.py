"""The measuring half of bench/copy, which prepares the server and calls this."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "lib"))
from pq import Connection  # noqa: E402

HOST, SCRATCH, BIN = os.environ["MILLRACE_HOST"], os.environ["MILLRACE_SCRATCH"], os.environ["MILLRACE_PG_BIN"]
DATA = os.path.join(SCRATCH, "data")
PORT = 54311

LINEITEM = """l_orderkey bigint, l_partkey int, l_suppkey int, l_linenumber int, l_quantity numeric(15,2),
  l_extendedprice numeric(15,2), l_discount numeric(15,2), l_tax numeric(15,2), l_returnflag char(1), l_linestatus char(1),
  l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct char(25), l_shipmode char(10), l_comment varchar(44)"""
# name: columns, options, rows
SETS = {
    "int5": ("a int, b int, c int, d int, e int", "", 2000000),
    "lineitem": (LINEITEM, "(FORMAT csv)", 1000000),
    "lineitem_bar": (LINEITEM, "(DELIMITER '|')", 1000000),
    "text1": ("a text", "", 1000000),
    "quoted": (", ".join(f"c{i} text" for i in range(10)), "(FORMAT csv)", 1000000),
    "mixed": ("id bigint, at timestamp, x float8, u uuid, b bool, t text, n numeric(12,2)", "", 1000000),
}


class Bench:
    def __init__(self, args):
        self.args = args
        self.c = Connection(host=HOST, port=PORT, dbname="postgres")
        self.results = []

    def generate(self, name, rows):
        path = os.path.join(DATA, name)
        if not os.path.exists(path):
            with open(path, "wb") as f:
                subprocess.run([os.path.join(SCRATCH, "generate"), name, str(rows)], stdout=f, check=True)
        return path

    def once(self, on, ddl, statement, client):
        """One load into a new table: (ms of the COPY, ms with the CHECKPOINT that follows)."""
        c = self.c
        c.must("DROP TABLE IF EXISTS t CASCADE")
        c.must(ddl)
        c.must("CHECKPOINT")
        setting = "on" if on else "off"
        if client:
            out = subprocess.run(
                [os.path.join(BIN, "psql"), "-X", "-q", "-h", HOST, "-p", str(PORT), "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c",
                 f"SET millrace.copy = {setting}", "-c", "\\timing on", "-c", statement],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
            ms = float(re.search(r"Time: ([\d.]+) ms", out).group(1))
        else:
            c.must(f"SET millrace.copy = {setting}")
            start = time.perf_counter()
            c.must(statement)
            ms = 1000 * (time.perf_counter() - start)
        start = time.perf_counter()
        c.must("CHECKPOINT")
        return ms, ms + 1000 * (time.perf_counter() - start)

    def line(self, what, off, on, note=""):
        off, on = statistics.median(off), statistics.median(on)
        ratio = off / on if on else 0
        self.results.append((what, off, on, ratio))
        print(f"{what:46s} {off:9.1f} {on:9.1f} {ratio:7.2f}x{note}", flush=True)

    def compare(self, what, ddl, statement, client=False, checkpoint=True, load=None):
        """Alternates off and on; prints the COPY's medians, and with the CHECKPOINT."""
        load = load or (lambda on: self.once(on, ddl, statement, client))
        pairs = ([], [])
        load(True), load(False)  # files and buffers once touched by both
        for _ in range(self.args.runs):
            for on in (False, True):
                pairs[on].append(load(on))
        note = ""
        if not client and load(True):
            path = self.c.must("SELECT path || coalesce(': ' || reason, '') FROM millrace.last_copy()").value
            note = "" if path == "fast" else f"  ({path})"
        self.line(what, [p[0] for p in pairs[0]], [p[0] for p in pairs[1]], note)
        if checkpoint:
            self.line(what + " +ckpt", [p[1] for p in pairs[0]], [p[1] for p in pairs[1]])

    def generated(self, name):
        columns, options, rows = SETS[name]
        path = self.generate(name, rows // self.args.divisor)
        megabytes = os.path.getsize(path) / 1e6
        print(f"-- {name}: {rows // self.args.divisor} rows, {megabytes:.0f} MB")
        for kind in ("UNLOGGED", ""):
            label = f"{name} {kind.lower() or 'logged'}"
            ddl = f"CREATE {kind} TABLE t ({columns})"
            self.compare(label, ddl, f"COPY t FROM '{path}' {options}")
            self.compare(label + " \\copy", ddl, f"\\copy t from '{path}' {options}", client=True, checkpoint=False)

    def real(self):
        folder = os.path.join(SCRATCH, "real")
        if not os.path.isdir(folder):
            print("-- real: skipped, no ../shared/data/real here")
            return
        with open(os.path.join(folder, "load.sql")) as f:
            script = f.read()
        self.c.must("SET datestyle = 'ISO, MDY'")
        for m in re.finditer(r"CREATE TABLE (\w+) \((.*?)\);\s*\\copy \w+ FROM '(.*?)' WITH \((.*?)\)\n", script, re.S):
            name, columns, file, options = m.groups()
            with open(os.path.join(folder, file), "rb") as f:
                text = f.read()
            if not text.endswith((b"\n", b"\r")):
                text += b"\r\n" if b"\r\n" in text[:10000] else b"\n" if b"\n" in text[:10000] else b"\r"
            head = b""
            if "HEADER" in options:
                head, text = text.split(b"\n", 1)
                head += b"\n"
            path = os.path.join(DATA, "real_file")
            with open(path, "wb") as f:
                f.write(head)
                for _ in range(max(1, 100_000_000 // self.args.divisor // len(text))):
                    f.write(text)
            self.compare(f"real {file} unlogged", f"CREATE UNLOGGED TABLE t ({columns})", f"COPY t FROM '{path}' WITH ({options})",
                         checkpoint=False)
            self.compare(f"real {file} logged", f"CREATE TABLE t ({columns})", f"COPY t FROM '{path}' WITH ({options})", checkpoint=False)
            os.unlink(path)
        self.c.must("RESET datestyle")

    def small(self):
        for rows, times in ((1, 3000), (100, 1500)):
            data = b"".join(b"%d\tsome text\t2001-02-03\n" % i for i in range(rows))
            file = os.path.join(DATA, "small")
            with open(file, "wb") as f:
                f.write(data)
            for source in ("file", "stdin"):
                def load(on, source=source, data=data, times=times // self.args.divisor):
                    c = self.c
                    c.must("DROP TABLE IF EXISTS t CASCADE; CREATE UNLOGGED TABLE t (a int, b text, c date)")
                    c.must(f"SET millrace.copy = {'on' if on else 'off'}")
                    c.must("BEGIN")
                    start = time.perf_counter()
                    for _ in range(times):
                        if source == "file":
                            c.run(f"COPY t FROM '{file}'")
                        else:
                            c.copy("COPY t FROM STDIN", [data])
                    ms = 1000 * (time.perf_counter() - start)
                    c.must("COMMIT")
                    return 1000 * ms / times, 0
                self.compare(f"{rows}-row COPY from {source} (us each)", None, None, checkpoint=False, load=load)

    def other(self):
        rows = 1000000 // self.args.divisor
        ints = self.generate("ints", rows)
        json = self.generate("json", rows // 10)
        plain = "CREATE TABLE t (a int, b int)"
        function = ("; CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "
                    "$$ BEGIN RETURN NEW; END $$; CREATE TRIGGER g {} INSERT ON t FOR EACH {} EXECUTE FUNCTION f()")
        self.compare("ints, serial primary key", "CREATE TABLE t (a int PRIMARY KEY, b int)", f"COPY t FROM '{ints}'", checkpoint=False)
        self.compare("ints, random index", plain + "; CREATE INDEX ON t (b)", f"COPY t FROM '{ints}'", checkpoint=False)
        self.compare("ints, CHECK and NOT NULL", "CREATE TABLE t (a int NOT NULL CHECK (a >= 0), b int)", f"COPY t FROM '{ints}'",
                     checkpoint=False)
        self.compare("ints, generated column", "CREATE TABLE t (a int, b int, c int GENERATED ALWAYS AS (a + 1) STORED)",
                     f"COPY t (a, b) FROM '{ints}'", checkpoint=False)
        self.compare("ints, WHERE", plain, f"COPY t FROM '{ints}' WHERE b < 500000", checkpoint=False)
        self.compare("ints, DEFAULT nextval", "CREATE TABLE t (a int, b int, s serial)", f"COPY t (a, b) FROM '{ints}'", checkpoint=False)
        self.compare("ints, foreign key", "DROP TABLE IF EXISTS p CASCADE; CREATE TABLE p (k int PRIMARY KEY); INSERT INTO p SELECT "
                     "generate_series(0, 1000000); CREATE TABLE t (a int, b int REFERENCES p)", f"COPY t FROM '{ints}'", checkpoint=False)
        self.compare("ints, BEFORE ROW trigger", plain + function.format("BEFORE", "ROW"), f"COPY t FROM '{ints}'", checkpoint=False)
        self.compare("ints, AFTER ROW trigger", plain + function.format("AFTER", "ROW"), f"COPY t FROM '{ints}'", checkpoint=False)
        self.compare("ints, AFTER STATEMENT trigger", plain + function.format("AFTER", "STATEMENT"), f"COPY t FROM '{ints}'",
                     checkpoint=False)
        self.compare("ints, partitioned", "CREATE TABLE t (a int, b int) PARTITION BY HASH (a); " + "; ".join(
            f"CREATE TABLE t{i} PARTITION OF t FOR VALUES WITH (MODULUS 4, REMAINDER {i})" for i in range(4)),
            f"COPY t FROM '{ints}'", checkpoint=False)
        self.compare("wide JSON as jsonb", "CREATE TABLE t (j jsonb)", f"COPY t FROM '{json}'", checkpoint=False)
        self.compare("wide JSON as text", "CREATE TABLE t (j text)", f"COPY t FROM '{json}'", checkpoint=False)
        binary = os.path.join(DATA, "binary")
        self.c.must(f"DROP TABLE IF EXISTS t CASCADE; {plain}; COPY t FROM '{ints}'; COPY t TO '{binary}' (FORMAT binary)")
        self.compare("binary (left to PostgreSQL)", plain, f"COPY t FROM '{binary}' (FORMAT binary)", checkpoint=False)

    def plot(self):
        with open(os.path.join(DATA, "result.tsv"), "w") as f:
            f.write("what\toff_ms\ton_ms\tratio\n")
            f.writelines(f"{what}\t{off:.2f}\t{on:.2f}\t{ratio:.3f}\n" for what, off, on, ratio in self.results)
        if self.args.plot:
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "copy.gnuplot")
            subprocess.run(["gnuplot", "-e", f"table='{DATA}/result.tsv'; picture='{DATA}/result.svg'", script], check=False)


def main():
    parser = argparse.ArgumentParser(prog="bench/copy")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--plot")
    parser.add_argument("--tsv")
    parser.add_argument("datasets", nargs="*", default=[])
    args = parser.parse_args()
    args.divisor = 10 if args.quick else 1
    args.runs = args.runs or (3 if args.quick else 5)
    bench = Bench(args)
    version = bench.c.must("SHOW server_version").value
    print(f"PostgreSQL {version}, millrace {bench.c.must('SELECT millrace.version()').value} on "
          f"{bench.c.must('SELECT millrace.simd_target()').value}; medians of {args.runs}, milliseconds")
    print(f"{'':46s} {'off':>9s} {'on':>9s} {'ratio':>8s}")
    for name in args.datasets or [*SETS, "real", "small", "other"]:
        if name in SETS:
            bench.generated(name)
        elif name in ("real", "small", "other"):
            getattr(bench, name)()
        else:
            sys.exit(f"unknown dataset {name}")
    bench.plot()


main()

#!/usr/bin/env python3
"""slower.py --host DIR --port PORT [--rounds N] [--set SETTING]... [--nodes] [--only REGEX] SQL_DIRECTORY

Which queries of PostgreSQL's regression suite are slower with millrace? Against the database that the suite left behind, every
query of its scripts that runs there is run in turn by two sessions of one server: one without the library, one with it and
millrace.scan on. What is compared is the CPU time of each backend from statement to statement (planning, execution and
protocol), a block of repetitions at a time, and a query's figure is its cheapest block: what disturbs only adds. Blocks go on
while the ratio is below 0.97, --rounds of them at most; those that stay below are listed. Rows are compared too.

--set gives both sessions a setting, such as enable_indexscan=off. Started by test/upstream/run --slower.
"""
import argparse
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'lib'))
from cpu import settled_cpu  # noqa: E402
from pq import Connection  # noqa: E402

TOKEN = re.compile(r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"[^"]*"|(\$[A-Za-z_0-9]*\$).*?\1|;|[^-/'"$;]+|.""", re.S)
QUERY = re.compile(r'\s*(select|with|values|table)\b', re.I)
# would disturb the server, the other session or the clock; or is another thing than a query
UNFIT = re.compile(r'\binto\s+(temp|table|\w+\s+from)|\bfor\s+(no\s+key\s+)?update|pg_sleep|pg_terminate|pg_cancel|advisory|pg_reload|slot|'
                   r'pg_rotate|pg_switch|nextval|setval|random|\blo_|txid|pg_current|statement_timeout|backend_pid|'
                   r'insert\s+into|update\s+\w+\s+set|delete\s+from|merge\s+into|set_config|notify', re.I)
TOO_SLOW = 0.97


def statements(script):
    """The statements of a psql script, without data and psql's own commands."""
    lines, data = [], False
    for line in script.split('\n'):
        if data:
            data = line != '\\.'
        elif not line.startswith('\\'):
            lines.append(line)
            data = bool(re.match(r'\s*copy\b.*\bfrom\s+stdin\b', line, re.I))
    text = ''
    for token in TOKEN.finditer('\n'.join(lines)):
        token = token.group()
        if token == ';':
            yield text.strip()
            text = ''
        elif not token.startswith(('--', '/*')):
            text += token


class Session:
    def __init__(self, host, port, settings):
        self.connection = Connection(host=host, port=port, dbname='regression')
        # workers' time is not the backend's
        for setting in ['max_parallel_workers_per_gather=0', "statement_timeout='3s'", 'jit=off'] + settings:
            self.connection.must(f'SET {setting}')

    def settle(self):
        return settled_cpu(self.connection.pid)

    def time(self, sql, times):
        """Nanoseconds of CPU that one execution takes, on the average of some."""
        sql = sql.encode()
        before = self.settle()
        for _ in range(times):
            self.connection.run(sql)
        return (self.settle() - before) / times


def measure(plain, loaded, sql, rounds):
    """Nanoseconds without and with millrace; who goes first changes from block to block."""
    best = {}
    for session in plain, loaded:
        session.time(sql, 1)
        best[session] = session.time(sql, 1)
    times = max(1, min(20, int(1e6 / (best[plain] + 1))))
    for i in range(rounds):
        for session in (plain, loaded) if i % 2 else (loaded, plain):
            best[session] = min(best[session], session.time(sql, times))
        if i >= 3 and best[plain] >= TOO_SLOW * best[loaded]:
            break
    return best[plain], best[loaded]


def same_rows(a, b):
    return a.error == b.error and sorted(map(repr, a.rows)) == sorted(map(repr, b.rows))


def collect(directory, only, plain, loaded):
    """The queries that run, as (script, text, uses our node); and a line for each with other rows."""
    seen, queries, other = set(), [], []
    for path in sorted(pathlib.Path(directory).glob('*.sql')):
        for sql in statements(path.read_text('utf-8', errors='replace')):
            if sql in seen or not QUERY.match(sql) or UNFIT.search(sql) or not re.search(only, sql):
                continue
            seen.add(sql)
            first = plain.connection.run(sql)
            if first.error or first.status != 2:
                continue
            again, ours = plain.connection.run(sql), loaded.connection.run(sql)
            if not same_rows(first, again):
                continue  # it has no one answer
            if not same_rows(first, ours):
                other.append(f'{path.stem}: {" ".join(sql.split())}')
                continue
            plan = loaded.connection.run('EXPLAIN ' + sql)
            queries.append((path.stem, sql, any(b'MillraceAgg' in row[0] for row in plan.rows)))
    return queries, other


def summary(what, ratios):
    if ratios:
        print(f'{what}: {len(ratios)} queries, plain over millrace: median {statistics.median(ratios):.3f}, '
              f'lowest 1 % {sorted(ratios)[len(ratios) // 100]:.3f}, highest {max(ratios):.2f}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--host', required=True)
    parser.add_argument('--port', required=True)
    parser.add_argument('--rounds', type=int, default=60)
    parser.add_argument('--only', default='', help='queries that match')
    parser.add_argument('--nodes', action='store_true', help='queries whose plan has our node')
    parser.add_argument('--set', action='append', default=[])
    parser.add_argument('directory')
    args = parser.parse_args()
    plain, loaded = (Session(args.host, args.port, args.set) for _ in range(2))
    loaded.connection.must("LOAD 'millrace'")
    loaded.connection.must('SET millrace.scan = on')
    queries, other = collect(args.directory, args.only, plain, loaded)
    ratios, slow = {True: [], False: []}, []
    for script, sql, ours in queries:
        if args.nodes and not ours:
            continue
        without, with_millrace = measure(plain, loaded, sql, args.rounds)
        if without < TOO_SLOW * with_millrace:
            slow.append((without / with_millrace, without, with_millrace, script, sql, ours))
        ratios[ours].append(without / with_millrace)
    for ratio, without, with_millrace, script, sql, ours in sorted(slow):
        print(f'{ratio:.3f} {without / 1000:9.1f} us -> {with_millrace / 1000:9.1f} us  {"node" if ours else "-"}  {script}: {" ".join(sql.split())}')
    for line in other:
        print(f'OTHER ROWS {line}')
    summary('with our node', ratios[True])
    summary('without', ratios[False])
    print(f'slower: {len(queries)} queries, {len(slow)} below {TOO_SLOW}, {len(other)} with other rows')
    return 1 if other else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""forgive.py [--none] [--expected DIRECTORY]... STOCK RESULTS

Compares the results of PostgreSQL's tests on a server with millrace with those of the stock server. Both are directories of *.out
files as pg_regress leaves them. Every file must be the same, but for what is forgiven here, hunk by hunk, and printed:

  plan     EXPLAIN shows our nodes where the stock plan has those they stand in for, the rest of the plan being the
           same (node_agrees); or a test that looks into plans itself says that it met no SeqScan
  order    the same rows in another order, where the statement has no ORDER BY anywhere (rows_agree)

A file that differs from the stock run and equals one that PostgreSQL itself expects (NAME.out, NAME_1.out... in a
directory given by --expected) passes too: some tests have several right answers, and the run may fall on either.

--none forgives no hunk. Prints a line for all that is not the same, a diff for what is not forgiven, and at the end
"upstream: N passed, N failed, N hunks forgiven".
"""
import argparse
import difflib
import pathlib
import re
import sys

RULE = re.compile(r'^-+(\+-+)*$')
FOOTER = re.compile(r'^\(\d+ rows?\)$')
# our nodes, and what they stand in for
AGG = re.compile(r'^Custom Scan \(MillraceAgg\)')
FEED = re.compile(r'^(Parallel )?Custom Scan \(MillraceFeed\)')
SCAN = re.compile(r'^(?P<parallel>Parallel )?Custom Scan \(Millrace(Scan|TopN)\)(?= on )')
AGGREGATE = re.compile(r'^(Partial )?(Hash)?Aggregate\b')
SORTED = re.compile(r'^(Partial )?(GroupAggregate|Group|Unique)\b')
# what our nodes tell about themselves; the stock nodes have nothing to compare it with
OWN = re.compile(r'^(Vectorized Filter|Residual Filter|Evaluation|SIMD Target|Pages All-Visible|Pages Checked|Prune Key|Bound|Rows Pruned|Left To): ')
# what only the stock nodes tell, with ANALYZE
STOCK_OWN = re.compile(r'^(Batches|Peak Memory Usage|Memory Usage): ')


ROWS = re.compile(r'(?<=\(actual rows=)\d+')
# a test that looks into plans itself, and warns where a scan is not core's
READS_PLANS = re.compile(r'^WARNING:  did not get seqscan plan for \(')
# a plan that psql prints without heading (\\t)
BARE_PLAN = re.compile(r'^ (Parallel )?(Seq Scan|Custom Scan \(Millrace\w+\)) on ')


class Table:
    """A result as psql prints it: the statement's text as far as it is seen, heading, rows."""

    def __init__(self, statement, lines, bare=False):
        self.statement, self.lines, self.bare = statement, lines, bare
        self.heading, self.rows = ('QUERY PLAN', lines) if bare else (lines[0].strip(), lines[2:-1])

    def __eq__(self, other):
        return isinstance(other, Table) and self.lines == other.lines

    def __hash__(self):
        return hash(tuple(self.lines))

    def is_plan(self):
        return self.heading == 'QUERY PLAN' or self.heading.startswith('explain_')


def statement_before(lines, at):
    """
    The echoed statement whose result starts in line `at`. Where its beginning is not sure, rather too much of the
    text than too little is taken: what is looked for in it is a reason not to forgive.
    """
    first = at
    while first > 0:
        line = lines[first - 1]
        if line == '' or FOOTER.match(line):
            break
        if re.search(r';\s*(--.*)?$', line) and first < at:
            break
        first -= 1
    return '\n'.join(lines[first:at])


def is_heading(line, rule):
    """Comments are echoed too, and some are ruled."""
    return line != '' and not line.startswith('--') and RULE.match(rule) and len(rule) >= len(line.rstrip())


def items_of(lines):
    """A file's lines, with those of each table gathered into one Table."""
    items, i = [], 0
    while i < len(lines):
        if i + 1 < len(lines) and is_heading(lines[i], lines[i + 1]):
            end = i + 2
            while end < len(lines) and lines[end] != '' and not FOOTER.match(lines[end]):
                end += 1
            if end < len(lines) and FOOTER.match(lines[end]):
                items.append(Table(statement_before(lines, i), lines[i:end + 1]))
                i = end + 1
                continue
        items.append(lines[i])
        i += 1
        if re.match('explain ', lines[i - 1], re.I) and i < len(lines) and BARE_PLAN.match(lines[i]):
            end = lines.index('', i) if '' in lines[i:] else len(lines)
            items.append(Table(lines[i - 1], lines[i:end], bare=True))
            i = end
    return items


def has_order_by(statement):
    text = re.sub(r'/\*.*?\*/', ' ', statement, flags=re.S)
    return re.search(r'\border\s+by\b', re.sub(r'--[^\n]*', ' ', text), re.I) is not None


def rows_agree(stock, ours):
    """The same rows in another order, and the statement did not ask for one."""
    if stock.bare or ours.bare or stock.lines[:2] != ours.lines[:2] or stock.lines[-1] != ours.lines[-1] or stock.statement != ours.statement:
        return False
    if not re.search(r'\b(select|table)\b', stock.statement, re.I) or has_order_by(stock.statement):
        return False
    # a value with line breaks spreads over several lines, which must stay together
    if any(row.endswith('+') or '+|' in row for row in stock.rows):
        return False
    return sorted(stock.rows) == sorted(ours.rows)


class Node:
    """A node of a plan: what its line says, its properties, and the nodes below it, InitPlans and SubPlans too."""

    def __init__(self, indentation, title):
        self.indentation, self.title, self.properties, self.children = indentation, title, [], []


def plan_of(rows):
    """The tree that EXPLAIN's text shows."""
    path = [Node(-1, '')]
    for row in rows:
        text = row.strip()
        indentation = len(row) - len(row.lstrip())
        if len(path) > 1 and not text.startswith('-> ') and not re.match(r'^(InitPlan|SubPlan|CTE) ', text):
            path[-1].properties.append(text)
            continue
        while path[-1].indentation >= indentation:
            path.pop()
        path[-1].children.append(Node(indentation, re.sub(r'^->\s*', '', text)))
        path.append(path[-1].children[-1])
    return path[0]


def loosely(text):
    """
    An expression without parentheses and table names: above a scan, core prints a computed column in parentheses,
    and the custom node's columns are computed ones.
    """
    return ' '.join(re.sub(r'\b[A-Za-z_]\w*\.(?=[A-Za-z_])', '', re.sub(r'[()]', ' ', text)).split())


def children_agree(stock, ours):
    return len(stock) == len(ours) and all(map(node_agrees, stock, ours))


def sort_key(properties):
    return [loosely(p) for p in properties if p.startswith('Sort Key: ')]


def agg_agrees(stock, ours):
    """MillraceAgg for an aggregate, or for sorted grouping and the sort below it."""
    theirs, mine, below = stock.properties, ours.properties, stock.children
    found = AGGREGATE.match(stock.title)
    if not found:
        found = SORTED.match(stock.title)
        if not found or len(below) != 1 or not below[0].title.startswith('Sort'):
            return False
        if sort_key(mine) != sort_key(below[0].properties):
            return False
        hidden = ('Sort Key: ', 'Group Key: ') if found.group(2) == 'Unique' else ('Sort Key: ',)
        mine = [p for p in mine if not p.startswith(hidden)]
        below = below[0].children
    if ours.title[AGG.match(ours.title).end():] != stock.title[found.end():]:
        return False
    # core prints the filter of a scan first, that of an aggregate last
    theirs = sorted(loosely(p) for p in theirs if not STOCK_OWN.match(p))
    return theirs == sorted(loosely(p) for p in mine if not OWN.match(p)) and children_agree(below, ours.children)


def rows_of(title):
    found = ROWS.search(title)
    return int(found[0]) if found else 0


def scan_agrees(stock, ours):
    """MillraceScan or MillraceTopN for a SeqScan of the same relation."""
    title = SCAN.sub(lambda m: (m['parallel'] or '') + 'Seq Scan', ours.title)
    pruned = [int(p.split()[-1]) for p in ours.properties if p.startswith('Rows Pruned: ')]
    if 'TopN' in ours.title and not pruned:  # a worker ran it, which keeps the number to itself
        pruned = [max(0, rows_of(stock.title) - rows_of(title))]
    title = ROWS.sub(lambda m: str(int(m[0]) + sum(pruned)), title)
    mine = [loosely(p) for p in ours.properties if not OWN.match(p)]
    return title == stock.title and list(map(loosely, stock.properties)) == mine and children_agree(stock.children, ours.children)


def node_agrees(stock, ours):
    """Is this the stock server's node, or one of ours in its place, and all below it too?"""
    if FEED.match(ours.title):
        return len(ours.children) == 1 and node_agrees(stock, ours.children[0])
    if AGG.match(ours.title):
        return agg_agrees(stock, ours)
    if SCAN.match(ours.title):
        return scan_agrees(stock, ours)
    return (ours.title == stock.title and list(map(loosely, stock.properties)) == list(map(loosely, ours.properties)) and
            children_agree(stock.children, ours.children))


def plans_agree(stock, ours):
    """The plan of the stock server with some nodes replaced by ours."""
    if not stock.is_plan() or stock.heading != ours.heading or stock.statement != ours.statement:
        return False
    if not any('Custom Scan (Millrace' in row for row in ours.rows):
        return False
    return children_agree(plan_of(stock.rows).children, plan_of(ours.rows).children)


def forgiven(stock, ours):
    """Why this difference is one of those that are forgiven; None if it is not."""
    if not isinstance(stock, Table) or not isinstance(ours, Table):
        return None
    if plans_agree(stock, ours):
        return 'plan'
    if rows_agree(stock, ours):
        return 'order'
    return None


def compare(stock, ours):
    """Two files' lines -> what is forgiven as (why, statement), and what is not as a list of diffs."""
    theirs, mine = items_of(stock), items_of(ours)
    excused, wrong = [], []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, theirs, mine, autojunk=False).get_opcodes():
        if tag == 'equal':
            continue
        if tag == 'insert' and all(isinstance(x, str) and READS_PLANS.match(x) for x in mine[j1:j2]):
            excused += [('plan', x) for x in mine[j1:j2]]
            continue
        pairs = list(zip(theirs[i1:i2], mine[j1:j2]))
        whys = [forgiven(a, b) if a != b else '' for a, b in pairs]
        if i2 - i1 != j2 - j1 or None in whys:
            wrong.append(diff_of(theirs[i1:i2], mine[j1:j2], theirs[max(i1 - 3, 0):i1]))
        else:
            excused += [(why, a.statement) for why, (a, b) in zip(whys, pairs) if why]
    return excused, wrong


def text_of(items):
    return [line for item in items for line in (item.lines if isinstance(item, Table) else [item])]


def diff_of(stock, ours, before):
    """The lines before, for orientation, and a diff."""
    lines = list(difflib.unified_diff(text_of(stock), text_of(ours), n=1000, lineterm=''))[3:]
    return [' ' + line for line in text_of(before)[-6:]] + lines


def lines_of(path):
    return path.read_text('utf-8', errors='surrogateescape').split('\n')


def is_expected(result, name, directories):
    """pg_regress minds no white space either."""
    squeezed = [''.join(line.split()) for line in result]
    for directory in directories:
        for path in [directory / f'{name}.out', *directory.glob(f'{name}_[0-9].out')]:
            if path.exists() and [''.join(line.split()) for line in lines_of(path)] == squeezed:
                return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--none', action='store_true')
    parser.add_argument('--expected', action='append', default=[], type=pathlib.Path)
    parser.add_argument('stock', type=pathlib.Path)
    parser.add_argument('results', type=pathlib.Path)
    args = parser.parse_args()
    passed = failed = hunks = 0
    sys.stdout.reconfigure(errors='backslashreplace')
    for name in sorted({path.stem for d in (args.stock, args.results) for path in d.glob('*.out')}):
        stock, ours = args.stock / f'{name}.out', args.results / f'{name}.out'
        if not (stock.exists() and ours.exists()):
            print(f'FAIL {name}: no result {"with millrace" if stock.exists() else "of the stock server"}')
            failed += 1
            continue
        theirs, mine = lines_of(stock), lines_of(ours)
        excused, wrong = compare(theirs, mine)
        if args.none:
            wrong = wrong or [[f' {why}: {statement}'] for why, statement in excused]
        if theirs == mine or not wrong:
            passed += 1
            hunks += len(excused)
            for why, statement in excused:
                print(f'forgiven ({why}) {name}: {" ".join(statement.split())}')
        elif is_expected(mine, name, args.expected):
            passed += 1
            print(f'as expected {name}: another of the answers that PostgreSQL expects')
        else:
            failed += 1
            print(f'FAIL {name}')
            for diff in wrong:
                print('@@', *diff, sep='\n')
    print(f'upstream: {passed} passed, {failed} failed, {hunks} hunks forgiven')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""forgive.py [--none] [--expected DIRECTORY]... STOCK RESULTS

Compares the results of PostgreSQL's tests on a server with millrace with those of the stock server. Both are directories of *.out
files as pg_regress leaves them. Every file must be the same, but for what is forgiven here, hunk by hunk, and printed:

  plan     EXPLAIN shows Custom Scan (MillraceAgg) where the stock plan has an aggregate, the rest of the plan being
           the same (plans_agree)
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
CUSTOM = 'Custom Scan (MillraceAgg)'
AGGREGATE = re.compile(r'^(Partial )?(Hash)?Aggregate\b')
# what the custom node tells about itself; the stock node has nothing to compare it with
OWN = re.compile(r'^(Vectorized Filter|Residual Filter|Evaluation|SIMD Target|Pages All-Visible|Pages Checked): ')
# what only the stock node tells, with ANALYZE
STOCK_OWN = re.compile(r'^(Batches: |Peak Memory Usage: |Memory Usage: )')


class Table:
    """A result as psql prints it: the statement's text as far as it is seen, heading, rows."""

    def __init__(self, statement, lines):
        self.statement, self.lines = statement, lines
        self.heading, self.rows = lines[0].strip(), lines[2:-1]

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
    return items


def has_order_by(statement):
    text = re.sub(r'/\*.*?\*/', ' ', statement, flags=re.S)
    return re.search(r'\border\s+by\b', re.sub(r'--[^\n]*', ' ', text), re.I) is not None


def rows_agree(stock, ours):
    """The same rows in another order, and the statement did not ask for one."""
    if stock.lines[:2] != ours.lines[:2] or stock.lines[-1] != ours.lines[-1] or stock.statement != ours.statement:
        return False
    if not re.search(r'\b(select|table)\b', stock.statement, re.I) or has_order_by(stock.statement):
        return False
    # a value with line breaks spreads over several lines, which must stay together
    if any(row.endswith('+') or '+|' in row for row in stock.rows):
        return False
    return sorted(stock.rows) == sorted(ours.rows)


def nodes_of(rows):
    """A plan as a list of [indentation, title, properties]."""
    nodes = []
    for row in rows:
        text = row.strip()
        indentation = len(row) - len(row.lstrip())
        if not nodes or text.startswith('-> ') or re.match(r'^(InitPlan|SubPlan|CTE) ', text):
            nodes.append([indentation, re.sub(r'^->\s*', '', text), []])
        else:
            nodes[-1][2].append(text)
    return nodes


def loosely(text):
    """
    An expression without parentheses and table names: above a scan, core prints a computed column in parentheses,
    and the custom node's columns are computed ones.
    """
    return ' '.join(re.sub(r'\b[A-Za-z_]\w*\.(?=[A-Za-z_])', '', re.sub(r'[()]', ' ', text)).split())


def node_agrees(stock, ours):
    if stock[0] != ours[0]:
        return False
    title, properties = ours[1], ours[2]
    if title.startswith(CUSTOM):
        found = AGGREGATE.match(stock[1])
        if not found or title[len(CUSTOM):] != stock[1][found.end():]:
            return False
        theirs = [p for p in stock[2] if not STOCK_OWN.match(p)]
        properties = [p for p in properties if not OWN.match(p)]
        # core prints the filter of a scan first, that of an aggregate last
        return sorted(map(loosely, theirs)) == sorted(map(loosely, properties))
    return title == stock[1] and list(map(loosely, stock[2])) == list(map(loosely, properties))


def plans_agree(stock, ours):
    """The plan of the stock server with some aggregates replaced by custom nodes."""
    if not stock.is_plan() or stock.heading != ours.heading or stock.statement != ours.statement:
        return False
    theirs, mine = nodes_of(stock.rows), nodes_of(ours.rows)
    if not any(node[1].startswith(CUSTOM) for node in mine):
        return False
    return len(theirs) == len(mine) and all(map(node_agrees, theirs, mine))


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

#!/usr/bin/env python3
"""end_copies.py SQL_DIRECTORY EXPECTED_DIRECTORY

Adds end marks to test scripts, for psql of 2026 and later. After a COPY FROM STDIN that fails before it asks for data, psql now
reads on to an end mark, so that data is never run as commands. Scripts of earlier releases have none there, and
would lose all statements up to the next one. Which COPY fails is seen in the expected output, where input lines are
echoed but data is not.
"""
import pathlib
import re
import sys

START = re.compile(r'^\s*copy\s', re.I)
FROM_STDIN = re.compile(r'\bfrom\s+stdin\b', re.I)
END = re.compile(r';\s*(--.*)?$')


def fails_at_once(expected, at, following):
    """Is the echo before line `at` followed by an error, and that by the script's next line, not by data?"""
    if at >= len(expected) or not expected[at].startswith('ERROR:'):
        return False
    return following in expected[at + 1:at + 10]


def with_end_marks(script, expected):
    """The script's lines with end marks added, and how many."""
    lines, added, statement, echo = [], 0, None, 0
    for i, line in enumerate(script):
        lines.append(line)
        if statement is None and START.match(line):
            statement = ''
        if statement is None:
            continue
        statement += line + '\n'
        if not END.search(line):
            continue
        if FROM_STDIN.search(statement):
            try:
                echo = expected.index(line, echo) + 1
            except ValueError:
                pass  # inside an \if that is not taken
            else:
                if fails_at_once(expected, echo, next((x for x in script[i + 1:] if x), None)):
                    lines.append('\\.')
                    added += 1
        statement = None
    return lines, added


def main():
    scripts, answers = map(pathlib.Path, sys.argv[1:3])
    for path in sorted(scripts.glob('*.sql')):
        answer = answers / (path.stem + '.out')
        if not answer.exists():
            continue
        # scripts in other encodings must come out as they went in
        lines, added = with_end_marks(path.read_text('latin-1').split('\n'), answer.read_text('latin-1').split('\n'))
        if added:
            path.write_text('\n'.join(lines), 'latin-1')
            print(f'{path.name}: {added} end marks added')


main()

"""Transactions that load: what they do step by step, and what they leave when they commit."""
from dataclasses import dataclass, field

from data import COLUMNS

# name: how it is made. Loads go to them in any number, from any session. toast keeps its values out of line, uncompressed.
TABLES = {
    "plain": [f"CREATE TABLE plain ({COLUMNS})"],
    "toast": [f"CREATE TABLE toast ({COLUMNS})", "ALTER TABLE toast ALTER t SET STORAGE external"],
    "keyed": [f"CREATE TABLE keyed ({COLUMNS}, PRIMARY KEY (l, i))", "CREATE INDEX ON keyed (md5(t), d)"],
    "parts": [f"CREATE TABLE parts ({COLUMNS}) PARTITION BY RANGE (i)",
              "CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (2000)",
              "CREATE TABLE parts_mid PARTITION OF parts FOR VALUES FROM (2000) TO (4000)", "CREATE INDEX ON parts_mid (a, n)",
              "CREATE TABLE parts_high PARTITION OF parts DEFAULT"],
    "scratch": [f"CREATE UNLOGGED TABLE scratch ({COLUMNS})", "CREATE INDEX ON scratch (a)"],
}
UNLOGGED = {"scratch"}
KEYED_ROWS = 4000   # at most in a load: with wal_consistency_checking each index entry takes a page of WAL
KINDS = ("single", "several", "savepoints", "create", "truncate", "prepared")


@dataclass
class Copy:
    table: str
    load: int
    rows: int
    form: str       # text or csv
    source: str     # stdin, fifo or program
    freeze: bool = False
    hold_at: float = None   # the part of the input after which to wait for the test
    hold_end: bool = False  # wait before the end of the input is sent


@dataclass
class Plan:
    """The last step is the one that commits."""
    steps: list = field(default_factory=list)   # of SQL and Copy
    adds: list = field(default_factory=list)    # of (table, load, rows)
    empties: list = field(default_factory=list)  # tables made or truncated first
    prepared: str = None    # the name it is prepared under
    hold_end: bool = False  # wait before the last step


class Planner:
    """Makes the plans of one session. numbers: an iterator, shared by all sessions, that gives loads their numbers."""

    def __init__(self, rng, pools, numbers, own):
        self.rng, self.pools, self.numbers, self.own = rng, pools, numbers, own
        self.keys = set()   # tables of this session made with a primary key

    def pool(self, table):
        return self.pools["fat" if table == "toast" else "lean"]

    def limit(self, table):
        """The most rows of a load."""
        return KEYED_ROWS if table == "keyed" or table in self.keys else self.pool(table).size

    def copy(self, table, most, freeze=False, source=None):
        rng = self.rng
        rows = rng.choice([rng.randint(1, 50), rng.randint(1000, most), rng.randint(most // 2, most)])
        return Copy(table, next(self.numbers), min(rows, self.limit(table)), rng.choice(["text", "csv"]),
                    source or rng.choice(["stdin", "stdin", "fifo", "program"]), freeze)

    def plan(self, kind, most, table=None, source=None):
        """most: rows of a load. Nobody but this session touches its own table, which kinds create and truncate empty."""
        rng, plan, own = self.rng, Plan(), self.own
        table = table or rng.choice(["plain", "plain", "toast", "keyed", "parts", "scratch"])

        def add(copy):
            plan.steps.append(copy)
            plan.adds.append((copy.table, copy.load, copy.rows))

        if kind == "single":
            add(self.copy(table, most, source=source))
            return plan
        plan.steps.append("BEGIN")
        if kind == "several":
            add(self.copy(table, most, source=source))
            add(self.copy(rng.choice(["plain", "keyed", "parts"]), most, source=source))
        elif kind == "savepoints":
            plan.steps.append("SAVEPOINT a")
            plan.steps.append(self.copy(table, most, source=source))
            plan.steps.append("ROLLBACK TO a")
            add(self.copy(table, most, source=source))
            plan.steps += ["SAVEPOINT b", "SAVEPOINT c"]
            add(self.copy(table, most, source=source))
            plan.steps.append("RELEASE b")
        elif kind in ("create", "truncate"):
            freeze = rng.random() < 0.5
            if kind == "create":
                key = rng.choice(["", ", PRIMARY KEY (l, i)"])
                self.keys = {own} if key else set()
                plan.steps.append(f"SET client_min_messages = warning; DROP TABLE IF EXISTS {own}; CREATE TABLE {own} ({COLUMNS}{key})")
            else:
                plan.steps.append(f"TRUNCATE {own}")
            plan.empties.append(own)
            add(self.copy(own, most, freeze, source))
            if rng.random() < 0.4:
                plan.steps.append("SAVEPOINT a")
                add(self.copy(own, most, source=source))
        elif kind == "prepared":
            add(self.copy(table if table != "scratch" else "plain", most, source=source))
            plan.prepared = f"p{plan.adds[0][1]}"
            plan.steps.append(f"PREPARE TRANSACTION '{plan.prepared}'")
            return plan
        plan.steps.append("COMMIT")
        return plan

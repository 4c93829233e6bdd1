"""Random expressions and conditions over the columns of a table, of the kinds that the scan works out by itself and of others."""

INTS = ("int2", "int4", "int8")
FLOATS = ("float4", "float8")
NUMERICS = ("numeric", "numeric(12,2)")
TEXTS = ("text", "varchar(20)")
PATTERNS = ["x%", "%1", "%b%", "long%", "%", "", "x1", "_", "x_", "%a%g%", "a%g", "abc%fgh", r"\x%", r"%\%%", "%long%long%", "%z", "z%z",
            "%" + "z" * 40 + "%", "x%1%", "%%", "_%", "%_", r"a\%", "%efg%h", "%é%", "é_"]
DATE_UNITS = ["year", "month", "day", "quarter", "week", "isoyear", "dow", "isodow", "doy", "YEAR", "mons", "decade", "epoch"]
TIME_UNITS = DATE_UNITS + ["hour", "minute", "second", "milliseconds", "microseconds"]
TRUNCATIONS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "Month", "decade", "milliseconds"]
ZONES = ["Europe/Berlin", "america/new_york", "Asia/Kolkata", "utc", "Etc/GMT+5", "EST", "Australia/Lord_Howe", "GMT", "+3", "Nowhere/At_All"]
# of one value in a statement; some raise errors, if a row comes to them
MOMENTS = ["now()", "current_date", "localtimestamp", "current_date - 2400", "now() - interval '2500 days'", "date_trunc('month', now() - interval '5 years')",
           "date '2020-02-14'", "timestamp '2020-02-03 04:05:30'", "timestamptz '2020-02-03 04:05:30+00'", "timestamptz '2020-03-29 01:00+00' - interval '1 mon'",
           "timestamp '2020-02-10' + interval '36 hours'", "(timestamptz '2020-02-03 12:00+00')::date", "now() - interval '400000 years'", "date '5874000-01-01'",
           "timestamptz 'infinity'", "date '-infinity' + 1"]
COMPARISONS = ["=", "<>", "<", "<=", ">", ">="]


class Expressions:
    """Wants self.r, self.columns (name, type), self.literal(type)."""

    def of(self, types):
        return [(c, t) for c, t in self.columns if t in types]

    def leaf(self, types):
        """A column of one of these types, or a literal."""
        found = self.of(types)
        if found and self.r.random() < 0.85:
            return self.r.choice(found)
        t = self.r.choice(types)
        return self.literal(t), t

    def choice(self, types, make, depth):
        """CASE, COALESCE, NULLIF, GREATEST or LEAST over values that make() gives, all of one type."""
        r = self.r
        a, t = make(depth + 1)
        b = "(%s)::%s" % (make(depth + 1)[0], t) if r.random() < 0.6 else self.literal(t)
        kind = r.randint(0, 5)
        if kind == 5:
            return "%s(%s)" % (r.choice(["greatest", "least"]), ", ".join(r.choice([[a, b], [b, a], [a, b, self.literal(t)], [a, "null", b]]))), t
        if kind == 0:
            return "coalesce(%s, %s)" % (a, b), t
        if kind == 1:
            return "nullif(%s, %s)" % (a, b), t
        if kind == 2:
            c, u = r.choice(self.columns)
            if u in ("int4[]",):
                return "coalesce(%s)" % a, t
            return "(case %s when %s then %s when %s then %s end)" % (c, self.literal(u), a, self.literal(u), b), t
        whens = " ".join("when %s then %s" % (self.condition(depth + 1), x) for x in ([a, b] if kind == 3 else [a]))
        other = r.choice(["", " else " + b, " else " + self.literal(t)])
        return "(case %s%s end)" % (whens, other), t

    def integer(self, depth=0):
        r = self.r
        a, t = self.leaf(INTS)
        kind = r.randint(0, 9)
        if depth > 2 or kind < 3:
            return a, t
        if kind == 3:
            return self.choice(INTS, self.integer, depth)
        if kind == 4:
            u = r.choice(INTS)
            return "(%s)::%s" % (r.choice([self.integer, self.integer, self.numeric, self.floating, self.real])(depth + 1)[0], u), u
        if kind == 5:
            return "%s(%s)" % (r.choice(["-", "abs", "@ ", "+", "~"]), a), t
        if kind == 7 and r.random() < 0.5 and self.of(TEXTS + ("char(6)", "bytea")):
            c, u = r.choice(self.of(TEXTS + ("char(6)", "bytea")))
            return "%s(%s)" % ("octet_length" if u == "bytea" else r.choice(["length", "octet_length", "char_length"]), c), "int4"
        if kind == 6 and self.of(("date",)):
            c = self.of(("date",))[0][0]
            return "(%s - %s)" % (c, self.literal("date") if r.random() < 0.7 else "current_date"), "int4"
        b, u = self.integer(depth + 1)
        op = r.choice(["+", "-", "*", "/", "%", r.choice("&|#")])
        wide = INTS[max(INTS.index(t), INTS.index(u))]
        text = "(%s %s %s)" % (a, op, b)
        if op in "%&|#" and t != u:
            text = "((%s)::%s %s (%s)::%s)" % (a, wide, op, b, wide)
        if op in "/%" and r.random() < 0.6:
            text = "(case when %s <> 0 then %s else %s end)" % (b, text, self.literal(wide))
        return text, wide

    def floating(self, depth=0):
        r = self.r
        a, t = self.leaf(("float8",))
        kind = r.randint(0, 7)
        if depth > 2 or kind < 2:
            return a, t
        if kind == 2:
            return self.choice(("float8",), self.floating, depth)
        if kind == 6:
            return "(%s %s %s)::float8" % (self.real(depth + 1)[0], r.choice("+-*/"), r.choice([self.real, self.floating])(depth + 1)[0]), t
        if kind == 3:
            return "(%s)::float8" % r.choice([self.integer(depth + 1)[0], self.leaf(("float4",))[0], self.numeric(depth + 1)[0]]), t
        if kind == 4:
            return "%s(%s)" % (r.choice(["-", "abs", "round", "ceil", "floor", "trunc"]), a), t
        if kind == 5 and self.of(("timestamp", "timestamptz")):
            return "date_part('%s', %s)" % (r.choice(TIME_UNITS), r.choice(self.of(("timestamp", "timestamptz")))[0]), t
        return "(%s %s %s)" % (a, r.choice("+-*/"), self.floating(depth + 1)[0]), t

    def real(self, depth=0):
        r = self.r
        a, t = self.leaf(("float4",))
        kind = r.randint(0, 6)
        if depth > 2 or kind < 2:
            return a, t
        if kind == 2:
            return self.choice(("float4",), self.real, depth)
        if kind == 3:
            return "(%s)::float4" % r.choice([self.integer, self.floating, self.numeric])(depth + 1)[0], t
        if kind == 4:
            return "%s(%s)" % (r.choice(["-", "abs"]), a), t
        return "(%s %s %s)" % (a, r.choice("+-*/"), self.real(depth + 1)[0]), t

    def numeric(self, depth=0):
        r = self.r
        a, _ = self.leaf(NUMERICS)
        kind = r.randint(0, 10)
        if depth > 2 or kind < 2:
            return a, "numeric"
        if kind == 9:
            return self.rounded(depth), "numeric"
        if kind == 10:
            b = self.numeric(depth + 1)[0]
            return "(case when %s <> 0 then %s %% %s else %s end)" % (b, a, b, a) if r.random() < 0.8 else "(%s %% %s)" % (a, b), "numeric"
        if kind < 4:
            return self.choice(("numeric",), self.numeric, depth)[0], "numeric"
        if kind == 4:
            return "%s(%s)" % (r.choice(["-", "abs"]), a), "numeric"
        if kind == 5:
            return "(%s)::numeric" % self.integer(depth + 1)[0], "numeric"
        if kind == 6 and self.of(("date", "timestamp", "timestamptz")):
            c, t = r.choice(self.of(("date", "timestamp", "timestamptz")))
            return "extract(%s from %s)" % (r.choice(DATE_UNITS if t == "date" else TIME_UNITS), c), "numeric"
        return "(%s %s %s)" % (a, r.choice("+-**"), self.numeric(depth + 1)[0]), "numeric"

    def rounded(self, depth):
        """A numeric, brought to some scale."""
        r = self.r
        a = self.numeric(depth + 1)[0]
        kind = r.randint(0, 3)
        if kind == 0:
            return "%s(%s)" % (r.choice(["round", "trunc", "ceil", "floor"]), a)
        if kind == 1:
            return "(%s)::%s" % (a, r.choice(["numeric(12,2)", "numeric(38,4)", "numeric(5)", "numeric(3,1)", "numeric(18,18)", "numeric(40,20)", "numeric(6,-2)", "numeric(2,4)"]))
        to = r.choice(["0", "1", "2", "3", "5", "12", "18", "25", "-1", "-3", "null", "2", "2"] if r.random() < 0.9 else [self.integer(depth + 2)[0] + "::int4"])
        return "%s(%s, %s)" % (r.choice(["round", "trunc"]), a, to)

    def date(self, depth=0):
        r = self.r
        a, t = self.leaf(("date",))
        kind = r.randint(0, 4)
        if depth > 2 or kind < 2:
            return a, t
        if kind == 2:
            return self.choice(("date",), self.date, depth)
        if kind == 3 and self.of(("timestamp", "timestamptz")):
            return "(%s)::date" % r.choice([self.timestamp, self.zoned])(depth + 1)[0], t
        return "(%s %s (%s)::int4)" % (a, r.choice("+-"), self.integer(depth + 1)[0]), t

    def timestamp(self, depth=0):
        r = self.r
        a, t = self.leaf(("timestamp",))
        kind = r.randint(0, 4)
        if depth > 2 or kind < 2:
            return a, t
        if kind == 2:
            return self.choice(("timestamp",), self.timestamp, depth)
        if kind == 3:
            if r.random() < 0.5:
                return "(%s at time zone '%s')" % (self.zoned(depth + 1)[0], r.choice(ZONES)), t
            return "(%s)::timestamp" % r.choice([self.date, self.zoned])(depth + 1)[0], t
        return "date_trunc('%s', %s)" % (r.choice(TRUNCATIONS), self.timestamp(depth + 1)[0]), t

    def zoned(self, depth=0):
        r = self.r
        a, t = self.leaf(("timestamptz",))
        kind = r.randint(0, 4)
        if depth > 2 or kind < 2:
            return a, t
        if kind == 2:
            return self.choice(("timestamptz",), self.zoned, depth)
        if kind == 3:
            return "date_trunc('%s', %s)" % (r.choice(TRUNCATIONS), self.date(depth + 1)[0]), t
        if r.random() < 0.3:
            return "date_trunc('%s', %s, '%s')" % (r.choice(TRUNCATIONS), self.zoned(depth + 1)[0], r.choice(ZONES)), t
        return "date_trunc('%s', %s)" % (r.choice(TRUNCATIONS), self.zoned(depth + 1)[0]), t

    def text(self, depth=0):
        if depth > 2 or self.r.random() < 0.6:
            return "(%s)::text" % self.leaf(TEXTS)[0], "text"
        return self.choice(("text",), self.text, depth)[0], "text"

    def boolean(self, depth=0):
        return "(%s)" % self.condition(depth), "bool"

    def any_of(self, kinds, depth=0):
        """An expression of one of these kinds and its type."""
        return getattr(self, self.r.choice(kinds))(depth)

    def compared(self, depth):
        """Two things that may be compared."""
        r = self.r
        c, t = r.choice(self.columns)
        kind = r.random()
        if kind < 0.4:
            value = self.literal(t)
            return (c, value) if r.random() < 0.8 else (value, c)
        if kind < 0.6:
            like = self.of(INTS if t in INTS else FLOATS if t in FLOATS else NUMERICS if t in NUMERICS else
                           ("date", "timestamp") if t in ("date", "timestamp") else (t,))
            return c, r.choice(like)[0]
        a, t = self.any_of(["integer", "floating", "real", "numeric", "date", "timestamp", "zoned", "text"], depth + 1)
        if r.random() < 0.6:
            return a, self.literal(t)
        kinds = {"int2": "integer", "int4": "integer", "int8": "integer", "float8": "floating", "float4": "real", "numeric": "numeric",
                 "date": "date", "timestamp": "timestamp", "timestamptz": "zoned", "text": "text"}
        return a, getattr(self, kinds[t])(depth + 1)[0]

    def in_list(self):
        r = self.r
        c, t = r.choice(self.columns)
        items = [self.literal(t) for _ in range(r.choice([1, 2, 3, 5, 12, 20]))]
        if r.random() < 0.2:
            items.append("null")
        if r.random() < 0.1:
            return "%s = any ('{}'::%s[])" % (c, t.split("(")[0] if t != '"char"' else t)
        return "%s %sin (%s)" % (c, r.choice(["", "not "]), ", ".join(items))

    def like(self):
        r = self.r
        found = self.of(TEXTS + ("char(6)",))
        c = r.choice(found)[0] if found else self.text(1)[0]
        if r.random() < 0.15:
            return "%s %s" % (c if not c.startswith("c") else "(%s)::text" % c, r.choice(["^@ 'x'", "^@ ''", "^@ 'long1long'"]))
        return "%s %s '%s'" % (c, r.choice(["like", "not like"]), r.choice(PATTERNS))

    def condition(self, depth=0):
        r = self.r
        kind = r.random()
        if depth < 2 and kind < 0.2:
            return "(%s %s %s)" % (self.condition(depth + 1), r.choice(["and", "or"]), self.condition(depth + 1))
        if depth < 2 and kind < 0.28:
            return "(not %s)" % self.condition(depth + 1)
        if depth < 2 and kind < 0.33:
            return "((%s) is %s%s)" % (self.condition(depth + 1), r.choice(["", "not "]), r.choice(["true", "false", "unknown"]))
        if kind < 0.4:
            what = r.choice(self.columns)[0] if r.random() < 0.7 else self.any_of(["integer", "numeric", "text", "date"], depth + 1)[0]
            return "%s is %snull" % (what, r.choice(["", "not "]))
        if kind < 0.48:
            return "(%s)" % self.in_list()
        if kind < 0.56:
            return "(%s)" % self.like()
        bools = self.of(("bool",))
        if bools and kind < 0.62:
            return r.choice([bools[0][0], "not " + bools[0][0]])
        times = self.of(("date", "timestamp", "timestamptz"))
        if times and kind > 0.92:
            sides = [r.choice(times)[0], "(%s)" % r.choice(MOMENTS) if r.random() < 0.8 else r.choice(times)[0]]
            r.shuffle(sides)
            return "(%s %s %s)" % (sides[0], r.choice(COMPARISONS), sides[1])
        if kind < 0.66:
            found = self.of(INTS + FLOATS + NUMERICS + ("date", "timestamp"))
            if found:
                c, t = r.choice(found)
                return "(%s %s %s and %s)" % (c, r.choice(["between", "between symmetric", "not between"]), self.literal(t), self.literal(t))
        a, b = self.compared(depth)
        collate = ' collate "C"' if r.random() < 0.5 and ("text" in a or "text" in b) and "date" not in a else ""
        if r.random() < 0.15:
            return "(%s is %sdistinct from %s)" % (a, r.choice(["", "not "]), b)
        if collate:
            return "((%s)::text %s (%s)::text%s)" % (a, r.choice(COMPARISONS), b, collate)
        return "(%s %s %s)" % (a, r.choice(COMPARISONS), b)

"""Random tables: their DDL, and which columns a COPY gives."""
from values import draw_type, draw_value


class Table:
    """ddl: statements to run in the schema. columns: (name, type) of those the COPY names. target: what to COPY into."""

    def __init__(self):
        self.ddl = []
        self.columns = []
        self.target = "t"
        self.column_list = None  # None: no list in the statement
        self.temporary = False
        self.where = None
        self.check_query = "SELECT tableoid::regclass::text, t::text FROM t ORDER BY 1, ctid"
        self.notes = set()
        self.plain_heap = True
        self.not_null = set()


def _literal(value):
    return "'" + value.replace("'", "''") + "'"


def _default(r, kind):
    """A default expression for the type, of one of the kinds that COPY must treat differently."""
    numeric = kind in ("smallint", "int", "bigint", "oid", "real", "double precision") or kind.startswith("numeric(15")
    choice = r.random()
    if numeric and choice < 0.35:
        return "nextval('seq')"
    if numeric and choice < 0.5:
        return "(random() * 1000)::int"
    if numeric and choice < 0.6:
        return "stable_seven()"
    if kind.startswith(("text", "varchar(255)")) and choice < 0.4:
        return r.choice(["current_user", "'a' || 'b'", "upper('x')", "volatile_text()"])
    return None


_TRIGGERS = {
    "before": """CREATE FUNCTION f_before() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF hashtext(NEW::text) % 7 = 0 THEN RETURN NULL; END IF; RETURN NEW; END $$;
        CREATE TRIGGER g_before BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f_before()""",
    "before_notice": """CREATE FUNCTION f_notice() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE NOTICE 'row % of %', (SELECT count(*) FROM (SELECT FROM t LIMIT 2000) s), left(NEW::text, 40); RETURN NEW; END $$;
        CREATE TRIGGER g_notice BEFORE INSERT ON t FOR EACH ROW WHEN (hashtext(NEW::text) % 5 = 0)
        EXECUTE FUNCTION f_notice()""",
    "after": """CREATE TABLE log (n int, r text);
        CREATE FUNCTION f_after() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO log SELECT (SELECT count(*) FROM (SELECT FROM t LIMIT 2000) s), NEW::text; RETURN NULL; END $$;
        CREATE TRIGGER g_after AFTER INSERT ON t FOR EACH ROW WHEN (hashtext(NEW::text) % 50 = 0)
        EXECUTE FUNCTION f_after()""",
    "after_error": """CREATE FUNCTION f_error() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'refused %', left(NEW::text, 60); END $$;
        CREATE TRIGGER g_error AFTER INSERT ON t FOR EACH ROW WHEN (hashtext(NEW::text) % 400 = 0)
        EXECUTE FUNCTION f_error()""",
    "transition": """CREATE TABLE tlog (n bigint, m text);
        CREATE FUNCTION f_trans() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO tlog SELECT count(*), md5(string_agg(n::text, '|')) FROM n; RETURN NULL; END $$;
        CREATE TRIGGER g_trans AFTER INSERT ON t REFERENCING NEW TABLE AS n FOR EACH STATEMENT
        EXECUTE FUNCTION f_trans()""",
    "statement": """CREATE FUNCTION f_stmt() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE NOTICE '% statement sees % rows', TG_WHEN, (SELECT count(*) FROM t); RETURN NULL; END $$;
        CREATE TRIGGER g_stmt1 BEFORE INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION f_stmt();
        CREATE TRIGGER g_stmt2 AFTER INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION f_stmt()""",
}

FUNCTIONS = """
CREATE FUNCTION stable_seven() RETURNS int LANGUAGE sql STABLE AS 'SELECT 7';
CREATE FUNCTION volatile_text() RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN 'v'; END $$;
CREATE FUNCTION check_even(x text) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS
  $$ BEGIN RETURN coalesce(length(x), 0) <> 13; END $$;
CREATE FUNCTION check_sees(x text) RETURNS bool LANGUAGE plpgsql VOLATILE AS
  $$ BEGIN RETURN x IS DISTINCT FROM 'zz' OR (SELECT count(*) FROM (SELECT FROM t LIMIT 2000) s) = 0; END $$;
CREATE SEQUENCE seq;
"""

_UNHASHABLE = ("json", "xml", "point", "box", "pair")


def draw_table(r):
    t = Table()
    ncolumns = r.choice([1, 1, 2, 3, 4, 5, 6, 8, 12, 20]) if r.random() < 0.95 else r.choice([60, 200, 0])
    names = [f"c{i}" for i in range(ncolumns)]
    types = [draw_type(r) for _ in names]
    shape = r.random()
    kind = "" if shape < 0.6 else "UNLOGGED " if shape < 0.85 else "TEMP "
    t.temporary = kind == "TEMP "
    partitioned = r.random() < 0.05 and ncolumns > 0 and not t.temporary
    definitions, left_out = [], set()
    plain = r.random() < 0.5  # nothing but columns: what the whole-page path takes
    for name, type_name in zip(names, types):
        d = f"{name} {type_name}"
        if not plain:
            if r.random() < 0.12:
                d += " NOT NULL"
                t.not_null.add(name)
            default = _default(r, type_name) if r.random() < 0.3 else None
            if default is None and r.random() < 0.06 and type_name not in ("regclass", "must", "posint"):
                default = _literal(draw_value(r, type_name, 0, 0)) + "::" + type_name.split(" collate")[0]
            if default:
                d += " DEFAULT " + default
                if r.random() < 0.6:
                    left_out.add(name)
            elif r.random() < 0.05:
                left_out.add(name)
            if r.random() < 0.05:
                d += f" CHECK (check_even({name}::text))"
            if r.random() < 0.04 and type_name in ("int", "bigint", "double precision", "numeric"):
                d += f" CHECK ({name} > -900)"
            if r.random() < 0.01:
                d += f" CHECK (check_sees({name}::text))"
        definitions.append(d)
    extra = []
    if not plain and ncolumns and r.random() < 0.12:
        extra.append("g1 text GENERATED ALWAYS AS (coalesce(c0::text, '?') || '!') STORED"
                     if types[0] in ("int", "bigint", "smallint", "text", "varchar", "varchar(10)", "boolean", "oid") else
                     "g1 int GENERATED ALWAYS AS (6 * 7) STORED")
    if not plain and r.random() < 0.08:
        extra.append("id bigint GENERATED %s AS IDENTITY" % r.choice(["ALWAYS", "BY DEFAULT"]))
    dropped = [] if r.random() < 0.75 else [f"d{i}" for i in range(r.choice([1, 2, 5]))]
    all_columns = definitions + extra + [f"{d} {draw_type(r)}" for d in dropped]
    if dropped or extra:
        r.shuffle(all_columns)
    storage = f" WITH (fillfactor = {r.choice([10, 50, 70, 99])})" if r.random() < 0.12 and not partitioned else ""
    suffix = " PARTITION BY HASH (c0)" if partitioned else ""
    if partitioned and (types[0] in _UNHASHABLE or types[0] in ("money", "bit(5)", "varbit", "tsvector")):
        partitioned, suffix = False, ""
    t.ddl.append(f"CREATE {kind}TABLE t ({', '.join(all_columns)}){suffix}{storage}")
    if partitioned:
        t.plain_heap = False
        for i in range(3):
            t.ddl.append(f"CREATE TABLE t_p{i} PARTITION OF t FOR VALUES WITH (MODULUS 3, REMAINDER {i})")
        if r.random() < 0.3:
            t.target = f"t_p{r.randint(0, 2)}"
    if any("check_sees" in d for d in definitions) and t.temporary:
        t.ddl[0] = t.ddl[0].replace("TEMP TABLE", "TABLE")
        t.temporary = False
    for d in dropped:
        t.ddl.append(f"ALTER TABLE t DROP COLUMN {d}")
    if r.random() < 0.08 and not partitioned:
        t.ddl.append(f"ALTER TABLE t ADD COLUMN added {r.choice(['int', 'int DEFAULT 5', 'text DEFAULT $$x$$'])}")
        left_out.add("added")
    if any(n.startswith(("text", "varchar", "json", "bpchar")) for n in types) and r.random() < 0.1:
        i = next(i for i, n in enumerate(types) if n.startswith(("text", "varchar", "json", "bpchar")))
        t.ddl.append(f"ALTER TABLE t ALTER c{i} SET STORAGE {r.choice(['PLAIN', 'EXTERNAL', 'MAIN', 'EXTENDED'])}")

    if not plain and not partitioned and ncolumns:
        indexable = [(n, k) for n, k in zip(names, types) if k not in _UNHASHABLE]
        if indexable and r.random() < 0.25:
            name, _ = r.choice(indexable)
            t.ddl.append(f"CREATE {r.choice(['', '', 'UNIQUE '])}INDEX ON t ({name})")
        if r.random() < 0.05:
            t.ddl.append("CREATE INDEX ON t ((c0::text)) WHERE c0 IS NOT NULL" if types[0] in ("int", "bigint", "boolean") else
                         "CREATE INDEX ON t (c0)" if types[0] not in _UNHASHABLE else "SELECT 1")
        if types[0] in ("int", "bigint", "smallint") and r.random() < 0.15:
            t.ddl.insert(0, f"CREATE TABLE parent (k {types[0]} PRIMARY KEY)")
            t.ddl.insert(1, f"INSERT INTO parent SELECT g FROM generate_series(-1000, {r.choice([999, 1000])}) g")
            t.ddl.append("ALTER TABLE t ADD FOREIGN KEY (c0) REFERENCES parent" +
                         (" DEFERRABLE INITIALLY DEFERRED" if r.random() < 0.3 else ""))
            if t.temporary:
                t.ddl = [s.replace("CREATE TEMP TABLE", "CREATE TABLE") for s in t.ddl]
                t.temporary = False
            t.ddl = [s.replace("UNLOGGED ", "") for s in t.ddl]
        if r.random() < 0.3:
            chosen = r.sample(list(_TRIGGERS), r.choice([1, 1, 2]))
            for c in chosen:
                t.ddl.append(_TRIGGERS[c])
                t.notes.add(c)
        if r.random() < 0.02:
            t.ddl.append("CREATE VIEW v AS SELECT * FROM t")
            t.ddl.append("""CREATE FUNCTION f_instead() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN INSERT INTO t SELECT NEW.*; RETURN NEW; END $$""")
            t.ddl.append("CREATE TRIGGER g_instead INSTEAD OF INSERT ON v FOR EACH ROW EXECUTE FUNCTION f_instead()")
            t.target = "v"
    t.columns = [(n, k) for n, k in zip(names, types) if n not in left_out]
    if r.random() < 0.15:
        r.shuffle(t.columns)
    in_order = [(n, k) for n, k in zip(names, types)] == t.columns and not any("ADD COLUMN" in s for s in t.ddl)
    # without a column list the input must follow the table's own order
    if not in_order or any(e.startswith("id ") for e in extra) or extra or dropped or r.random() < 0.2:
        t.column_list = [n for n, _ in t.columns]
        if r.random() < 0.01:
            t.column_list.append(r.choice(["c0", "nosuch", "g1", "ctid"]))
    if r.random() < 0.12 and t.columns:
        name, k = r.choice(t.columns)
        t.where = r.choice([f"{name} IS NOT NULL", f"{name}::text < 'm'", f"length({name}::text) % 3 > 0", "false",
                            "tableoid IS NOT NULL", f"{name}::text NOT LIKE '%7%' OR {name} IS NULL", "random() < 0.5",
                            "g1 IS NOT NULL", f"octet_length({name}::text) < 8"])
    if t.column_list == []:
        t.column_list = None
    return t

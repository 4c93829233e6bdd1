"""Who may do what: each statement as each role, millrace off and on, has the same outcome, to the last word of the error.

Two databases with the same tables, one for sessions with millrace off and one for those with it on. Functions
in defaults, constraints, indexes, policies and filters tell what they are given and for whom they run.
"""
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from pq import COPY_IN  # noqa: E402
from server import PORT, Server  # noqa: E402
from tap import main, ok, outcome, same  # noqa: E402

server = Server(conf=["session_preload_libraries = 'millrace'", "autovacuum = off"])
FILE = os.path.join(server.dir, "input")
with open(FILE, "wb") as f:
    f.write(b"1\tx\t5\n2\ty\t6\n")

ROLES = """
CREATE ROLE nobody LOGIN; CREATE ROLE owner LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE writer LOGIN; CREATE ROLE column_a LOGIN;
CREATE ROLE all_of_it LOGIN; CREATE ROLE files LOGIN IN ROLE pg_read_server_files; CREATE ROLE programs LOGIN IN ROLE pg_execute_server_program;
CREATE ROLE member LOGIN IN ROLE owner, files; CREATE ROLE noinherit LOGIN NOINHERIT IN ROLE owner, files; CREATE ROLE all_data LOGIN IN ROLE
pg_read_all_data, pg_write_all_data; CREATE ROLE bypass LOGIN BYPASSRLS; CREATE ROLE no_schema LOGIN; CREATE ROLE no_functions LOGIN;
CREATE ROLE other_super LOGIN SUPERUSER; CREATE ROLE mallory LOGIN;
"""
USERS = ["nobody", "owner", "reader", "writer", "column_a", "all_of_it", "files", "programs", "member", "noinherit", "all_data", "bypass",
         "no_schema", "no_functions", "other_super"]

TABLES = """
CREATE EXTENSION millrace;
CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO nobody, owner, reader, writer, column_a, all_of_it, files, programs, bypass, no_functions;
GRANT CREATE ON SCHEMA app TO owner;
CREATE FUNCTION app.tell(who text, what text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN
  RAISE NOTICE '% is shown % as %', who, what, current_user; RETURN true; END $$;
CREATE FUNCTION app.tell_int(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% by %', $1, current_user; RETURN $1; END $$;
CREATE FUNCTION app.secret(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN $1; END $$;
REVOKE ALL ON FUNCTION app.secret(int) FROM PUBLIC; GRANT EXECUTE ON FUNCTION app.secret(int) TO owner;
SET ROLE owner;
CREATE TABLE app.t (a int, b text, c int); INSERT INTO app.t SELECT g, 'b' || g, g % 3 FROM generate_series(1, 20) g;
CREATE TABLE app.r (a int, b text, c int); INSERT INTO app.r SELECT g, CASE g % 2 WHEN 0 THEN 'reader' ELSE 'all_of_it' END, g FROM generate_series(1, 12) g;
ALTER TABLE app.r ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON app.r USING (b = current_user AND app.tell('policy', b)) WITH CHECK (b = current_user);
CREATE TABLE app.rf (a int, b text, c int); INSERT INTO app.rf SELECT * FROM app.r; ALTER TABLE app.rf ENABLE ROW LEVEL SECURITY;
ALTER TABLE app.rf FORCE ROW LEVEL SECURITY; CREATE POLICY p ON app.rf USING (a > 6);
CREATE TABLE app.p (a int, b text, c int) PARTITION BY LIST (c); CREATE TABLE app.p5 PARTITION OF app.p FOR VALUES IN (5);
CREATE TABLE app.p6 PARTITION OF app.p FOR VALUES IN (6); INSERT INTO app.p VALUES (1, 'x', 5), (2, 'y', 6);
CREATE TABLE app.d (a int, b text, c int DEFAULT app.tell_int(7), CHECK (app.tell_int(a) > 0)); CREATE INDEX ON app.d (app.tell_int(a + 100));
CREATE TABLE app.s (a int CHECK (app.secret(a) > 0), b text, c int DEFAULT app.secret(7)); INSERT INTO app.s VALUES (1, 's', 1);
CREATE TABLE app.g (a int, b text, c int, e int GENERATED ALWAYS AS (app.secret(a)) STORED); INSERT INTO app.g VALUES (1, 's', 1);
CREATE TABLE app.hidden (id int PRIMARY KEY); INSERT INTO app.hidden VALUES (1), (2); CREATE TABLE app.audit (who text, a int);
CREATE TABLE app.fk (a int REFERENCES app.hidden, b text, c int);
CREATE FUNCTION app.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN RAISE NOTICE 'audit by %', current_user;
  INSERT INTO app.audit VALUES (session_user, new.a); RETURN new; END $$;
CREATE TABLE app.tr (a int, b text, c int); CREATE TRIGGER note AFTER INSERT ON app.tr FOR EACH ROW EXECUTE FUNCTION app.note();
CREATE VIEW app.v AS SELECT a, c FROM app.t; CREATE VIEW app.vb WITH (security_barrier) AS SELECT * FROM app.t WHERE c = 1;
CREATE VIEW app.vi WITH (security_invoker) AS SELECT * FROM app.t; CREATE VIEW app.vr AS SELECT * FROM app.r;
CREATE VIEW app.vri WITH (security_invoker) AS SELECT * FROM app.r;
CREATE FUNCTION app.definer() RETURNS text SECURITY DEFINER LANGUAGE plpgsql AS $$ DECLARE n text; BEGIN
  SELECT count(*) || ' ' || sum(c) || ' ' || current_user INTO n FROM app.t; RETURN n; END $$;
CREATE FUNCTION app.definer_rls() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS 'SELECT sum(a) FROM app.r';
CREATE FUNCTION app.definer_count() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS $$ SELECT millrace.count('app.t') $$;
CREATE FUNCTION app.invoker() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT sum(c) FROM app.t); END $$;
RESET ROLE;
CREATE FUNCTION app.load() RETURNS void SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN COPY app.t FROM '@'; END $$;
CREATE FUNCTION app.load_as_caller() RETURNS void LANGUAGE plpgsql AS $$ BEGIN COPY app.t FROM '@'; END $$;
GRANT SELECT ON ALL TABLES IN SCHEMA app TO reader; GRANT INSERT ON ALL TABLES IN SCHEMA app TO writer;
GRANT ALL ON ALL TABLES IN SCHEMA app TO all_of_it, files, programs, bypass, no_schema, no_functions;
REVOKE ALL ON app.hidden, app.audit FROM all_of_it, files, programs, bypass, reader, writer;
GRANT SELECT (a), INSERT (a) ON app.t, app.r, app.p, app.d, app.s, app.v, app.vb TO column_a;
REVOKE ALL ON app.p5 FROM all_of_it, reader, writer;
REVOKE EXECUTE ON FUNCTION pg_catalog.max(int), pg_catalog.int4gt(int, int), pg_catalog.float8(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_catalog.max(int), pg_catalog.int4gt(int, int), pg_catalog.float8(int) TO owner, reader, column_a, all_of_it, member;
REVOKE EXECUTE ON FUNCTION pg_catalog.int4eq(int, int), pg_catalog.int4_sum(bigint, int), pg_catalog.hashint4(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_catalog.int4eq(int, int), pg_catalog.int4_sum(bigint, int), pg_catalog.hashint4(int) TO
  nobody, owner, reader, writer, column_a, all_of_it, files, programs, member, noinherit, all_data, bypass, no_schema;
ANALYZE;
""".replace("@", FILE)

LOADS = [f"COPY app.{table}{columns} FROM STDIN" for table in ("t", "r", "rf", "p", "p5", "d", "s", "g", "fk", "tr", "v", "vb", "vi", "hidden", "nosuch")
         for columns in ("", " (a)", " (a, c)")] + [
    f"COPY app.t FROM '{FILE}'", "COPY app.t FROM '/etc/shadow'", "COPY app.t FROM '/nonexistent'", "COPY app.t FROM 'relative'",
    "COPY app.t FROM PROGRAM 'echo 1'", "COPY app.t (a) FROM PROGRAM 'echo 1'", "COPY app.t (a) FROM PROGRAM 'echo 1; exit 1'", f"COPY app.nosuch FROM '{FILE}'",
    f"COPY app.r FROM '{FILE}'", "COPY app.t (a) FROM STDIN WHERE a > 1", "COPY app.t (a) FROM STDIN WHERE c IS NULL", "COPY app.t (a) FROM STDIN WHERE app.secret(a) > 1",
    "COPY app.t (a, a) FROM STDIN", "COPY app.t (nosuch) FROM STDIN", "COPY pg_catalog.pg_class FROM STDIN", "COPY app.t FROM STDIN (FORMAT nosuch)",
    "COPY app.t (a) FROM STDIN WHERE app.tell('where', a::text)", "SELECT app.load()", "SELECT app.load_as_caller()",
    "SET ROLE owner", "COPY app.t (a) FROM STDIN", "SET ROLE files", f"COPY app.t FROM '{FILE}'", "SET ROLE nobody", "COPY app.t FROM STDIN", "RESET ROLE",
    "SET row_security = off", "COPY app.r FROM STDIN", "SET row_security = on"]

QUERIES = [q.replace("@", "app." + table) for table in ("t", "r", "rf", "p", "p5", "s", "g", "v", "vb", "vi", "vr", "vri", "hidden", "nosuch") for q in (
    "SELECT count(*) FROM @", "SELECT sum(a) FROM @", "SELECT a % 3, count(*), sum(a) FROM @ GROUP BY 1", "SELECT sum(c), count(a) FROM @",
    "SELECT count(*) FROM @ WHERE c = 1", "SELECT min(b) FROM @")] + [
    f"SELECT count(*){what} FROM app.{table} WHERE {condition}" for table in ("t", "r", "vb", "vr", "vri") for what in ("", ", sum(a)") for condition in (
        "app.tell('filter', b)", "a > 3 AND app.tell('filter', b) AND c > 0", "a <> 5 AND app.tell('filter', c::text)", "10 / (a - 3) > 0", "10 / (a - 1) > 0")] + [
    "SELECT max(a) FROM app.t", "SELECT sum(a::float8) FROM app.t", "SELECT count(*) FROM app.t WHERE a > 3", "SELECT c, count(*) FROM app.t GROUP BY c",
    "SELECT count(*) FILTER (WHERE a > 3) FROM app.t", "SELECT sum(CASE WHEN a > 3 THEN 1 ELSE 0 END) FROM app.t", "SELECT count(*) FROM app.t WHERE c = 1 OR c = 2",
    "SELECT sum(app.secret(a)) FROM app.t", "SELECT sum(a) FROM app.t WHERE app.secret(a) > 2", "SELECT app.secret(a), count(*) FROM app.t GROUP BY 1",
    "SELECT sum(app.tell_int(a)) FROM app.t WHERE a < 4", "SELECT sum(t.a) FROM app.t, app.r", "SELECT (SELECT count(*) FROM app.hidden) FROM app.t",
    "SELECT count(*) FROM app.t WHERE a IN (SELECT id FROM app.hidden)", "SELECT app.definer()", "SELECT app.definer_rls()", "SELECT app.definer_count()",
    "SELECT app.invoker()", "SELECT count(*), sum(a) FROM ONLY app.p", "EXPLAIN (COSTS OFF) SELECT sum(a) FROM app.hidden",
    "SET row_security = off", "SELECT count(*), sum(a) FROM app.r", "SELECT count(*) FROM app.rf", "SET row_security = on",
    "PREPARE q AS SELECT count(*), sum(c) FROM app.r", "EXECUTE q", "SET ROLE owner", "EXECUTE q", "SET ROLE reader", "EXECUTE q", "RESET ROLE", "EXECUTE q",
    "SET row_security = off", "EXECUTE q", "DEALLOCATE q"]
PARALLEL = ("SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0")


def session(user, on, database=None):
    """A session with millrace off or on, in its database."""
    return server.connect(user=user, dbname=database or ("on" if on == "on" else "off"), options=f"-c millrace.copy={on} -c millrace.scan={on} -c millrace.scan_min_cost=0")


with server.connect() as c:
    c.must(ROLES)
    for name in ("off", "on"):
        c.must(f'CREATE DATABASE "{name}"')
for name in ("off", "on"):
    with session("postgres", name) as c:
        c.must("SET client_min_messages = warning; " + TABLES)


def run(c, sql):
    """What the client sees of a statement; loads are given two rows, of as many columns as they name."""
    r = c.run(sql)
    if r.status == COPY_IN:
        fields = 3 if ")" not in sql.split("FROM")[0] else sql.split("FROM")[0].count(",") + 1
        notices = r.notices
        c.put({1: b"1\n2\n", 2: b"1\t5\n2\t6\n", 3: b"1\tx\t5\n2\ty\t6\n"}[fields])
        r = c.end()
        r.notices = notices + r.notices
    return outcome(r), r.rows


def loads():
    tables = "t r rf p d s g fk tr hidden audit".split()
    contents = " UNION ALL ".join(f"SELECT '{t}', x::text FROM app.{t} x" for t in tables) + " ORDER BY 1, 2"
    taken, refused = 0, 0
    with session("postgres", "off") as a, session("postgres", "on") as b:
        for user in USERS:
            wrong = []
            with session(user, "off") as off, session(user, "on") as on:
                for sql in LOADS:
                    seen = [run(c, sql) for c in (off, on)]
                    refused += seen[1][0][2] is not None
                    taken += str(seen[1][0][1]).startswith("COPY ")
                    if seen[0] != seen[1]:
                        wrong += [sql, *seen]
                for c in (off, on):
                    c.run("RESET ROLE")
            left = [c.must(contents).rows for c in (a, b)]
            ok(not wrong and left[0] == left[1], f"{len(LOADS)} loads as {user}: the same outcome and the same rows", *wrong[:6])
    ok(taken > 100 and refused > 300, f"... of them {taken} were done and {refused} refused")


def queries():
    refused, scans = 0, 0
    for user in USERS:
        for plan in ("serial", "parallel"):
            wrong = []
            with session(user, "off") as off, session(user, "on") as on:
                for c in (off, on):
                    c.must(PARALLEL if plan == "parallel" else "SET max_parallel_workers_per_gather = 0")
                for sql in QUERIES:
                    # which rows a worker is given, and so the order of notices, is chance
                    if plan == "parallel" and ("tell" in sql or ".r" in sql or ".vr" in sql or "EXECUTE" in sql or "rls" in sql or "/" in sql):
                        continue
                    seen = [run(c, sql) for c in (off, on)]
                    refused += seen[1][0][2] is not None
                    if "EXPLAIN" not in sql and sql.startswith("SELECT"):
                        shown = on.run("EXPLAIN " + sql)
                        scans += any(b"MillraceAgg" in r[0] for r in shown.rows)
                    if [seen[0][0], sorted(map(str, seen[0][1]))] != [seen[1][0], sorted(map(str, seen[1][1]))]:
                        wrong += [sql, *seen]
            ok(not wrong, f"{plan} queries as {user}: the same answers, refusals and order of evaluation", *wrong[:6])
    ok(refused > 300 and scans > 1000, f"... {refused} of them refused; {scans} planned as MillraceAgg")


def own_functions():
    """millrace's functions give whom they give what the statement of core gives."""
    wrong = []
    with session("postgres", "on") as c:
        c.must("GRANT EXECUTE ON FUNCTION pg_catalog.max(int), pg_catalog.int4gt(int, int), pg_catalog.float8(int), pg_catalog.int4eq(int, int), "
               "pg_catalog.int4_sum(bigint, int), pg_catalog.hashint4(int) TO PUBLIC")  # PostgreSQL's own state
    for user in USERS:
        with session(user, "on") as c:
            c.must("SET millrace.scan = off")
            for table in ("t", "r", "rf", "p", "v", "vb", "vi", "vr", "vri", "hidden"):
                core, ours = c.run(f"SELECT count(*) FROM app.{table}"), c.run(f"SELECT millrace.count((SELECT 'app.{table}'::regclass))")
                for r in (core, ours):
                    r.error = r.error and {k: r.error[k] for k in ("sqlstate", "message")}  # CONTEXT tells of the statement inside
                    r.notices = [n["message"] for n in r.notices]
                if (core.rows, core.error, core.notices) != (ours.rows, ours.error, ours.notices):
                    wrong.append((user, table, str(core), str(ours)))
            for name, super_only in (("version()", False), ("simd_target()", False), ("last_copy()", False), ("doctor()", False), ("enable()", True),
                                     ("disable()", True), ("_session_libraries()", True), ("_split_libraries('a')", True),
                                     ("_set_session_libraries(NULL)", True)):
                r = c.run("SELECT " + ("count(*) FROM " if name == "doctor()" else "") + f"millrace.{name}")
                wanted = "42501" if super_only and user != "other_super" else None
                if (r.error and r.error["sqlstate"]) != wanted:
                    wrong.append((user, name, r.error))
    ok(not wrong, "functions of the extension for each role", *wrong[:6])


def enable_without_superuser():
    """EXECUTE on enable() is not enough: the setting is for superusers."""
    with session("postgres", "on") as c:
        c.must("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA millrace TO owner; ALTER DATABASE \"on\" OWNER TO owner")
        with session("owner", "on") as o:
            codes = [(o.run(f"SELECT millrace.{f}()").error or {}).get("sqlstate") for f in ("enable", "disable")]
            codes.append((o.run("SELECT millrace._set_session_libraries('{evil}')").error or {}).get("sqlstate"))
        setting = c.must("SELECT count(*) FROM pg_db_role_setting s, unnest(setconfig) u WHERE u LIKE 'session_preload%'").value
        c.must("ALTER DATABASE \"on\" OWNER TO postgres; REVOKE EXECUTE ON FUNCTION millrace.enable(), millrace.disable(), millrace._session_libraries(), "
               "millrace._set_session_libraries(text[]), millrace._split_libraries(text) FROM owner")
    same((["42501"] * 3, "0"), (codes, setting), "enable() and disable() by the database's owner, who may call them, are refused by core")


def public_gains():
    """What comes with the extension, and what of it PUBLIC may use."""
    with session("postgres", "on") as c:
        kinds = c.must("SELECT DISTINCT classid::regclass::text FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid WHERE deptype = 'e' AND extname = 'millrace'").rows
        same([(b"pg_proc",)], kinds, "the extension brings functions only")
        rows = c.must("SELECT proname, prosecdef, has_function_privilege('nobody', p.oid, 'EXECUTE') FROM pg_proc p WHERE pronamespace = 'millrace'::regnamespace ORDER BY 1").rows
        ok(all(r[1] == b"f" for r in rows), "... none of them SECURITY DEFINER", rows)
        same([b"count", b"doctor", b"last_copy", b"simd_target", b"version"], [r[0] for r in rows if r[2] == b"t"], "... and PUBLIC may call these")
        same(("t", "f"), tuple(c.must(f"SELECT has_schema_privilege('nobody', 'millrace', '{p}')").value for p in ("USAGE", "CREATE")),
             "... in a schema it may look into and not create in")
        same([], c.must("SELECT name, context FROM pg_settings WHERE name LIKE 'millrace.%' AND context <> 'user'").rows, "settings are the user's own")
    with session("nobody", "on") as c:
        same("42501", (c.run("LOAD 'millrace'").error or {}).get("sqlstate"), "LOAD is for superusers, as ever")


HOSTILE = """
GRANT CREATE ON SCHEMA public TO mallory; SET ROLE mallory;
CREATE FUNCTION public.evil() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'mallory runs as %', current_user; END $$;
""" + "".join(f"""
CREATE FUNCTION {{0}}.{name}({args}) RETURNS {result} LANGUAGE plpgsql AS $$ BEGIN PERFORM public.evil(); RETURN NULL; END $$;""" for name, args, result in (
    ("count", "int", "bigint"), ("count", "anyelement", "bigint"), ("length", "text", "int"), ("substr", "text, int", "text"), ("format", "text, name", "text"),
    ("format", "text, name, text", "text"), ("array_remove", "text[], text", "text[]"), ("array_remove", "anyarray, unknown_t", "text[]"),
    ("current_database", "", "name"), ("quote_literal", "text", "text"), ("coalesce_t", "text", "text"), ("current_setting", "text", "text"),
    ("pg_size_pretty", "numeric", "text"), ("regexp_matches", "text, text, text", "text[]"), ("rtrim", "text", "text"), ("replace", "text, text, text", "text"),
    ("eq", "text, text", "boolean"), ("cat", "text, text", "text"), ("cat2", "text[], text", "text[]"), ("eqn", "name, name", "boolean"), ("eqt", "name, text", "boolean"),
    ("eqo", "oid, oid", "boolean"), ("gt", "int8, int8", "boolean"))).replace("unknown_t", "anyelement") + """
CREATE OPERATOR {0}.= (LEFTARG = text, RIGHTARG = text, FUNCTION = {0}.eq); CREATE OPERATOR {0}.= (LEFTARG = name, RIGHTARG = name, FUNCTION = {0}.eqn);
CREATE OPERATOR {0}.= (LEFTARG = name, RIGHTARG = text, FUNCTION = {0}.eqt); CREATE OPERATOR {0}.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = {0}.eqo);
CREATE OPERATOR {0}.|| (LEFTARG = text, RIGHTARG = text, FUNCTION = {0}.cat); CREATE OPERATOR {0}.|| (LEFTARG = text[], RIGHTARG = text, FUNCTION = {0}.cat2);
CREATE OPERATOR {0}.> (LEFTARG = int8, RIGHTARG = int8, FUNCTION = {0}.gt);
CREATE TABLE {0}.pg_class (a int); CREATE TABLE {0}.pg_settings (name text, setting text); CREATE TABLE {0}.pg_database (a int); CREATE DOMAIN {0}.int8 AS text;
CREATE DOMAIN {0}.regclass AS text; CREATE DOMAIN {0}.text AS int; CREATE DOMAIN {0}.record AS int; CREATE DOMAIN {0}.interval AS int;
"""
# functions of ours under other arguments, where a call of ours could be led astray
OVERLOADS = """
CREATE FUNCTION millrace._split_libraries(varchar) RETURNS text[] LANGUAGE sql AS $$ SELECT ARRAY[public.evil()::text] $$;
CREATE FUNCTION millrace._split_libraries(anyelement) RETURNS text[] LANGUAGE sql AS $$ SELECT ARRAY[public.evil()::text] $$;
CREATE FUNCTION millrace._set_session_libraries(anyarray) RETURNS void LANGUAGE sql AS $$ SELECT public.evil() $$;
CREATE FUNCTION millrace._set_session_libraries(varchar[]) RETURNS void LANGUAGE sql AS $$ SELECT public.evil() $$;
CREATE FUNCTION millrace.millrace_count(regclass) RETURNS bigint LANGUAGE sql AS $$ SELECT public.evil(); SELECT 1::bigint $$;
"""


def hostile_schemas():
    """A superuser installs and uses the extension in a database full of traps."""
    with server.connect() as admin:
        for schema, owner, works in (("", "", True), ("millrace", "mallory", False), ("millrace", "PUBLIC", False), ("millrace", "postgres", True)):
            admin.must("DROP DATABASE IF EXISTS hostile; ")
            admin.must("CREATE DATABASE hostile")
            name = f"a schema {schema} of {owner}" if schema else "traps in public"
            with server.connect(dbname="hostile") as c:
                c.must(HOSTILE.format("public"))
                if schema:
                    planted = HOSTILE[HOSTILE.index("CREATE FUNCTION {0}"):].format("millrace") + OVERLOADS
                    c.must(f"RESET ROLE; CREATE SCHEMA millrace AUTHORIZATION {'mallory' if owner == 'mallory' else 'postgres'}")
                    if owner == "PUBLIC":
                        c.must("GRANT CREATE ON SCHEMA millrace TO PUBLIC")
                    else:
                        c.must("SET ROLE mallory; " * (owner == "mallory") + planted)
                c.must("RESET ROLE; SET search_path = public, pg_catalog")
                r = c.run("CREATE EXTENSION millrace")
                if not works:
                    same(("42501", 'schema "millrace" is open to roles that are not superusers', f"It belongs to, lets create, or has functions of: {owner}"),
                         tuple((r.error or {}).get(k) for k in ("sqlstate", "message", "detail")), f"{name}: refused")
                    continue
                if not ok(r.error is None, f"{name}: installed", r.error):
                    continue
                c.must("CREATE TABLE public.data AS SELECT pg_catalog.generate_series(1, 10) AS a")
                calls = ["millrace.version()", "millrace.simd_target()", "millrace.last_copy()", "millrace.enable()", "millrace.disable()", "millrace.doctor()",
                         "millrace.count('public.data'::pg_catalog.regclass)"]
                for path in ("public, pg_catalog", "millrace, public, pg_catalog", "public, millrace", "pg_catalog"):
                    c.must(f"SET search_path = {path}")
                    errors = [(f, r.error) for f in calls for r in [c.run(f"SELECT {f}")] if r.error]
                    ok(not errors, f"... its functions with search_path = {path} run nothing of mallory's", *errors[:3])
                c.must("SET search_path = pg_catalog")
                ok(c.run("ALTER EXTENSION millrace SET SCHEMA public").error["sqlstate"] == "0A000", "... it stays in its schema")
                c.must("ALTER EXTENSION millrace UPDATE")
                c.must("DROP EXTENSION millrace; SET search_path = public, pg_catalog; CREATE EXTENSION millrace")
                # the same traps in the way of a scan: names are resolved as ever
                answers = [c.run(f"SET millrace.scan = {on}; SELECT sum(a), pg_catalog.count(a) FROM public.data WHERE a > 3::pg_catalog.int8") for on in ("off", "on")]
                same(outcome(answers[0]), outcome(answers[1]), "... and operators found by search_path run, or not, as ever")
        with server.connect(dbname="hostile") as c:
            c.must("DROP EXTENSION millrace; CREATE FUNCTION millrace.count(pg_catalog.regclass) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'")
            r = c.run("CREATE EXTENSION millrace")
            same("42723", r.error and r.error["sqlstate"], "a function in the place of one of ours is not taken over")
        admin.must("DROP DATABASE hostile")


def dump():
    """A dump brings the extension back, with its privileges."""
    privileges = ("SELECT p.oid::regprocedure::text, proowner::regrole::text, has_function_privilege('nobody', p.oid, 'EXECUTE') FROM pg_proc p "
                  "WHERE pronamespace = 'millrace'::regnamespace ORDER BY 1")
    schema = "SELECT nspowner::regrole::text, has_schema_privilege('nobody', oid, 'USAGE'), has_schema_privilege('nobody', oid, 'CREATE') FROM pg_namespace WHERE nspname = 'millrace'"
    text = server.tool("pg_dump", "-h", server.dir, "-p", str(PORT), "-U", "postgres", "-d", "on")
    ok("CREATE EXTENSION IF NOT EXISTS millrace" in text and "FUNCTION millrace." not in text.replace("ON FUNCTION millrace.", "") .replace("millrace.count('app", ""),
       "pg_dump writes the extension and none of its functions")
    file = os.path.join(server.dir, "dump.sql")
    with open(file, "w") as f:
        f.write(text)
    with server.connect() as c:
        c.must("CREATE DATABASE restored")
    server.tool("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", server.dir, "-p", str(PORT), "-U", "postgres", "-d", "restored", "-f", file)
    with session("postgres", "on") as a, session("postgres", "on", "restored") as b:
        same(a.must(privileges).rows, b.must(privileges).rows, "... privileges of functions come back")
        same(a.must(schema).rows, b.must(schema).rows, "... and of the schema")
        contents = "SELECT count(*), sum(a), sum(c) FROM app.t"
        same(a.must(contents).rows, b.must(contents).rows, "... and the rows")


main(loads, queries, own_functions, enable_without_superuser, public_gains, hostile_schemas, dump)

# Shell functions: PostgreSQL's test suites against a server of ours. Source it after test/lib/pg.sh, with $upstream set.
#
#   suites_prepare                          compiles the C functions that the tests call
#   suites_run RUN SUITE LIBRARY [LINE...]  starts a server with this library preloaded ('' for none) and these
#                                           postgresql.conf lines, runs a suite against it and stops it; leaves
#                                           $scratch/upstream/RUN/SUITE/*.out, what pg_regress said in .../SUITE.txt and
#                                           the server's log in .../SUITE.log
#   suites_compare RUN STOCK SUITE [--none] compares a run with millrace with a stock one (forgive.py)
#
# Paths show in results, so every run has the same ones: server and output directory are used anew each time.

all_suites=(regress isolation file_fdw postgres_fdw amcheck test_decoding pg_stat_statements)

suites_prepare() {
  local config=$pg_bin/pg_config pkglib dir
  pkglib=$("$config" --pkglibdir)
  suites_major=$("$config" --version | sed -E 's/^PostgreSQL ([0-9]*).*/\1/')
  suites_pgxs=$(dirname "$("$config" --pgxs)")/../..
  suites_input=$scratch/upstream_source
  suites_lib=$scratch/regress_lib
  rm -rf "$suites_input" "$suites_lib"
  cp -r "$upstream" "$suites_input"
  if psql_wants_end_marks; then
    for dir in "$suites_input/src/test/regress" "$suites_input"/contrib/*; do
      [ ! -d "$dir/sql" ] || python3 "$here/test/upstream/end_copies.py" "$dir/sql" "$dir/expected" || return 1
    done
  fi
  mkdir "$suites_lib"
  # refint and autoinc are packaged
  cp "$pkglib"/{refint,autoinc}.so "$suites_lib/" &&
    ${CC:-gcc} -O2 -fPIC -shared -w -I"$("$config" --includedir-server)" -o "$suites_lib/regress.so" \
      "$suites_input/src/test/regress/regress.c" || return 1
  [ "$(id -u)" -ne 0 ] || chown -R postgres: "$suites_input" "$suites_lib"
}

# Does psql read on to an end mark after a COPY FROM STDIN that failed? (end_copies.py)
psql_wants_end_marks() {
  local said
  pg_start probe || return 1
  said=$(printf 'COPY nonexistent FROM STDIN;\nSELECT 6 * 7 AS answer;\n' |
    pg_as "$pg_bin/psql" -X -q -A -t -h "$scratch/probe" -p $pg_port -U postgres -d postgres 2>/dev/null)
  pg_stop probe
  [ "$said" != 42 ]
}

# variable MODULE NAME: a variable of a contrib module's Makefile
variable() {
  make -s -C "$suites_input/contrib/$1" USE_PGXS=1 PG_CONFIG="$pg_bin/pg_config" --eval 'print-%: ; @echo $($*)' "print-$2"
}

# driver NAME ARGUMENT...: pg_regress or pg_isolation_regress
driver() {
  local program=$1 input=$2 options=()
  shift 2
  "$program" --help | grep -q -- --expecteddir && options=(--expecteddir="$input")
  pg_as "$program" --bindir="$pg_bin" --inputdir="$input" "${options[@]}" --outputdir="$scratch/out" --dlpath="$suites_lib" \
    --host="$scratch/server" --port=$pg_port --user=postgres --max-concurrent-tests=20 "$@"
}

regress() { driver "$suites_pgxs/src/test/regress/pg_regress" "$@"; }
isolation() { driver "$suites_pgxs/src/test/isolation/pg_isolation_regress" "$@"; }

suite_regress() {
  local input=$suites_input/src/test/regress
  regress "$input" --schedule="$input/parallel_schedule"
}

suite_isolation() {
  local input=$suites_input/src/test/isolation
  isolation "$input" --schedule="$input/isolation_schedule" prepared-transactions prepared-transactions-cic
}

suite_contrib() {
  local module=$1 input=$suites_input/contrib/$1 tests specs status=0
  tests=$(variable "$module" REGRESS)
  specs=$(variable "$module" ISOLATION)
  [ -z "$tests" ] || regress "$input" --dbname=contrib_regression $tests || status=1
  [ -z "$specs" ] || isolation "$input" --dbname=isolation_regression $(variable "$module" ISOLATION_OPTS | grep -o -- '--load-extension=[^ ]*') $specs ||
    status=1
  return $status
}

# The settings that a suite's own Makefile gives its server.
suite_settings() {
  local module=$1 conf=$suites_input/contrib/$1
  printf '%s\n' "max_prepared_transactions = 10" "fsync = off"
  case $module in
    test_decoding) cat "$conf/logical.conf" ;;
    pg_stat_statements) grep -v shared_preload_libraries "$conf/pg_stat_statements.conf" ;;
  esac
}

suites_run() {
  local results=$scratch/upstream/$1 suite=$2 library=$3 lines
  shift 3
  [ "$suite" != pg_stat_statements ] || library=pg_stat_statements${library:+,$library}
  mapfile -t lines < <(suite_settings "$suite")
  rm -rf "$scratch/server" "$scratch/out"
  mkdir -p "$scratch/out" "$results/$suite"
  [ "$(id -u)" -ne 0 ] || chown postgres: "$scratch/out"
  # postgres_fdw connects to its own server by the port only
  PGHOST=$scratch/server pg_start server "${lines[@]}" "$@" "shared_preload_libraries = '$library'" || return 1
  case $suite in
    regress | isolation) "suite_$suite" ;;
    *) suite_contrib "$suite" ;;
  esac >"$results/$suite.txt" 2>&1
  pg_stop server
  cp "$scratch/server/log" "$results/$suite.log"
  cp "$scratch/out/results"/*.out "$results/$suite/"
}

# Ends with forgive.py's line "upstream: N passed, N failed, ..."; a crash of the server counts as one more failure.
suites_compare() {
  local run=$scratch/upstream/$1 stock=$scratch/upstream/$2 suite=$3 expected=$suites_input/contrib/$3/expected
  [ -d "$expected" ] || expected=$suites_input/src/test/$suite/expected
  shift 3
  if grep -aE 'terminated by signal|PANIC:|TRAP:' "$run/$suite.log"; then
    echo "upstream: 0 passed, 1 failed, the server crashed"
  fi
  python3 -B "$here/test/upstream/forgive.py" --expected "$expected" "$@" "$stock/$suite" "$run/$suite"
}

# suites_count WHAT FILE: adds up the numbers before a word in the lines of suites_compare
suites_count() {
  sed -nE "s/^upstream: .*\b([0-9]+) $1.*/\1/p" "$2" | awk '{ n += $1 } END { print n + 0 }'
}

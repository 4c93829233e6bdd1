# Shell functions: the areas that test/run and test/majors have in common. Source it after pg.sh, when there are
#
#   $tree                     the source tree, built and installed by pg_private
#   $scratch/work             a directory of the user servers run as
#   $seconds, $cycles, $seed  how long, how often, and which choices ('' for any)
#   $here/../shared/cases     the cases of real reports, perhaps
#
# An area prints what its tests say, and adds to n_passed, n_failed and n_skipped, or sets `why` when it cannot run.

# count STATUS PASSED FAILED: a bad status is a failure even if nothing was counted as one
count() {
  n_passed=$((n_passed + $2)) n_failed=$((n_failed + $3))
  [ "$1" -eq 0 ] || [ "$3" -gt 0 ] || n_failed=$((n_failed + 1))
}

# check NAME PROBLEM: passes when there is no problem
check() {
  if [ -z "$2" ]; then
    n_passed=$((n_passed + 1)); echo "ok   $1"
  else
    n_failed=$((n_failed + 1)); printf 'FAIL %s\n%s\n' "$1" "$2"
  fi
}

# sum REGEX FILE: total of what the group in the regular expression matched
sum() {
  sed -nE "s/.*$1.*/\\1/p" "$2" 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

# as_test COMMAND...: runs a test that makes its own servers
as_test() {
  pg_as env MILLRACE_PG_BIN="$pg_bin" MILLRACE_SCRATCH="$scratch/work" PYTHONDONTWRITEBYTECODE=1 "$@"
}

# pg_regress's verdicts: "ok 1 - name" since 16, "name ... ok" before
count_regress() {
  cat "$2"
  [ ! -f "$3" ] || cat "$3"
  count "$1" "$(grep -cE '(\.\.\. |^)ok ' "$2")" "$(grep -cE '(\.\.\. FAILED|^not ok)' "$2")"
}

area_regress() {
  compgen -G "$tree/expected/*.out" >/dev/null || { why="no cases"; return; }
  # without autovacuum, whose snapshots keep VACUUM from marking pages all-visible now and then
  pg_start regress "wal_level = logical" "max_prepared_transactions = 10" "fsync = off" "autovacuum = off" || { n_failed=1; return; }
  [ "$(id -u)" -ne 0 ] || chown -R postgres: "$tree"
  pg_as env PGHOST="$scratch/regress" PGPORT=$pg_port PGUSER=postgres \
    timeout 900 make -C "$tree" -s PG_CONFIG="$pg_bin/pg_config" installcheck >"$scratch/regress.out" 2>&1
  count_regress $? "$scratch/regress.out" "$tree/regression.diffs"
  pg_stop regress
}

area_isolation() {
  local regress=$pg_prefix$("${PG_CONFIG:-pg_config}" --pkglibdir)/pgxs/src/test/isolation/pg_isolation_regress
  [ -x "$regress" ] || { why="no pg_isolation_regress here"; return; }
  local work=$scratch/isolation_work which specs options expected=()
  cp -r "$tree/test/isolation" "$work"
  [ "$(id -u)" -ne 0 ] || chown -R postgres: "$work"
  specs=$(cd "$work/specs" && ls -- *.spec | sed 's/\.spec$//')
  # an option since 16; before, the input's directory was also that of what is expected
  ! "$regress" --help | grep -q -- --expecteddir || expected=(--expecteddir="$work")
  pg_start isolation "fsync = off" "max_prepared_transactions = 10" || { n_failed=1; return; }
  for which in off on; do
    options="-c session_preload_libraries=millrace -c millrace.copy=$which -c millrace.scan=$which -c millrace.scan_min_cost=0"
    pg_as env PGOPTIONS="$options" timeout 600 "$regress" --inputdir="$work" ${expected[@]+"${expected[@]}"} --outputdir="$work" \
      --bindir="$pg_bin" --host="$scratch/isolation" --port=$pg_port --user=postgres --dbname=isolation_$which $specs \
      >"$scratch/isolation.out" 2>&1
    count_regress $? "$scratch/isolation.out" "$work/regression.diffs"
  done
  check "the fast scan answers these queries" "$(PGOPTIONS=$options pg_sql isolation -At \
    -c 'CREATE TABLE t (k int, v int)' -c 'EXPLAIN SELECT k, count(*), sum(v) FROM t GROUP BY k ORDER BY k' |
    grep -q MillraceAgg || echo 'no MillraceAgg in the plan')"
  pg_stop isolation
}

area_tap() {
  compgen -G "$tree/test/t/*.py" >/dev/null || { why="no tests"; return; }
  local small= status
  if [ "$(id -u)" -eq 0 ]; then
    mkdir -p "$scratch/small"
    mount -t tmpfs -o size=6m,mode=777 millrace "$scratch/small" 2>/dev/null && small=$scratch/small
  fi
  as_test MILLRACE_SMALL_DISK="$small" ${seed:+MILLRACE_SEED="$seed"} timeout 1200 prove -v --timer --ext .py --exec python3 "$tree/test/t" >"$scratch/tap.out" 2>&1
  status=$?
  cat "$scratch/tap.out"
  n_skipped=$(grep -cE '^ok [0-9].*# skip' "$scratch/tap.out")
  count $status $(($(grep -cE '^(\[[0-9:]+\] )?ok [0-9]' "$scratch/tap.out") - n_skipped)) \
    "$(grep -cE '^(\[[0-9:]+\] )?not ok [0-9]' "$scratch/tap.out")"
}

area_crash() {
  as_test timeout $((cycles * 10 + 300)) python3 "$tree/test/crash/run" --cycles "$cycles" ${seed:+--seed "$seed"} \
    >"$scratch/crash.out" 2>&1
  local status=$?
  cat "$scratch/crash.out"
  count $status "$(sum '^crash: ([0-9]+) passed' "$scratch/crash.out")" "$(sum '^crash: .*, ([0-9]+) failed' "$scratch/crash.out")"
}

area_differential() {
  as_test timeout $((seconds + 600)) python3 "$tree/test/differential/differential.py" --seconds "$seconds" \
    ${seed:+--seed "$seed"} ${differential_options[@]+"${differential_options[@]}"} >"$scratch/differential.out" 2>&1
  local status=$?
  cat "$scratch/differential.out"
  count $status "$(sum '^differential: ([0-9]+) passed' "$scratch/differential.out")" \
    "$(sum '^differential: .* ([0-9]+) failed' "$scratch/differential.out")"
}

area_scan() {
  pg_start scan "fsync = off" "shared_buffers = 256MB" || { n_failed=1; return; }
  local parallel status share=$((seconds * 2 / 3))
  for parallel in "" --parallel; do
    as_test PATH="$pg_bin:$PATH" timeout $((seconds + 300)) \
      python3 "$tree/test/scan_differential/run" --host "$scratch/scan" --port $pg_port $parallel \
      --seconds $share ${seed:+--seed "$seed"} >"$scratch/scan.out" 2>&1
    status=$? share=$((seconds - share))
    cat "$scratch/scan.out"
    count $status "$(sum '^scan differential: ([0-9]+) passed' "$scratch/scan.out")" \
      "$(sum '^scan differential: .* ([0-9]+) failed' "$scratch/scan.out")"
  done
  pg_stop scan
}

# Cases have the answers of 15, and of another major where somebody wrote them down (expected_MAJOR.out).
area_cases() {
  [ -d "$here/../shared/cases" ] || { why="no ../shared/cases here"; return; }
  local out=$scratch/cases.out copy=$scratch/cases_copy major case wanted forgiven=0
  major=$("$pg_bin/pg_config" --version | sed -E 's/^PostgreSQL ([0-9]*).*/\1/')
  cp -r "$here/../shared/cases" "$copy"
  rm -rf "$copy"/526-* # of rows that PostgreSQL gives in no fixed order
  chmod -R u+w "$copy"
  [ "$(id -u)" -ne 0 ] || chown -R postgres: "$copy"
  pg_start cases "wal_level = logical" "max_prepared_transactions = 10" "fsync = off" || { n_failed=1; return; }
  # a major that the cases have no answers of: the answers are the server's own, without millrace
  if [ "$major" != 15 ] && ! compgen -G "$copy/*/expected_$major.out" >/dev/null; then
    run_cases -u >"$out" 2>&1
    cat "$out"
  fi
  # since 16 core leaves blocks empty that it added in bulk, 50 of them here; millrace adds what it fills
  wanted=$copy/314-physical-order-and-system-columns/expected_$major.out
  [ ! -f "$wanted" ] || sed -i 's/^   222 |       272$/   222 |       222/' "$wanted"
  PRELOAD=millrace run_cases >"$out" 2>&1
  cat "$out"
  for case in "$copy"/*/results.out; do
    [ -f "$case" ] || continue
    case=$(dirname "$case")
    echo "-- $(basename "$case")"
    wanted=$case/expected_$major.out
    [ -f "$wanted" ] || wanted=$case/expected.out
    diff <(no_xids "$wanted") <(no_xids "$case/results.out") && forgiven=$((forgiven + 1))
  done
  count 0 $(($(sum '^([0-9]+) passed' "$out") + forgiven)) $(($(sum '^[0-9]+ passed, ([0-9]+) failed' "$out") - forgiven))
  [ $((n_passed + n_failed)) -gt 0 ] || n_failed=1
  pg_stop cases
}

# Since 19 messages about waiting name a transaction, which is another one in each run.
no_xids() {
  sed -E 's/on transaction [0-9]+/on transaction N/' "$1"
}

# run_cases [-u]: with PRELOAD as it is
run_cases() {
  pg_as env ${PRELOAD:+PRELOAD="$PRELOAD"} PSQL="$pg_bin/psql" PATH="$pg_bin:$PATH" \
    bash "$scratch/cases_copy/run_cases.sh" "$@" "$scratch/cases" $pg_port millrace_cases '[0-9]*'
}

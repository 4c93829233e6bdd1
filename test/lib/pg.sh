# Shell functions for scripts that need PostgreSQL for a while. Source it, then:
#
#   pg_packages NAME...     installs what is missing (root on Debian; else says what is missing)
#   pg_scratch              $scratch: a directory that goes away, with every server in it, when the script ends
#   pg_private TREE         $pg_prefix: a copy of the installed PostgreSQL inside $scratch with the tree's
#                           millrace built and installed into it; the system's own stays as it is
#   pg_as COMMAND...        runs a command as the user servers run as (postgres when we are root)
#   pg_start NAME [LINE...] a server $scratch/NAME with these postgresql.conf lines; its socket is in that directory
#   pg_stop NAME
#
# PG_CONFIG chooses the installation (default: the one of `pg_config`).

pg_port=54311 # of every server: they listen on sockets only, each in its own directory

pg_packages() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "missing packages: ${missing[*]} (run as root once to have them installed)" >&2
    return 1
  fi
  echo "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# The server packages of this Debian: headers and server in one go, so that their minor releases match.
pg_server_packages() {
  local major=${PG_MAJOR:-$(ls /usr/lib/postgresql 2>/dev/null | sort -n | tail -1)}
  [ -n "$major" ] || case $(. /etc/os-release && echo "${VERSION_ID:-}") in
    13) major=17 ;;
    *) major=15 ;;
  esac
  echo "postgresql-$major postgresql-server-dev-$major libpq-dev libhwy-dev libfast-float-dev g++ make"
}

pg_as() {
  if [ "$(id -u)" -eq 0 ]; then
    runuser -u postgres -- "$@"
  else
    "$@"
  fi
}

pg_cleanup() {
  local status=$? data
  trap - EXIT INT TERM HUP
  for data in "$scratch"/*/data; do
    [ -f "$data/postmaster.pid" ] && pg_as "$pg_bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1
  done
  while read -r data; do umount "$data"; done < <(awk -v d="$scratch/" 'index($2, d) == 1 { print $2 }' /proc/mounts)
  cd / && rm -rf "$scratch"
  exit $status
}

pg_scratch() {
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/millrace.XXXXXX")
  [ "$(id -u)" -eq 0 ] && chown postgres: "$scratch"
  chmod 755 "$scratch"
  trap pg_cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

# Copies a source tree as it stands, committed or not, without what a build leaves.
pg_copy_tree() {
  mkdir -p "$2"
  tar -C "$1" -cf - --exclude=./.git --exclude='*.o' --exclude='*.so' --exclude='*.d' --exclude=./test/unit/build \
    --exclude=./test/fuzz/build --exclude=./bench/kernels/build --exclude=./results --exclude=./tmp_check . |
    tar -C "$2" -xf -
}

# PostgreSQL finds its files relative to its binary, so a copy of the tree is a whole installation.
pg_private() {
  local tree=$1 config=${PG_CONFIG:-pg_config} bin major dir
  bin=$($config --bindir)
  [ -x "$bin/postgres" ] || bin=/usr/lib/postgresql/$($config --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')/bin
  config=$bin/pg_config
  pg_prefix=$scratch/postgresql
  for dir in "$($config --bindir)" "$($config --pkglibdir)" "$($config --sharedir)"; do
    mkdir -p "$pg_prefix$(dirname "$dir")"
    [ -e "$pg_prefix$dir" ] || cp -a "$dir" "$pg_prefix$(dirname "$dir")"
  done
  # the headers are only read; same relative place
  for dir in "$($config --includedir)" "$($config --includedir-server)"; do
    mkdir -p "$pg_prefix$(dirname "$(dirname "$dir")")"
    dir=${dir%%/postgresql*}
    [ -e "$pg_prefix$dir" ] || ln -s "$dir" "$pg_prefix$dir"
  done
  pg_bin=$pg_prefix$bin
  rm -rf "$pg_prefix$($config --pkglibdir)"/{millrace.so,bitcode} "$pg_prefix$($config --sharedir)"/extension/millrace*
  make -C "$tree" -s -j"$(nproc)" PG_CONFIG="$pg_bin/pg_config" all &&
    make -C "$tree" -s PG_CONFIG="$pg_bin/pg_config" install
}

pg_start() {
  local name=$1
  shift
  local dir=$scratch/$name
  mkdir -p "$dir"
  [ "$(id -u)" -eq 0 ] && chown postgres: "$dir"
  pg_as "$pg_bin/initdb" -D "$dir/data" -k -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir/initdb.log" || {
    cat "$dir/initdb.log"
    return 1
  }
  printf '%s\n' "port = $pg_port" "listen_addresses = ''" "unix_socket_directories = '$dir'" "$@" |
    pg_as tee -a "$dir/data/postgresql.conf" >/dev/null
  pg_as "$pg_bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w start >/dev/null || {
    cat "$dir/log"
    return 1
  }
}

pg_stop() {
  pg_as "$pg_bin/pg_ctl" -D "$scratch/$1/data" -m fast -w stop >/dev/null
}

# psql of a server of ours: pg_sql NAME [psql options]
pg_sql() {
  local dir=$scratch/$1
  shift
  pg_as "$pg_bin/psql" -X -q -h "$dir" -p $pg_port -U postgres -d postgres -v ON_ERROR_STOP=1 "$@"
}

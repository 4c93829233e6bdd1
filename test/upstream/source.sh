# Shell functions: PostgreSQL's own source, for its tests. Source it after test/lib/pg.sh, then:
#
#   upstream_source MAJOR             $upstream: a directory with src/test/regress, src/test/isolation and contrib of that major
#   upstream_download MAJOR [SERVER]  $upstream_files: a directory with the files of the source package, $upstream_version;
#                                     SERVER is the version to have if there is a choice
#
# The source comes from the archives this machine takes its packages from, in the version of the installed server if
# they have it, else in their newest. apt is given a directory of its own under $scratch, so the system's lists and
# sources stay as they are. MILLRACE_SOURCES names a directory that keeps the unpacked source between runs.

upstream_wanted=(src/test/regress src/test/isolation contrib/{file_fdw,postgres_fdw,test_decoding,pg_stat_statements,amcheck})

# The machine's deb lines and stanzas as sources of source packages.
upstream_sources() {
  local from
  mkdir -p "$1"
  for from in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$from" ] && sed -nE 's/^[[:space:]]*deb([[:space:]])/deb-src\1/p' "$from" >>"$1/lines.list"
  done
  for from in /etc/apt/sources.list.d/*.sources; do
    [ -f "$from" ] && sed -E 's/^Types:.*/Types: deb-src/' "$from" >"$1/${from##*/}"
  done
  return 0
}

# Versions of the source package in the order to try: the server's own, then from the newest down, since an archive
# that lists a version need not still, or yet, hold it.
upstream_versions() {
  local major=$1 server=$2 versions
  versions=$(apt-cache "${upstream_options[@]}" showsrc --only-source "postgresql-$major" 2>/dev/null |
    sed -n 's/^Version: //p' | sort -uVr)
  grep "^${server:-none}[-+~]" <<<"$versions"
  grep -v "^${server:-none}[-+~]" <<<"$versions"
}

upstream_apt_options() {
  printf '%s\n' -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$1/sources.d" -o "Dir::State::Lists=$1/lists" \
    -o "Dir::Cache=$1/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false \
    -o Acquire::Retries=3
}

upstream_download() {
  local major=$1 server=${2:-} work=$scratch/apt
  command -v apt-get >/dev/null || { echo "no apt-get to get the source with"; return 1; }
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  upstream_sources "$work/sources.d"
  mapfile -t upstream_options < <(upstream_apt_options "$work")
  # an archive without sources is no reason to give up
  apt-get "${upstream_options[@]}" -q update || echo "not every archive could be read"
  upstream_files=$work/source
  for upstream_version in $(upstream_versions "$major" "$server"); do
    rm -rf "$upstream_files"
    mkdir "$upstream_files"
    (cd "$upstream_files" &&
      apt-get "${upstream_options[@]}" -q --download-only --only-source source "postgresql-$major=$upstream_version") && return
  done
  echo "no archive of this machine has the source of postgresql-$major"
  return 1
}

# Unpacks into DIR what the tests need; DIR appears whole or not at all.
upstream_fetch() {
  local major=$1 dir=$2 server=$3 archive
  upstream_download "$major" "$server" || return
  for archive in "$upstream_files"/*.orig.tar.*; do [[ $archive == *.asc ]] || break; done
  rm -rf "$dir.new"
  mkdir -p "$dir.new"
  tar -C "$dir.new" -xf "$archive" --strip-components=1 --no-same-owner --wildcards "${upstream_wanted[@]/#/*/}" || return 1
  echo "$upstream_version" >"$dir.new/VERSION"
  rm -rf "$scratch/apt"
  mv "$dir.new" "$dir"
}

upstream_source() {
  local major=$1 config=${PG_CONFIG:-pg_config} server
  server=$("$config" --version | sed -E 's/^PostgreSQL ([^ ]*).*/\1/')
  upstream=${MILLRACE_SOURCES:-$scratch}/postgresql-$major
  mkdir -p "${upstream%/*}"
  [ -f "$upstream/VERSION" ] || upstream_fetch "$major" "$upstream" "$server" >"$scratch/source.log" 2>&1
}

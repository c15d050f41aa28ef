import { READ_LISTS, sh } from '../../sdk/index.js';
import type { Places } from './places.js';

/** Beside the data of the new version: whose data it takes over, how far that is, and its last transaction before it served. */
const notesOf = ({ version }: Places): string => `/var/lib/postgresql/${version}/provisioning.upgrade`;

/** A person makes this file to go back and lose the writes since the upgrade. */
const loseWrites = ({ version }: Places): string => `/var/lib/postgresql/${version}/lose-writes`;

/** Rows written, by whomever: what autovacuum writes is left out, and it takes up to 10 s until a session tells. */
const WRITES = `SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_all_tables
WHERE schemaname <> 'pg_toast' AND relname NOT IN ('pg_statistic', 'pg_statistic_ext_data')`;

const FUNCTIONS = `cd /
refuse() { printf 'cannot upgrade postgres from %s to %s: %s\\n' "$FROM" "$TO" "$1"; exit 1; }
pg() { runuser -u postgres -- "$@"; }
note() { pg sh -c 'printf "%s\\n" "$1" >>"$2"' sh "$1" "$NOTES"; }
noted() { pg grep -qsx "$1" "$NOTES"; }
workplace() { work=$(pg mktemp -d /var/lib/postgresql/upgrade.XXXXXX); cd "$work"; }
leave() { cd /; pg rm -rf -- "$work"; }
why() { tail -n 25 "$1"; pg find "$NEW/pg_upgrade_output.d" -name '*.txt' -exec head -n 5 {} + 2>/dev/null || true; }
flags() {
  control=$(LC_ALL=C pg "$OLD_BIN/pg_controldata" "$OLD")
  size=$(sed -n 's/^Bytes per WAL segment: *//p' <<<"$control")
  echo "--wal-segsize=$((size / 1048576))"
  if ! grep -q '^Data page checksum version: *0$' <<<"$control"; then echo --data-checksums
  elif [ "$TO" -ge 18 ]; then echo --no-data-checksums; fi
}
copy_settings() { if [ -e "$OLD/postgresql.auto.conf" ]; then pg cp "$OLD/postgresql.auto.conf" "$NEW/"; fi; }
inside() { pg "$1/psql" -h "$2" -p "$3" -d postgres -XtAc "SELECT 'the role ' || rolname FROM pg_roles WHERE rolname !~ '^pg_'
UNION ALL SELECT format('the database %s of %s, %s, %s', datname, pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate) FROM pg_database" | LC_ALL=C sort; }
pg_upgrade() {
  pg "$NEW_BIN/pg_upgrade" -b "$OLD_BIN" -B "$NEW_BIN" -d "$OLD" -D "$NEW" --socketdir="$work" \\
    -o "-c config_file=$OLD_ETC/postgresql.conf" -O "-c config_file=$NEW_ETC/postgresql.conf \${more-}" "$@" >"$work/log" 2>&1
}
stop_new() { if [ -e "$NEW/postmaster.pid" ]; then pg "$NEW_BIN/pg_ctl" -D "$NEW" -m "$1" -w stop >/dev/null 2>&1 || true; fi; }
transaction() {
  port=$(pg sed -n 4p "$NEW/postmaster.pid" 2>/dev/null || true)
  if [ -n "$port" ]; then
    pg "$NEW_BIN/psql" -h /var/run/postgresql -p "$port" -d postgres -XtAc "$LAST" 2>/dev/null || true
  else
    LC_ALL=C pg "$NEW_BIN/pg_controldata" "$NEW" | awk -F': *' '/^Database cluster state/ && $2=="shut down"{s=1} /NextXID/{split($2":"$3,x,":"); n=x[1]*4294967296+x[2]} END{if(s) printf "%.0f\\n", n}'
  fi
}
writes() {
  ask() { pg "$NEW_BIN/psql" -h "$1" -p "$2" -d "$3" -XtAc "$4"; }
  ask "$1" "$2" postgres 'SELECT datname FROM pg_database WHERE datallowconn' | while IFS= read -r database; do ask "$1" "$2" "$database" "$WRITES" || exit 1; done | awk '{n+=$1} END{printf "%.0f\\n", n}'
}
noted_last() { if [ -e "$NOTES" ]; then pg sed -n "s/^$1 //p" "$NOTES" | tail -n 1; fi; }
keep_writes() {
  before=$(noted_last transaction) || { printf 'cannot read %s\\n' "$NOTES"; return 1; }
  [ -n "$before" ] && [ ! -e "$LOSE_WRITES" ] || return 0
  [ "$(transaction)" != "$before" ] || return 0
  port=$(pg sed -n 4p "$NEW/postmaster.pid" 2>/dev/null || true)
  if [ -n "$port" ] && sleep 11 && now=$(writes /var/run/postgresql "$port") && [ "$now" = "$(noted_last writes)" ]; then return 0; fi
  printf 'cannot go back from postgres %s to %s: %s has taken writes since it serves, and %s has not: ' "$TO" "$FROM" "$TO" "$FROM"
  printf 'to go back without them, run "touch %s" on this host, and roll back again\\n' "$LOSE_WRITES"
  return 1
}`;

/** Beginning of all scripts of an upgrade. */
export const head = (from: Places, to: Places, port: number): string =>
  `${sh`FROM=${from.version} OLD=${from.data} OLD_ETC=${from.etc} OLD_BIN=${from.bin}
TO=${to.version} NEW=${to.data} NEW_ETC=${to.etc} NEW_BIN=${to.bin} PORT=${port}
NOTES=${notesOf(to)} LOSE_WRITES=${loseWrites(to)} LAST=${'SELECT pg_snapshot_xmax(pg_current_snapshot())'} WRITES=${WRITES}`}
${FUNCTIONS}`;

/** Nothing is touched before it is known that the packages can be had, and that the data fits beside itself. */
export const preflight = (packages: readonly string[]): string => `${READ_LISTS}
${sh`for package in ${packages}`}; do
  candidate() { LC_ALL=C apt-cache policy "$package" | grep '^  Candidate: [0-9]' >/dev/null; }
  candidate || { read_lists >/dev/null || true; candidate; } ||
    refuse "apt on this host has no $package: add a source of packages that has it"
done
spaces=$(pg ls -A "$OLD/pg_tblspc")
[ -z "$spaces" ] || refuse 'it has tablespaces outside of its data, which are not copied'
size=$(pg du -sk --exclude=pg_wal "$OLD" | cut -f1)
need=$((size + size / 20 + 196608))
free=$(df -k --output=avail /var/lib/postgresql | tail -n 1)
human() { numfmt --from-unit=1024 --to=iec-i --suffix=B "$1"; }
[ "$free" -ge "$need" ] || refuse "its data is copied, for which $(human "$need") have to be free in /var/lib/postgresql, and $(human "$free") are"`;

/** Removes a cluster that the package made and that was never started, or that a former attempt left. */
export const MAKE = `if [ -e "$NEW/PG_VERSION" ] && { noted done || { [ -e "$NEW/postmaster.opts" ] && ! noted "from $FROM"; }; }; then
  refuse "$NEW holds data already"
fi
stop_new immediate
if [ -e "$NEW_ETC" ]; then pg_dropcluster "$TO" main || true; fi
pg rm -rf -- "$NEW" "$NEW_ETC"
pg rm -f -- "$NOTES" "$LOSE_WRITES"
pg_createcluster --start-conf=manual --locale=C.UTF-8 "$TO" main -- $(flags)
note "from $FROM"
pg sed -e "s,/$FROM/main,/$TO/main,g; s,'$FROM/main','$TO/main',; s,$FROM-main,$TO-main,g; /^stats_temp_directory/d" \\
  "$OLD_ETC/postgresql.conf" | pg tee "$NEW_ETC/postgresql.conf" >/dev/null
for name in $(pg ls "$OLD_ETC/conf.d"); do
  case "$name" in provisioning*) ;; *) pg cp "$OLD_ETC/conf.d/$name" "$NEW_ETC/conf.d/" ;; esac
done
pg cp "$OLD_ETC/pg_ident.conf" "$NEW_ETC/"
copy_settings`;

/** Its data is a copy. If it took writes since, and a person agreed to lose them, the data is set aside. */
export const UNMAKE = `if ! noted "from $FROM"; then exit 0; fi
stop_new immediate
if [ -e "$LOSE_WRITES" ] && pg grep -qs '^transaction ' "$NOTES"; then
  pg_renamecluster "$TO" main "undone-$(date +%s)"
else
  pg_dropcluster "$TO" main || true
  pg rm -rf -- "$NEW" "$NEW_ETC"
fi
pg rm -f -- "$NOTES" "$LOSE_WRITES"`;

/** While the old server still serves: what would keep the new one from taking over. */
export const CHECK_BOTH = `port=$(pg sed -n 4p "$OLD/postmaster.pid")
ask() { pg "$OLD_BIN/psql" -h /var/run/postgresql -p "$port" -XtAc "$2" -d "$1"; }
lacking=
databases=$(ask postgres 'SELECT datname FROM pg_database WHERE datallowconn')
while IFS= read -r database; do
  extensions=$(ask "$database" 'SELECT extname FROM pg_extension')
  while IFS= read -r extension; do
    [ -z "$extension" ] || [ -e "/usr/share/postgresql/$TO/extension/$extension.control" ] || lacking="$lacking, $extension (in the database $database)"
  done <<<"$extensions"
done <<<"$databases"
[ -z "$lacking" ] || refuse "postgres $TO lacks extensions that are in use: \${lacking#, }; install their packages for $TO, or drop them"
inside "$OLD_BIN" /var/run/postgresql "$port" | pg tee "$NOTES.inside" >/dev/null
workplace; trap leave EXIT
more='-c shared_buffers=16MB -c huge_pages=off' pg_upgrade --check || { why "$work/log"; refuse 'pg_upgrade finds that its data cannot be taken over'; }
pg rm -rf -- "$NEW/pg_upgrade_output.d"`;

/** No client reaches the new server before its content was counted and its last transaction recorded. */
export const COPY = `workplace; trap 'stop_new immediate; leave' EXIT
if noted copying; then
  stop_new immediate
  pg find "$NEW" -mindepth 1 -delete
  pg "$NEW_BIN/initdb" -D "$NEW" --auth=peer --encoding=UTF8 --locale=C.UTF-8 $(flags) >/dev/null
  copy_settings
fi
note copying
jobs=$(nproc)
pg_upgrade --jobs="$jobs" || { why "$work/log"; refuse 'pg_upgrade failed'; }
if [ -e "$OLD/provisioning.made" ]; then pg cp "$OLD/provisioning.made" "$NEW/"; fi
if [ -e "$OLD/provisioning.identity" ]; then pg cp "$OLD/provisioning.identity" "$NEW/"
else LC_ALL=C pg "$OLD_BIN/pg_controldata" "$OLD" | sed -n 's/^Database system identifier: *//p' | pg tee "$NEW/provisioning.identity" >/dev/null; fi
pg "$NEW_BIN/pg_ctl" -D "$NEW" -s -w -t 3600 -l "$work/server" -o "-c config_file=$NEW_ETC/postgresql.conf -c port=$PORT -c listen_addresses='' -c unix_socket_directories=$work -c external_pid_file='' -c autovacuum=off -c logging_collector=off" start || { why "$work/server"; refuse 'the new server does not start'; }
pg "$NEW_BIN/vacuumdb" -h "$work" -p "$PORT" --all --analyze-only --jobs="$jobs" -q
inside "$NEW_BIN" "$work" "$PORT" >"/run/provisioning-inside.$$"
lost=$(pg cat "$NOTES.inside" | LC_ALL=C comm -23 - "/run/provisioning-inside.$$" | paste -sd';'); rm -f "/run/provisioning-inside.$$"
[ -z "$lost" ] || refuse "the new server lacks $lost"
count=$(writes "$work" "$PORT")
last=$(pg "$NEW_BIN/psql" -h "$work" -p "$PORT" -d postgres -XtAc "$LAST")
note "writes $count"
note "transaction $last"
pg "$NEW_BIN/pg_ctl" -D "$NEW" -s -m fast -w stop`;

/** It was stopped to go back by the step after this one: who would lose writes is served on. */
export const UNCOPY = `stop_new fast
if [ -e "$NEW/PG_VERSION" ] && ! keep_writes; then systemctl start "postgresql@$TO-main"; exit 1; fi`;

export const OPENED = `note done
pg rm -f -- "$NOTES.inside"`;

/** Asks the server that still runs, before anything is stopped. */
export const UNOPEN = `keep_writes`;

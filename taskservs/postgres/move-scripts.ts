import { type MoveContext, sh } from '../../sdk/index.js';
import { AS_POSTGRES, type Places } from './places.js';

/** Holds back the WAL that the copy still needs. */
export const SLOT = 'provisioning_move';

/**
 * Rows written, by whomever: what autovacuum writes is left out, as are the roles and databases that the definition makes.
 * It takes up to 10 s until a session tells.
 */
const WRITES = `SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_all_tables
WHERE schemaname <> 'pg_toast' AND relname NOT IN ('pg_statistic', 'pg_statistic_ext_data', 'pg_authid', 'pg_auth_members', 'pg_database')`;

/** The user postgres copies the files, because root must not write through files in postgres' folders. */
const FUNCTIONS = `cd /
pg() { ${AS_POSTGRES} "$@"; }
refuse() { printf 'cannot move postgres: %s\\n' "$1" >&2; exit 1; }
port() { pg sed -n 4p "$DATA/postmaster.pid" 2>/dev/null || true; }
sql() { pg "$BIN/psql" -h /var/run/postgresql -p "$(port)" -d "\${2-postgres}" -XqtA -v ON_ERROR_STOP=1 -c "$1"; }
answers() { for _ in $(seq 600); do sql 'SELECT 1' >/dev/null 2>&1 && return 0; sleep 0.1; done; refuse 'it does not answer'; }
control() { LC_ALL=C pg "$BIN/pg_controldata" "$DATA" | sed -n "s/^$1: *//p"; }
counted() { awk -F: '{printf "%.0f\\n", $1*4294967296+$2}' <<<"$1"; }
writes() { sql 'SELECT datname FROM pg_database WHERE datallowconn' | while IFS= read -r database; do sql "$WRITES" "$database" || exit 1; done | awk '{n+=$1} END{printf "%.0f\\n", n}'; }
segments() { pg ls "$1" 2>/dev/null | LC_ALL=C grep -E '^[0-9A-F]{24}$' | LC_ALL=C sort || true; }
workplace() { work=$(pg mktemp -d /var/lib/postgresql/move.XXXXXX); trap 'pg rm -rf -- "$work"' EXIT; }
ship() {
  workplace
  pg sh -c 'printf "%s\\n" "$2" >"$1/provisioning.complete"' sh "$work" "$2"
  { segments "$DATA/pg_wal" | LC_ALL=C awk -v after="$ASKED" -v last="$1" '($0"") > (after"") && ($0"") <= (last"")'
    pg ls "$DATA/pg_wal" | grep -E '^[0-9A-F]{8}\\.history$' || true; } | pg tar -C "$DATA/pg_wal" -cf - -T -
  pg tar -C "$work" -cf - provisioning.complete
}`;

/** Beginning of all scripts of a move. */
const head = ({ data, bin, etc, unit, version }: Places, { operation, note }: MoveContext): string =>
  `${sh`DATA=${data} BIN=${bin} UNIT=${unit} BASE=${`/var/lib/postgresql/${version}`} CONF=${`${etc}/conf.d/zz-provisioning-move.conf`}
OPERATION=${operation} NOTE=${note} WRITES=${WRITES}`}
WAL=$BASE/arriving.wal BEFORE=$BASE/main.before-$OPERATION
${FUNCTIONS}`;

const EXCLUDED = [
  'pg_wal/*',
  'pg_replslot/*',
  'pg_dynshmem/*',
  'pg_notify/*',
  'pg_serial/*',
  'pg_snapshots/*',
  'pg_stat_tmp/*',
  'pg_subtrans/*',
  'postmaster.pid',
  'postmaster.opts',
  'backup_label',
  'standby.signal',
];

/** The scripts of a move between two servers that have the same major version. */
export function moveScripts(at: Places, context: MoveContext) {
  const begin = head(at, context);
  const script = (text: string) => `${begin}\n${text}`;
  const exclude = EXCLUDED.map((one) => `--exclude='./${one}'`).join(' ');
  return {
    check: script(`systemctl is-active -q "$UNIT" || refuse 'it does not run here'
level=$(sql 'SHOW wal_level')
[ "$level" != minimal ] || refuse 'wal_level is minimal: set it to replica first'
spaces=$(pg ls -A "$DATA/pg_tblspc")
[ -z "$spaces" ] || refuse 'it has tablespaces outside of its data, which are not copied'
if pg test -L "$DATA/pg_wal"; then refuse 'its pg_wal is a link'; fi`),

    clean: script('pg rm -rf -- "$BASE/arriving" "$WAL"'),

    hold: script(
      sh`sql ${`SELECT pg_create_physical_replication_slot('${SLOT}', true) WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = '${SLOT}')`} >/dev/null`,
    ),
    release: script(`if systemctl is-active -q "$UNIT"; then
${sh`sql ${`SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '${SLOT}'`} >/dev/null`}
fi`),

    // The session that began the backup has to end it, so that psql itself has the files copied.
    readBase: script(`workplace
pg sh -c 'echo complete >"$1/provisioning.complete"' sh "$work"
cat >"$NOTE.sql" <<SQL
SELECT pg_backup_start('provisioning', true);
\\\\! { tar -C $DATA -cf - ${exclude} . >&3 2>/dev/null || [ \\$? = 1 ]; } && : >$work/copied
\\\\o $work/backup_label
SELECT labelfile FROM pg_backup_stop(false);
SQL
pg "$BIN/psql" -h /var/run/postgresql -p "$(port)" -d postgres -XqtA -v ON_ERROR_STOP=1 3>&1 >/dev/null <"$NOTE.sql"
rm -f -- "$NOTE.sql"
pg test -e "$work/copied" || refuse 'its files cannot be read'
pg tar -C "$work" -cf - ./backup_label ./provisioning.complete`),
    writeBase: script(`pg rm -rf -- "$BASE/arriving" "$WAL"
pg install -d -m 700 "$BASE/arriving" "$WAL"
pg tar -C "$BASE/arriving" -xif -
pg test -e "$BASE/arriving/provisioning.complete" || refuse 'the copy ended early'`),

    asks: script(`segments "$WAL" | tail -n 1`),
    // The query has a line of its own, because a failure in an argument does not end a script.
    readWal: script(`file=$(sql 'SELECT pg_walfile_name(pg_switch_wal())')
ship "$file" complete`),
    readLast: script(`[ "$(control 'Database cluster state')" = 'shut down' ] || refuse 'it was not shut down in order'
file=$(control "Latest checkpoint's REDO WAL file")
location=$(control 'Latest checkpoint location')
next=$(control "Latest checkpoint's NextXID")
last=$(counted "$next")
ship "$file" "$location $last"`),
    writeWal: script(`pg rm -rf -- "$WAL/coming"
pg install -d -m 700 "$WAL/coming"
pg tar -C "$WAL/coming" -xif -
pg test -e "$WAL/coming/provisioning.complete" || refuse 'the copy ended early'
pg sh -c 'cd "$1/coming" && for one in *; do mv -fT -- "$one" "../$one"; done' sh "$WAL"`),

    follow: script(`rm -f -- "$NOTE"
systemctl stop "$UNIT"
if pg test -e "$BASE/arriving/provisioning.complete"; then
  if pg test -e "$DATA"; then pg mv -T -- "$DATA" "$BEFORE"; fi
  pg mv -T -- "$BASE/arriving" "$DATA"
fi
pg sh -c 'cat >"$1"' sh "$CONF" <<CONF
hot_standby = off
restore_command = 'cp "$WAL/%f" "%p"'
wal_retrieve_retry_interval = 200ms
recovery_target_timeline = latest
primary_conninfo = ''
CONF
pg touch "$DATA/standby.signal"
systemctl start "$UNIT"`),
    // Steps before the move are undone after this one, and need the server with its former content.
    unfollow: script(`if pg test -e "$BEFORE"; then
  systemctl stop "$UNIT" || true
  pg rm -f -- "$CONF"
  if pg test -e "$DATA"; then pg mv -T -- "$DATA" "$BASE/main.arrived-$OPERATION"; fi
  pg mv -T -- "$BEFORE" "$DATA"
  [ -e "$NOTE" ] || pg rm -rf -- "$BASE/main.arrived-$OPERATION"
  rm -f -- "$NOTE"
fi
systemctl start "$UNIT"
answers`),
    caughtUp: script(`last=$(segments "$WAL" | tail -n 1)
for _ in $(seq 36000); do
  at=$(ps -u postgres -o args= | sed -n 's/.*startup *waiting for \\([0-9A-F]\\{24\\}\\).*/\\1/p')
  [[ "$at" > "$last" ]] && exit 0
  sleep 0.1
done
refuse 'it does not replay as fast as is written'`),

    stop: script(`if systemctl is-active -q "$UNIT"; then sql CHECKPOINT || true; fi
systemctl disable -q "$UNIT"
systemctl stop "$UNIT"
[ "$(control 'Database cluster state')" = 'shut down' ] || refuse 'it was not shut down in order'`),
    start: script(`systemctl enable -q "$UNIT"
systemctl start "$UNIT"
answers`),

    serve: script(`read -r end transaction < <(pg cat "$WAL/provisioning.complete")
[[ "$end" =~ ^[0-9A-F]+/[0-9A-F]+$ && "$transaction" =~ ^[0-9]+$ ]] || refuse 'the end of the copy is not known'
place() { echo $((16#\${1%/*} * 4294967296 + 16#\${1#*/})); }
if pg test -e "$DATA/standby.signal"; then pg "$BIN/pg_ctl" promote -D "$DATA" -w -t 600 >/dev/null; fi
answers
line=$(sql 'SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)')
begun=$(pg sed -n '$s/^[0-9]*[[:space:]]*\\([0-9A-F/]*\\).*/\\1/p' "$DATA/pg_wal/$line.history")
[ -n "$begun" ] && [ "$(place "$begun")" -gt "$(place "$end")" ] || refuse 'it does not have all that was written on the former server'
(umask 077; printf 'transaction %s\\n' "$transaction" >"$NOTE")
pg rm -f -- "$CONF"
systemctl reload "$UNIT"
pg rm -rf -- "$WAL"`),
    // The number of the next transaction overlooks nothing. The rows show whether a client only asked.
    unserve: script(`before=$(sed -n 's/^transaction //p' "$NOTE" 2>/dev/null || true)
systemctl stop "$UNIT" || true
[ -n "$before" ] || exit 0
next=$(control "Latest checkpoint's NextXID")
now=$(counted "$next")
[ "$now" != "$before" ] || exit 0
systemctl start "$UNIT"
answers
rows=$(writes)
[ "$rows" = 0 ] || refuse "$rows rows were written here since it serves"
systemctl stop "$UNIT"
next=$(control "Latest checkpoint's NextXID")
last=$(counted "$next")
[ "$last" = "$now" ] || { systemctl start "$UNIT"; refuse 'a client writes here'; }`),
    written: script(`before=$(sed -n 's/^transaction //p' "$NOTE" 2>/dev/null || true)
[ -n "$before" ] || exit 0
next=$(sql 'SELECT pg_snapshot_xmax(pg_current_snapshot())')
[ "$next" != "$before" ] || exit 0
sleep 11
rows=$(writes)
[ "$rows" = 0 ] || echo "$rows rows"`),
  };
}

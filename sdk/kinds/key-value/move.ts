import { inputError } from '../../../core/errors.js';
import { allowStart, sh } from '../../../core/host/shell.js';
import type { DataMove, MoveContext } from '../../../core/taskserv/data-move.js';
import { type KeyValueConfig, readPassword } from './conf.js';
import type { Places } from './places.js';

/** The password comes from the configuration on the host, and is in no argument. Files go by the user of the server. */
const defineFunctions = ({ conf, name, cli, data }: Places): string => `${readPassword(conf)}
${sh`cd /
own() { setpriv --reuid ${name} --regid ${name} --clear-groups -- "$@"; }
refuse() { printf 'cannot move %s: %s\n' ${name} "$1" >&2; exit 1; }
ask() {
  local password port tls
  read_password || return 1
  port=$(sed -n 's/^port //p' ${conf}) || return 1
  tls=
  if [ "$port" = 0 ]; then port=$(sed -n 's/^tls-port //p' ${conf}) || return 1; tls='--tls --insecure'; fi
  if [ -n "$password" ]; then REDISCLI_AUTH="$password" ${cli} -e $tls -p "$port" "$@"; else ${cli} -e $tls -p "$port" "$@"; fi
}
answers() { for _ in $(seq 1200); do [ "$(ask ping 2>/dev/null)" != PONG ] || return 0; sleep 0.1; done; refuse 'it does not answer'; }
state() { ask info | tr -d '\r' | sed -n 's/^\(run_id\|rdb_changes_since_last_save\|rdb_last_save_time\):/\1 /p'; }
known() { local now; now=$(state); [ -n "$now" ] || refuse 'it does not tell what it has'; printf '%s\n' "$now"; }
DATA=${data}`}`;

/** The same persisted data in both forms: redis with a log of every write reads no snapshot beside it. */
const place = (conf: string): string => `own rm -rf -- "$DATA/appendonlydir"
own mv -fT -- "$DATA/arriving/dump.rdb" "$DATA/dump.rdb"
if grep -q '^appendonly yes' ${conf}; then
  own install -d -m 750 "$DATA/appendonlydir"
  own cp -- "$DATA/dump.rdb" "$DATA/appendonlydir/appendonly.aof.1.base.rdb"
  own sh -c 'echo "file appendonly.aof.1.base.rdb seq 1 type b" >"$1"' sh "$DATA/appendonlydir/appendonly.aof.manifest"
fi
own rm -rf -- "$DATA/arriving"`;

/**
 * Redis writes its memory into a snapshot, which is copied. It is out of service during that time.
 *
 * @throws inputError `data-cannot-move` to an older version, which does not read the snapshot
 */
export function moveKeyValues(places: Places, { persistence, cluster }: KeyValueConfig, context: MoveContext): DataMove {
  const { from, to, version, former, operation, note } = context;
  const { name, server } = places;
  const refused = (why: string, hint: string) =>
    inputError({ code: 'data-cannot-move', what: 'move the data', on: `${name} from ${from} to ${to}`, why, hint });
  if (Number(former.version) > Number(version))
    throw refused(
      `version ${version} on ${to} cannot read the data of version ${former.version}`,
      'move to a server with that version',
    );
  if (persistence === 'none') throw refused('its persistence is "none"', 'remove moveData');
  if (cluster !== undefined)
    throw refused(`it is a member of the cluster ${cluster}`, 'remove moveData: a new member gets the data');
  const functions = defineFunctions(places);
  const script = (text: string) => `${functions}\n${sh`NOTE=${note} BEFORE=${`${places.data}/before-${operation}`}`}\n${text}`;
  return {
    parts: [
      {
        title: `Check that the data of ${name} on ${from} can be copied`,
        on: 'former',
        run: script(`[ "$(ask ping)" = PONG ] || refuse 'it does not answer'`),
      },
      {
        title: `Stop ${name} on ${from}; its data stays there`,
        interrupts: true,
        on: 'former',
        run: script(`if systemctl is-active -q ${server}; then
  # What no client was told to be done by then is not done: writes wait, and end with the connection.
  ask client pause 600000 write >/dev/null
  [ "$(ask save)" = OK ] || refuse 'it cannot write its snapshot'
  ask config set save '' >/dev/null
fi
systemctl stop ${server}
systemctl disable -q ${server}
own test -e "$DATA/dump.rdb" || refuse 'it left no snapshot'`),
        undo: script(`systemctl enable -q ${server}\nsystemctl start ${server}\nanswers`),
      },
      {
        title: `Copy the data of ${name} from ${from}`,
        asks: ':',
        read: script(`work=$(own mktemp -d "$DATA/move.XXXXXX"); trap 'own rm -rf -- "$work"' EXIT
own sh -c 'echo complete >"$1/complete"' sh "$work"
own tar -C "$DATA" -cf - dump.rdb
own tar -C "$work" -cf - complete`),
        write: script(`own rm -rf -- "$DATA/arriving"
own install -d -m 750 "$DATA/arriving"
own tar -C "$DATA/arriving" -xif -
own test -e "$DATA/arriving/complete" || refuse 'the copy ended early'`),
      },
      {
        title: `Serve ${name} from ${to}`,
        on: 'new',
        run: script(`if own test -e "$DATA/arriving/complete"; then
  ask config set save '' >/dev/null 2>&1 || true
  systemctl stop ${server}
  own install -d -m 750 "$BEFORE"
  for one in dump.rdb appendonlydir; do
    if own test -e "$DATA/$one" && ! own test -e "$BEFORE/$one"; then own mv -- "$DATA/$one" "$BEFORE/"; fi
  done
  ${place(places.conf).replaceAll('\n', '\n  ')}
fi
systemctl start ${server}
answers
(umask 077; known >"$NOTE")`),
        // Writes wait during that time, so none comes between the look and the end. A repetition finds no note, and
        // continues.
        undo: script(`if [ -e "$NOTE" ]; then
  ask client pause 60000 write >/dev/null || refuse 'it does not answer'
  if [ "$(known)" != "$(cat "$NOTE")" ]; then ask client unpause >/dev/null; refuse 'keys were written here since it serves'; fi
  rm -f -- "$NOTE"
fi
systemctl stop ${server} || true
own rm -rf -- "$DATA/arriving"
if own test -d "$BEFORE"; then
  own rm -rf -- "$DATA/dump.rdb" "$DATA/appendonlydir"
  own sh -c 'mv -- "$1"/* "$2"/ 2>/dev/null; rmdir -- "$1"' sh "$BEFORE" "$DATA" || true
fi
${allowStart(server)}
systemctl start ${server}`),
      },
    ],
    written: script(`[ -e "$NOTE" ] || exit 0
now=$(known)
[ "$now" = "$(cat "$NOTE")" ] || echo 'keys were written, or it was restarted'`),
  };
}

import { quote } from '../../../core/host/shell.js';
import { MANAGED_FILE_HEADER } from '../../../core/taskserv/managed-file-header.js';
import type { Places } from './places.js';

/** What sentinel keeps of its own file over a start. All else is from the platform. */
const KEPT = 'myid|current-epoch|config-epoch|leader-epoch|known-replica|known-slave|known-sentinel';

/** Bash that defines `primary_of FILE CLUSTER`, which prints host and port of the primary by sentinel's own file. */
export const DEFINES_PRIMARY_OF = `primary_of() {
  local word verb name host port rest
  [ -e "$1" ] || return 0
  while read -r word verb name host port rest; do
    if [ "$word $verb $name" = "sentinel monitor $2" ] && [[ $host =~ ^[A-Za-z0-9][A-Za-z0-9.:-]*$ && $port =~ ^[0-9]{1,5}$ ]]; then
      echo "$host $port"
    fi
  done <"$1"
}`;

/**
 * Runs before each start of both daemons, as their user. Sentinel decides who is the primary and notes it in its own file:
 * the server gets its role from there, and the platform never writes it. Sentinel's file keeps what sentinel found out, and
 * gets the rest from the platform's. A host that sentinel was told to forget starts neither.
 *
 * @param server name by which others reach this host
 */
export const memberProgram = ({ state, wanted, role }: Places, cluster: string, server: string): string => `#!/bin/bash
${MANAGED_FILE_HEADER}
set -euo pipefail
umask 027
STATE=${quote(state)} CLUSTER=${quote(cluster)} ME=${quote(server)}
${DEFINES_PRIMARY_OF}
primary=$(primary_of "$STATE" "$CLUSTER")
if [ -z "$primary" ]; then
  echo "this host is no member of the cluster $CLUSTER: apply again" >&2
  exit 1
fi
case "$1" in
  server)
    if [ "\${primary% *}" = "$ME" ]; then : >${quote(role)}; else echo "replicaof $primary" >${quote(role)}; fi
    ;;
  sentinel)
    new=$(mktemp "$STATE.XXXXXX")
    trap 'rm -f -- "$new"' EXIT
    chmod 640 "$new"
    {
      while IFS= read -r line; do
        case "$line" in "sentinel monitor $CLUSTER {primary} "*) line="sentinel monitor $CLUSTER $primary \${line##* }" ;; esac
        printf '%s\\n' "$line"
      done <${quote(wanted)}
      grep -E '^sentinel (${KEPT}) ' "$STATE" || true
    } >"$new"
    sync "$new"
    mv -fT -- "$new" "$STATE"
    trap - EXIT
    ;;
esac
`;

/** As the user of the daemons: the units forbid them to run other programs, and root writes to no folder of theirs. */
const runBefore = ({ name, program }: Places, daemon: 'server' | 'sentinel'): string =>
  `ExecStartPre=+/usr/bin/setpriv --reuid=${name} --regid=${name} --clear-groups /bin/bash ${program} ${daemon}`;

/**
 * The drop-in of a member's server. Sentinel also tells it to rewrite its configuration, which is the platform's: it cannot.
 * One that crashed starts after the others have another primary: it may lack the last second of its log.
 */
export const serverDropIn = (places: Places): string => `${MANAGED_FILE_HEADER}
[Service]
${runBefore(places, 'server')}
RestartSec=15
ReadWritePaths=
ReadWritePaths=-${places.data} -${places.log} -/run/${places.name}
`;

/** The drop-in of a member's sentinel, whose file is with the data. */
export const sentinelDropIn = (places: Places): string => `${MANAGED_FILE_HEADER}
[Service]
${runBefore(places, 'sentinel')}
ExecStart=
ExecStart=/usr/bin/${places.sentinel} ${places.state} --supervised systemd --daemonize no
RestartSec=2
`;

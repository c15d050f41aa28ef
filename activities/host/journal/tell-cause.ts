import { quote } from '../../../core/host/shell.js';

/**
 * Labels of the lines about a failed start: from the unit's journal, from its own log, about the process that uses its
 * port.
 */
export const CAUSE_LABELS = { journal: 'journal: ', log: 'log: ', holder: 'holder: ' } as const;

/** Reported lines of each source: the last ones. */
const LINES = 20;

/** Characters of the longest reported line. A longer line is left out: half a secret could not be recognized and masked. */
const LONGEST = 1_900;

/** Folder of the services' own logs. */
const LOGS = '/var/log';

/** Prints size and path of the logs below a folder that are a user's; a path that could be taken for another is left out. */
const listLogs = (folder: string, whose: string) =>
  `find ${quote(folder)} -xdev -mindepth 2 -maxdepth 3 -type f ${whose} -regex '[-A-Za-z0-9_./@:+]*' -printf '%s %p\\n' 2>/dev/null`;

/** Bash before a service is started: what is older than this does not say why it did not start. */
export const scriptBeforeStart = (logs = LOGS): string => `since=$EPOCHREALTIME\nlogs=$(${listLogs(logs, '! -user root')} || true)`;

const shown = (label: string) => `awk 'length($0) <= ${LONGEST} && !seen[$0]++' | tail -n ${LINES} | sed 's/^/${label}/'`;

/** Bash that prints `$said`, and who listens on a port that is named there as taken. */
const SAY = `[ -z "$said" ] || printf '%s\\n' "$said"
ports=$(printf '%s\\n' "$said" | grep -iE 'already in use|bind|postmaster' | grep -oE '(:|port:? )[0-9]{2,5}' | grep -oE '[0-9]+' | sort -u | head -n 20 | paste -sd '|')
[ -z "$ports" ] || ss -Hltnp | grep -E ":($ports) " | head -n 4 | sed 's/^/${CAUSE_LABELS.holder}/'`;

/**
 * Bash after a failed start. It prints each line that the service wrote since `beforeStart` once, and the process that
 * listens on a port that the service reports as used. Then it exits with the code of the start. Each line has a label,
 * so output of a service is never taken for anything else. The service's own logs are read as its user, who may have
 * replaced them with links.
 */
export const scriptCause = (name: string, logs = LOGS): string => `{
code=$?
set +eu
timeout 5 journalctl --sync
user=$(systemctl show -p User --value ${quote(name)})
said=$( {
timeout 10 journalctl -q --no-pager -o cat -n 200 --since "@$since" -u ${quote(name)} | ${shown(CAUSE_LABELS.journal)}
case "$user" in ''|root) ;; *) ${listLogs(logs, '-user "$user"')} | while read -r size path; do
  was=$(printf '%s\\n' "$logs" | awk -v path="$path" '$2 == path { print $1 }')
  [ "$size" -ge "\${was:=0}" ] || was=0
  [ "$size" = "$was" ] || timeout 5 runuser -u "$user" -- tail -c "+$((was + 1))" -- "$path" </dev/null
done | ${shown(CAUSE_LABELS.log)} ;; esac
} 2>/dev/null | tr -d '\\0')
${SAY}
exit $code
}`;

/**
 * Script that prints the same for unhealthy services, from their last run. Services that stopped come first; otherwise
 * those that run and answer badly.
 */
export const scriptCauseOfEnd = (names: readonly string[]): string => `export LC_ALL=C
timeout 5 journalctl --sync 2>/dev/null
told() { for unit in ${names.map(quote).join(' ')}; do
systemctl is-active -q "$unit" && active=1 || active=0
[ "$active" = "$1" ] || continue
run=$(systemctl show -p InvocationID --value "$unit")
[ -n "$run" ] && timeout 10 journalctl -q --no-pager -o cat -n 200 "_SYSTEMD_INVOCATION_ID=$run" 2>/dev/null | ${shown(CAUSE_LABELS.journal)}
done | tr -d '\\0'; }
said=$(told 0)
[ -n "$said" ] || said=$(told 1)
${SAY}
`;

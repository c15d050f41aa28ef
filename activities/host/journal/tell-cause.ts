import { quote } from '../../../core/host/shell.js';
import type { ServiceAction } from '../../../core/host/step.js';

/** What the lines begin with that say why a service did not start: its journal, its own log, who holds its port. */
export const CAUSE_LABELS = { journal: 'journal: ', log: 'log: ', holder: 'holder: ' } as const;

/** Lines that are told of each place, the last ones. */
const LINES = 20;

/** Characters of the longest line that is told. A longer one is left out whole: of half a secret nobody knows that it is one. */
const LONGEST = 1_900;

/** Bash before a service is started: what is older than this does not say why it did not start. */
export const beforeStart = ({ logs = [] }: Pick<ServiceAction, 'logs'>): string =>
  ['since=$EPOCHREALTIME', ...logs.map((path, index) => `size_${index}=$(stat -c %s ${quote(path)} 2>/dev/null || echo 0)`)].join(
    '\n',
  );

const shown = (label: string) => `awk 'length($0) <= ${LONGEST} && !seen[$0]++' | tail -n ${LINES} | sed 's/^/${label}/'`;

/** Bash that prints `$said`, and who listens on a port that is named there as taken. */
const SAY = `[ -z "$said" ] || printf '%s\\n' "$said"
ports=$(printf '%s\\n' "$said" | grep -iE 'already in use|bind|postmaster' | grep -oE '(:|port:? )[0-9]{2,5}' | grep -oE '[0-9]+' | sort -u | head -n 20 | paste -sd '|')
[ -z "$ports" ] || ss -Hltnp | grep -E ":($ports) " | head -n 4 | sed 's/^/${CAUSE_LABELS.holder}/'`;

/**
 * Bash behind a start that failed: prints what the service wrote since `beforeStart`, each line once, and who
 * listens on a port that it names as taken; then exits with the code of the start. Each line has a label, so
 * that what a service writes is never taken for anything else. Its log is read as its own user, who may have
 * put a link in its place.
 */
export function tellCause({ name, logs = [] }: Pick<ServiceAction, 'name' | 'logs'>): string {
  const unit = quote(name);
  const log = (path: string, index: number) =>
    `[ -z "$user" ] || timeout 5 runuser -u "$user" -- tail -c "+$((size_${index} + 1))" -- ${quote(path)} | ${shown(CAUSE_LABELS.log)}`;
  return `{
code=$?
set +eu
timeout 5 journalctl --sync
${logs.length > 0 ? `user=$(systemctl show -p User --value ${unit})` : ':'}
said=$( {
timeout 10 journalctl -q --no-pager -o cat -n 200 --since "@$since" -u ${unit} | ${shown(CAUSE_LABELS.journal)}
${logs.map(log).join('\n') || ':'}
} 2>/dev/null | tr -d '\\0')
${SAY}
exit $code
}`;
}

/** A script that prints the same of services that started and do not run any more, out of what each wrote when it ran last. */
export const tellCauseOfEnd = (names: readonly string[]): string => `export LC_ALL=C
timeout 5 journalctl --sync 2>/dev/null
said=$(for unit in ${names.map(quote).join(' ')}; do
systemctl is-active -q "$unit" && continue
run=$(systemctl show -p InvocationID --value "$unit")
[ -n "$run" ] && timeout 10 journalctl -q --no-pager -o cat -n 200 "_SYSTEMD_INVOCATION_ID=$run" 2>/dev/null | ${shown(CAUSE_LABELS.journal)}
done | tr -d '\\0')
${SAY}
`;

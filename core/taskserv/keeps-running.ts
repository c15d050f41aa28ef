import { sh } from '../host/shell.js';
import type { HealthCheck } from './taskserv.js';

/** Seconds that a unit has to run before it counts as running, if nothing else shows that its program works. */
const SETTLED = 5;
/** Seconds that a unit has to run after systemd has started it again by itself. */
const RECOVERED = 10;

/**
 * Whether a program of a user's keeps running. One that fails at its start, and that systemd starts again and again, is
 * active at many a moment: what counts is how long it has been.
 *
 * @param shown another check shows that the program works, such as an answer on its port: then it need not run for a while
 *   first, unless systemd has started it again
 */
export const keepsRunning = (title: string, unit: string, { shown }: { shown: boolean }): HealthCheck => ({
  title,
  expect: 'active',
  command: `unit=${sh`${unit}`}
state=$(systemctl is-active "$unit") || { echo "$state"; exit 1; }
restarts=$(systemctl show -p NRestarts --value "$unit")
since=$(systemctl show --timestamp=unix -p ActiveEnterTimestamp --value "$unit")
up=$(($(date +%s) - \${since#@}))
least=${shown ? 0 : SETTLED}
[ "$restarts" = 0 ] || least=${RECOVERED}
# A clock that was set back says nothing.
if [ "$up" -ge 0 ] && [ "$up" -lt "$least" ]; then
  [ "$restarts" = 0 ] && echo "it has run for $up s" || echo "it has run for $up s, and systemd has started it again $restarts times"
  exit 1
fi
echo "$state"`,
});

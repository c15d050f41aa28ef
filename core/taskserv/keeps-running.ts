import { sh } from '../host/shell.js';
import type { HealthCheck } from './taskserv.js';

/** Seconds that a unit has to run before it counts as running, if nothing else shows that its program works. */
const SETTLED = 5;
/** Seconds that a unit must run after systemd restarted it. */
const RECOVERED = 10;

/**
 * Checks that a user's program keeps running. A program that fails at its start and is restarted again and again is
 * often active, so its running time counts.
 *
 * @param shown another check shows that the program works, such as an answer on its port: then no time is needed
 * unless systemd has restarted it
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

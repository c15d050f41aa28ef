import type { Reachable } from '../../core/definition/reachable.js';
import { ANYWHERE } from '../../core/machine/firewall.js';
import type { Paint } from '../program/screen.js';
import { renderTable } from './inventory.js';

/** Maximum number of servers that a row lists by name; above it only their number is shown. */
const NAMED = 4;

/** Renders the services that are reachable from outside, with notes. */
export function reachableTable({ public: rows, notes }: Reachable, paint: Paint): string {
  const lines = rows.map(({ servers, what, protocol, ports, from }) => [
    what,
    `${protocol} ${ports}`,
    fromText(from),
    servers.length > NAMED ? `${servers[0]} and ${servers.length - 1} others` : servers.join(', '),
  ]);
  const table = renderTable(['PUBLIC', 'PORT', 'FROM', 'SERVERS'], lines, 'no public endpoints', paint);
  return table + notes.map(({ on, text }) => `${paint('yellow', 'note:')} ${on}: ${text}\n`).join('');
}

const fromText = (from: readonly string[]): string =>
  ANYWHERE.every((range) => from.includes(range)) ? 'anywhere' : from.join(', ');

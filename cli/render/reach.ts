import { endpointText, type Reach } from '../../core/infra/reach.js';
import type { Paint } from '../program/screen.js';

/** Maximum number of servers that a row lists by name; above it only their number is shown. */
const NAMED = 4;

/**
 * Renders how to reach the deployed services. Identical entries of several servers are merged.
 *
 * @param most maximum number of lines; the rest is counted, with the command that shows all
 */
export function reachText(reach: readonly Reach[], infra: string, paint: Paint, most = Number.POSITIVE_INFINITY): string {
  const alike = new Map<string, Reach[]>();
  for (const one of reach) {
    const key = JSON.stringify([one.taskserv, one.endpoint, one.port, one.address === undefined, one.from]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  const entries = [...alike.values()].map((group) => linesOf(group, paint));
  if (entries.length === 0) return '';
  const lines: string[] = [];
  let left = entries.length;
  for (const entry of entries) {
    if (lines.length + entry.length > most) break;
    lines.push(...entry);
    left--;
  }
  if (left > 0) lines.push(`and ${left} more: provisioning inventory ${infra}`);
  return `reach it:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function linesOf(group: readonly Reach[], paint: Paint): string[] {
  const [first] = group;
  if (!first) return [];
  const { address, url, from, tunnel, protocol } = first;
  const names = group.map(({ server }) => server);
  const on = names.length > NAMED ? `${names[0]} and ${names.length - 1} others` : names.join(', ');
  const direct = group
    .slice(0, NAMED)
    .map((one) => one.url ?? `${one.address}${protocol === 'udp' ? ' (udp)' : ''}`)
    .join(', ');
  const way =
    address === undefined ? `${tunnel}${url ? `, then ${url}` : ''}` : `${direct}${from ? ` from ${from.join(', ')}` : ''}`;
  return [`${paint('bold', endpointText(first))} on ${on}: ${way}`, ...secretLines(group)];
}

/** Lists each secret once, even if several servers have it. */
function secretLines(group: readonly Reach[]): string[] {
  const [first, ...others] = new Set(group.flatMap(({ secrets = [] }) => secrets));
  if (first === undefined) return [];
  const more = others.length > 0 ? `, and ${others.length} more: provisioning secret list` : '';
  return [`  password: provisioning secret get ${first} --reveal${more}`];
}

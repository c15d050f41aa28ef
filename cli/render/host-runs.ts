import { clipText, escapeHidden } from '../../core/text.js';
import { type Paint, paintFor, type Screen } from '../program/screen.js';
import type { HostRun } from '../ssh/run-on-all.js';
import type { KeptOutput } from '../ssh/run-there.js';

/**
 * Renders the outputs of hosts. Hosts with the same output and exit code are grouped. The outputs are data: they
 * cannot color text or move the cursor.
 */
export function renderHostRuns(runs: readonly HostRun[], screen: Screen): void {
  const paint = paintFor(screen);
  const alike = new Map<string, HostRun[]>();
  for (const run of runs) {
    const { server: _, ...rest } = run;
    const key = JSON.stringify(rest);
    alike.set(key, [...(alike.get(key) ?? []), run]);
  }
  for (const group of alike.values()) {
    const [first] = group;
    if (!first) continue;
    screen.write(`${header(group, first, paint)}\n`);
    renderKept(first.stdout, screen, paint);
    renderKept(first.stderr, screen, paint, 'yellow');
  }
  if (runs.length > 1) screen.write(`${summaryOf(runs)}\n`);
}

function header(group: readonly HostRun[], { exit, reached, why }: HostRun, paint: Paint): string {
  const names = `── ${group.map(({ server }) => server).join(', ')}`;
  if (exit === 0) return paint('bold', names);
  const said =
    exit !== null ? `exit code ${exit}${why ? `: ${why}` : ''}` : `${reached ? '' : 'not reached: '}${clipText(why ?? '', 300)}`;
  return `${paint('bold', names)}  ${paint('red', said)}`;
}

function renderKept({ text, cut }: KeptOutput, screen: Screen, paint: Paint, colour?: 'yellow'): void {
  if (text !== '') {
    const lines = escapeHidden(text).replace(/\n$/, '').split('\n');
    screen.write(`${lines.map((line) => (colour ? paint(colour, line) : line)).join('\n')}\n`);
  }
  if (cut > 0) screen.write(`${paint('dim', `… cut here: ${cut} bytes more`)}\n`);
}

/** Renders `3 servers: 1 done, 1 failed (web-2), 1 not reached (db)`. */
function summaryOf(runs: readonly HostRun[]): string {
  const failed = runs.filter(isFailed);
  const silent = runs.filter(({ reached }) => !reached);
  const part = (some: readonly HostRun[], what: string) =>
    some.length > 0 ? [`${some.length} ${what} (${named(some.map(({ server }) => server))})`] : [];
  const done = runs.length - failed.length - silent.length;
  return `${runs.length} servers: ${[`${done} done`, ...part(failed, 'failed'), ...part(silent, 'not reached')].join(', ')}`;
}

/** Returns whether the host was reached and the command failed. */
export const isFailed = ({ reached, exit }: HostRun): boolean => reached && exit !== 0;

const MOST_NAMED = 8;
const named = (names: readonly string[]): string =>
  names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} others` : names.join(', ');

/** Returns a run for `--json`. */
export const hostRunDocument = ({ server, exit, stdout, stderr, reached, why }: HostRun) => ({
  server,
  exit,
  stdout: stdout.text,
  stderr: stderr.text,
  reached,
  ...(why === undefined ? {} : { why }),
  ...(stdout.cut + stderr.cut > 0 ? { cut: { stdout: stdout.cut, stderr: stderr.cut } } : {}),
});

import type { LiveService } from '../../app/infra/live-services.js';
import type { LiveStatus } from '../../authoring/request/live-status.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { DriftReport } from '../../core/operation/drift.js';
import type { HostStatus } from '../../core/operation/host-status.js';
import { type Colour, cut, type Paint } from '../program/screen.js';
import { addressOf, renderTable, type ServerRow, type ServiceRow } from './inventory.js';
import { groupLines } from './live/groups.js';

/** Width of a reason in a table, in columns; `--json` has all of it. */
export const REASON_COLUMNS = 100;

/** Returns recorded services as rows of the live table. */
export const listRecordedServices = (rows: readonly ServiceRow[]): LiveService[] =>
  rows.map(({ healthy, stopped, ...row }) => ({
    ...row,
    state: stopped ? 'stopped' : healthy === undefined ? 'unknown' : healthy ? 'healthy' : 'unhealthy',
  }));

const COLOURS: Record<LiveService['state'], Colour> = {
  healthy: 'green',
  differs: 'yellow',
  unhealthy: 'red',
  missing: 'red',
  unknown: 'yellow',
  stopped: 'yellow',
};

export function liveServiceTable(rows: readonly LiveService[], paint: Paint): string {
  const head = ['INFRA', 'SERVER', 'TASKSERV', 'VERSION', 'INSTALLED', 'STATE', ''];
  const lines = rows.map((row) => [
    ...[row.infra, row.server, row.taskserv, row.version ?? '', row.installed ?? ''],
    paint(COLOURS[row.state], row.state),
    cut(reasonOf(row), REASON_COLUMNS),
  ]);
  return renderTable(head, lines, 'no taskservs', paint);
}

/** Returns the difference of a service from its recorded state, in one line. */
export function reasonOf({ state, why, steps = [] }: Pick<LiveService, 'state' | 'why' | 'steps'>): string {
  if (state !== 'differs') return (why ?? '').replaceAll('\n', ' ');
  const count = `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`;
  return `apply has ${count} to do: ${steps.join('; ')}`;
}

/** Current state of a machine: `unknown` if neither its host nor its provider answered. */
export interface LiveServer extends ServerRow {
  state: 'running' | 'stopped' | 'off' | 'gone' | 'unknown';
  why?: string;
}

export const liveServers = (all: readonly LiveStatus[]): LiveServer[] =>
  all.flatMap(({ inventory, report }) =>
    (report.hosts ?? []).flatMap((host) => {
      const server = inventory.servers[host.server];
      return server ? [{ infra: inventory.infra, server, ...machineOf(server, host, report) }] : [];
    }),
  );

function machineOf(server: InventoryServer, host: HostStatus, report: DriftReport): Pick<LiveServer, 'state' | 'why'> {
  const is = (one: { kind: string; name: string }) => one.kind === 'server' && one.name === server.name;
  const differs = report.differs.find(is);
  const why = differs?.changes.join(', ');
  if (report.gone.some(is)) return { state: 'gone', why: `${server.provider} no longer has it` };
  if (host.stopped) return { state: 'stopped', ...(why && { why }) };
  if (differs?.apply === 'start') return { state: 'off', why: 'the server is not running' };
  if (host.why !== undefined) return { state: 'unknown', why: host.why };
  return { state: 'running', ...(why && { why }) };
}

const SERVER_COLOURS: Record<LiveServer['state'], Colour> = {
  running: 'green',
  stopped: 'yellow',
  off: 'red',
  gone: 'red',
  unknown: 'yellow',
};

export function liveServerTable(rows: readonly LiveServer[], paint: Paint): string {
  const head = ['INFRA', 'SERVER', 'STATE', 'ROLE', 'PROVIDER', 'PLAN', 'IMAGE', 'ADDRESS', ''];
  const lines = rows.map(({ infra, server: { name, provider, spec, connection }, state, why = '' }) => [
    infra,
    name,
    paint(SERVER_COLOURS[state], state),
    ...[spec.role, provider, spec.plan.name, spec.image, addressOf(connection)],
    cut(why.replaceAll('\n', ' '), REASON_COLUMNS),
  ]);
  return renderTable(head, lines, 'no servers', paint);
}

/** Renders groups of services, providers that did not answer, and host keys that were pinned on first use, one line each. */
export function remarks(all: readonly LiveStatus[], paint: Paint): string {
  const groups = groupLines(all, paint);
  const said = all
    .flatMap(({ report: { unasked, hosts = [] } }) => [
      ...unasked.map(({ provider, why }) => `${paint('yellow', 'not asked:')} ${provider}: ${why}\n`),
      ...hosts.flatMap(({ server, hostKey }) =>
        hostKey ? [`${server}: its host key was pinned as it was shown: ${hostKey}\n`] : [],
      ),
    ])
    .join('');
  return `${groups}${said}`;
}

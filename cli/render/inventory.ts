import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import type { Connection } from '../../core/machine/provider.js';
import { columns, type Paint } from '../program/screen.js';

/** Renders a table with a head, or a sentence if it has no rows. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[], none: string, paint: Paint): string {
  if (rows.length === 0) return `${none}\n`;
  return `${columns([head.map((title) => paint('dim', title)), ...rows]).join('\n')}\n`;
}

export const addressOf = (connection: Connection): string =>
  connection.kind === 'ssh'
    ? `${connection.user}@${connection.address}:${connection.port}`
    : connection.kind === 'this'
      ? 'this machine'
      : `demo ${connection.account}`;

export interface ServerRow {
  infra: string;
  server: InventoryServer;
}

export const serversOf = (inventories: readonly Inventory[]): ServerRow[] =>
  inventories.flatMap(({ infra, servers }) => byName(servers).map((server) => ({ infra, server })));

export interface ServiceRow {
  infra: string;
  server: string;
  taskserv: string;
  version: string;
  installed?: string;
  healthy?: boolean;
  since: string;
  /** Whether its server is switched off. */
  stopped?: true;
}

export const servicesOf = (inventories: readonly Inventory[]): ServiceRow[] =>
  serversOf(inventories).flatMap(({ infra, server }) =>
    Object.values(server.services)
      .sort((a, b) => a.taskserv.localeCompare(b.taskserv))
      .map(({ taskserv, version, installed, healthy, since }) => ({
        infra,
        server: server.name,
        taskserv,
        version,
        installed,
        healthy,
        since,
        ...(server.stopped ? { stopped: true as const } : {}),
      })),
  );

const byName = (servers: Inventory['servers']): InventoryServer[] =>
  Object.values(servers).sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));

export function serverTable(rows: readonly ServerRow[], paint: Paint): string {
  const head = ['INFRA', 'SERVER', 'STATE', 'ROLE', 'PROVIDER', 'PLAN', 'IMAGE', 'ADDRESS', 'TASKSERVS'];
  const lines = rows.map(({ infra, server: { name, provider, spec, connection, services, stopped } }) => [
    infra,
    name,
    stopped ? paint('yellow', 'stopped') : '',
    spec.role,
    provider,
    spec.plan.name,
    spec.image,
    addressOf(connection),
    Object.keys(services).sort().join(', '),
  ]);
  return renderTable(head, lines, 'no servers', paint);
}

/** Renders services as recorded. Only a live query shows their current state. */
export function serviceTable(rows: readonly ServiceRow[], paint: Paint): string {
  const head = ['INFRA', 'SERVER', 'TASKSERV', 'VERSION', 'INSTALLED', 'SINCE'];
  const lines = rows.map(({ infra, server, taskserv, version, installed, since }) => [
    infra,
    server,
    taskserv,
    version,
    installed ?? '',
    since,
  ]);
  return renderTable(head, lines, 'no taskservs', paint);
}

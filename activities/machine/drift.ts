import { cancellationSignal } from '@temporalio/activity';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import type { FoundServer, ProviderConnection } from '../../core/machine/provider.js';
import type { DriftReport, Remedy } from '../../core/operation/drift.js';
import { explainOrphan } from '../../core/operation/orphans.js';
import type { Dependencies } from '../dependencies.js';
import { callContexts } from './call-context.js';
import type { ConnectionOf } from './provider-connections.js';
import { volumesGrown } from './volumes-grown.js';

interface CompareInput {
  inventory: Inventory;
  provider: string;
  /** Names of the definition's servers, if there is a definition. */
  wanted?: string[];
}

type Compared = Pick<DriftReport, 'asRecorded' | 'differs' | 'gone' | 'unknown'>;

/** Compares inventories with clouds. */
export function createDriftActivities({ taskQueue: setup, connectionOf }: Dependencies & { connectionOf: ConnectionOf }) {
  const context = callContexts(setup);

  return {
    /** Compares what an inventory says of one account with what is there; changes nothing. */
    async compareWithCloud({ inventory, provider, wanted }: CompareInput): Promise<Compared> {
      const { workspace, infra, uuid } = inventory;
      const scope = { workspace, infra, uuid };
      const connection = await connectionOf(provider);
      const report: Compared = { asRecorded: 0, differs: [], gone: [], unknown: [] };
      const isWanted = (name: string) => wanted?.includes(name) ?? true;
      const recorded = Object.values(inventory.servers).filter((one) => one.provider === provider && !one.spec.host);
      const there = new Map((await connection.servers.list(context(scope))).map((server) => [server.name, server]));
      const lost: InventoryServer[] = [];
      for (const server of recorded) {
        const found = there.get(server.name);
        if (!found) {
          lost.push(server);
          continue;
        }
        const { changes, apply } = differenceOf(connection, server, found);
        // The address of a stopped server is unknown.
        const moved = !meantToBeOff(server, found) && JSON.stringify(found.connection) !== JSON.stringify(server.connection);
        const runs = server.stopped && found.status !== 'stopped';
        if (changes.length === 0 && !moved) report.asRecorded++;
        else
          report.differs.push({
            ...{ kind: 'server', name: server.name, provider, changes, apply: isWanted(server.name) ? apply : 'delete' },
            ...(moved || runs ? { connection: found.connection } : {}),
            ...(runs ? { runs: true } : {}),
          });
      }
      const unlabelled = lost.length > 0 ? ((await connection.strangers?.(cancellationSignal())) ?? []) : [];
      for (const { name, id } of lost) {
        const still = unlabelled.some((one) => one.id === id && !one.scope);
        report.gone.push({
          ...{ kind: 'server', name, provider, apply: isWanted(name) ? 'create' : 'forget' },
          ...(still ? { id } : {}),
        });
      }
      const networks = new Set((await connection.networks.list(context(scope))).map(({ name }) => name));
      const existing = new Set(recorded.flatMap(({ spec }) => (spec.existingNetwork ? [spec.network] : [])));
      for (const { name } of Object.values(inventory.networks).filter(
        (one) => one.provider === provider && !existing.has(one.name),
      )) {
        if (networks.has(name)) report.asRecorded++;
        else report.gone.push({ kind: 'network', name, provider, apply: 'create' });
      }
      const owned = await connection.owned({ workspace, setup, signal: cancellationSignal() });
      for (const one of owned.filter((row) => row.scope.infra === infra)) {
        const reason = explainOrphan(one, { inventory, claimed: [] });
        const adopted = one.kind === 'server' && one.scope.uuid === uuid && wanted?.includes(one.name);
        if (reason) report.unknown.push({ ...one, provider, reason, apply: adopted ? 'adopt' : 'leave' });
      }
      return report;
    },
  };
}

const meantToBeOff = ({ stopped }: InventoryServer, { status }: FoundServer): boolean =>
  stopped !== undefined && status === 'stopped';

/** Difference of a server, and its remedy. A grown volume cannot shrink. */
function differenceOf(
  connection: ProviderConnection,
  server: InventoryServer,
  found: FoundServer,
): { changes: string[]; apply: Remedy } {
  const { spec, stopped } = server;
  const off = meantToBeOff(server, found);
  const grown = volumesGrown(connection, spec.volumes, found);
  const diff = connection.servers.diff(spec, off ? { ...found, status: 'running' } : found);
  const changes = diff.action === 'noop' ? [] : diff.changes;
  if (grown.length > 0) {
    const more = grown.map(({ name }) => `write size: ${found.volumeSizes?.[name]} GiB for volume "${name}"`);
    return { changes: [...changes, ...more], apply: 'refuse' };
  }
  if (diff.action === 'replace') return { changes, apply: 'replace' };
  if (stopped && !off)
    return { changes: [...changes, `it runs, and ${stopped} stopped it`], apply: changes.length > 0 ? 'update' : 'record' };
  if (!off && found.status === 'stopped' && changes.length < 2) return { changes: ['it does not run'], apply: 'start' };
  return { changes, apply: diff.action === 'noop' ? 'record' : 'update' };
}

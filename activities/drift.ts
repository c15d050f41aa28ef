import { cancellationSignal } from '@temporalio/activity';
import { accountIn } from '../core/account.js';
import type { Drift, DriftReport, ImportReport, ImportRequest } from '../core/drift.js';
import { inputError } from '../core/errors.js';
import type { Inventory, InventoryServer } from '../core/inventory.js';
import { whyOrphan } from '../core/orphans.js';
import type { CallContext, ProviderConnection, Scope, ServerFound, Stranger } from '../core/provider.js';
import type { Dependencies } from './dependencies.js';
import type { ConnectionOf } from './provider-connections.js';

type Compared = Pick<DriftReport, 'asRecorded' | 'differs' | 'gone' | 'unknown'>;

/** Compares inventories with clouds, and takes in what was made elsewhere. */
export function createDriftActivities({
  providers,
  taskQueue: setup,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  const context = (scope: Scope): CallContext => ({ scope, setup, signal: cancellationSignal() });

  async function findStranger({ provider, server, infra, name }: ImportRequest): Promise<Stranger> {
    const refuse = (code: string, why: string, hint?: string) =>
      inputError({ code, what: 'import the server', on: server, why, ...(hint ? { hint } : {}) });
    const { strangers, adopt } = await connectionOf(provider);
    if (!strangers || !adopt)
      throw refuse('cannot-import', `the provider "${provider}" takes in no servers that were made elsewhere`);
    const all = await strangers(cancellationSignal());
    const byId = all.filter(({ id }) => id === server);
    const found = byId.length > 0 ? byId : all.filter((one) => one.name === server);
    const [only] = found;
    if (!only) throw refuse('unknown-server', `the account "${provider}" has no server of this id or name`);
    if (found.length > 1)
      throw refuse('which-server', `${found.length} servers have this name: ${found.map(({ id }) => id).join(', ')}`, 'say its id');
    if (only.scope && !(only.scope.infra === infra && only.name === name))
      throw refuse('owned-by-another', `the infra "${only.scope.infra}" of workspace "${only.scope.workspace}" has it`);
    return only;
  }

  return {
    /** Compares what an inventory says of one account with what is there; changes nothing. */
    async compareWithCloud({ inventory, provider }: { inventory: Inventory; provider: string }): Promise<Compared> {
      const { workspace, infra, uuid } = inventory;
      const scope = { workspace, infra, uuid };
      const connection = await connectionOf(provider);
      const report: Compared = { asRecorded: 0, differs: [], gone: [], unknown: [] };
      const recorded = Object.values(inventory.servers).filter((one) => one.provider === provider && !one.spec.host);
      const there = new Map((await connection.servers.list(context(scope))).map((server) => [server.name, server]));
      for (const server of recorded) {
        const drift: Drift = { kind: 'server', name: server.name, provider };
        const found = there.get(server.name);
        const changes = found ? changesOf(connection, server, found) : [];
        // Where one that is off would be reached, nobody can say.
        const moved =
          found && !meantToBeOff(server, found) && JSON.stringify(found.connection) !== JSON.stringify(server.connection);
        if (!found) report.gone.push(drift);
        else if (changes.length === 0 && !moved) report.asRecorded++;
        else {
          const runs = server.stopped && found.status !== 'stopped';
          report.differs.push({
            ...drift,
            changes,
            ...(moved || runs ? { connection: found.connection } : {}),
            ...(runs ? { runs: true } : {}),
          });
        }
      }
      const networks = new Set((await connection.networks.list(context(scope))).map(({ name }) => name));
      const existing = new Set(recorded.flatMap(({ spec }) => (spec.existingNetwork ? [spec.network] : [])));
      for (const { name } of Object.values(inventory.networks).filter(
        (one) => one.provider === provider && !existing.has(one.name),
      )) {
        if (networks.has(name)) report.asRecorded++;
        else report.gone.push({ kind: 'network', name, provider });
      }
      const owned = await connection.owned({ workspace, setup, signal: cancellationSignal() });
      for (const one of owned.filter((row) => row.scope.infra === infra)) {
        const reason = whyOrphan(one, { inventory, claimed: [] });
        if (reason) report.unknown.push({ ...one, provider, reason });
      }
      return report;
    },

    /** Finds a server that was made elsewhere. Refused: `unknown-server`, `which-server`, `owned-by-another`, `cannot-import`. */
    async findImport(request: ImportRequest): Promise<ImportReport> {
      return reportOf(request, await findStranger(request));
    },

    /** Puts our labels on a server; answers it as the inventory has it. */
    async adoptServer({
      request,
      scope,
      network,
      key,
    }: {
      request: ImportRequest;
      scope: Scope;
      network: string;
      key: string;
    }): Promise<InventoryServer> {
      const { provider, name } = request;
      const { id } = await findStranger(request);
      const { adopt } = await connectionOf(provider);
      if (!adopt) throw inputError({ code: 'cannot-import', what: 'import the server', on: name, why: 'the provider cannot' });
      const found = await adopt(id, name, { ...context(scope), key });
      const known = providers[accountIn(provider).provider];
      const plan = [...(known?.plans ?? []), ...Object.values(known?.sizes ?? {})].find((one) => one.name === found.plan);
      return {
        name,
        provider,
        id: found.id,
        connection: found.connection,
        services: {},
        since: key.split('/')[0] ?? key,
        spec: {
          name,
          group: name,
          role: name,
          provider,
          plan: plan ?? known?.planNamed?.(found.plan) ?? { name: found.plan, cores: 0, memoryMiB: 0, diskGiB: 0 },
          image: found.image,
          zone: found.zone,
          labels: found.labels,
          volumes: [],
          network: found.network ?? network,
          protect: false,
        },
      };
    },
  };
}

const meantToBeOff = ({ stopped }: InventoryServer, { status }: ServerFound): boolean =>
  stopped !== undefined && status === 'stopped';

function changesOf(connection: ProviderConnection, server: InventoryServer, found: ServerFound): string[] {
  const off = meantToBeOff(server, found);
  const diff = connection.servers.diff(server.spec, off ? { ...found, status: 'running' } : found);
  const changes = diff.action === 'noop' ? [] : diff.changes;
  if (off) return changes;
  if (server.stopped) return [...changes, `it runs, and ${server.stopped} stopped it`];
  return found.status === 'stopped' && changes.length === 0 ? ['it does not run'] : changes;
}

const reportOf = ({ infra, name, provider }: ImportRequest, { id, plan, image, zone, address }: Stranger): ImportReport => ({
  ...{ infra, name, provider, id, plan, image },
  ...(zone ? { zone } : {}),
  ...(address ? { address } : {}),
});

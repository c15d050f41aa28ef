import { cancellationSignal } from '@temporalio/activity';
import { messageOf, ProvisioningError } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { allAccounts } from '../../core/machine/account.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { FoundServer, ProviderConnection } from '../../core/machine/provider.js';
import type { LabelledThing, LabelledThings } from '../../core/recovery/recovery-report.js';
import type { LabelsRequest } from '../../core/schema/labels.js';
import type { Dependencies } from '../dependencies.js';
import { createInventoryServer } from '../machine/found-server.js';
import type { ConnectionOf } from '../machine/provider-connections.js';

/** Finds resources with the platform's labels. */
export function createLabelsActivities({
  providers,
  taskQueue: setup,
  secrets,
  env = process.env,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  /** Servers of each life of the infra in the labels of this account's resources. */
  async function serversOf(provider: string, connection: ProviderConnection, things: readonly LabelledThing[]) {
    const lives = new Map(things.map(({ scope }) => [scope.uuid, scope]));
    const found: LabelledThings['servers'] = [];
    for (const scope of lives.values())
      for (const server of await connection.servers.list({ scope, setup, signal: cancellationSignal() })) {
        const thing = things.find((one) => one.kind === 'server' && one.name === server.name && one.scope.uuid === scope.uuid);
        if (thing) found.push({ uuid: scope.uuid, server: withVolumes(server, scope, provider, thing) });
      }
    return found;
  }

  function withVolumes(found: FoundServer, { infra }: Scope, provider: string, { key }: LabelledThing): InventoryServer {
    const since = key?.split('/')[0] ?? '';
    const server = createInventoryServer(found, { name: found.name, provider, network: infra, since }, providers);
    // They belong to it: without these they would be taken for untracked. The next apply says how large, and where.
    const volumes = found.volumes.map((name) => ({
      name,
      sizeGiB: found.volumeSizes?.[name] ?? 1,
      mount: found.mounts?.[name] ?? `/mnt/${name}`,
    }));
    return { ...server, ...(found.devices && { devices: found.devices }), spec: { ...server.spec, volumes } };
  }

  return {
    /** Finds resources with the labels of an infra, in all accounts that answer. */
    async findLabels({ workspace, infra }: LabelsRequest): Promise<LabelledThings> {
      const labelled: LabelledThings = { things: [], servers: [], unasked: [] };
      for (const provider of await allAccounts(providers, env, secrets)) {
        try {
          const connection = await connectionOf(provider);
          const rows = await connection.owned({ workspace, setup, signal: cancellationSignal() });
          const things = rows.filter(({ scope }) => scope.infra === infra).map((row) => ({ ...row, provider }));
          const servers = await serversOf(provider, connection, things);
          labelled.things.push(...things);
          labelled.servers.push(...servers);
        } catch (error) {
          cancellationSignal().throwIfAborted();
          labelled.unasked.push({ provider, why: error instanceof ProvisioningError ? error.details.why : messageOf(error) });
        }
      }
      return labelled;
    },
  };
}

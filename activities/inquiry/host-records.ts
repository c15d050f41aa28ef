import { messageOf, ProvisioningError } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { HostRecord } from '../../core/recovery/host-record.js';
import type { KeyOwner } from '../../stores/keys.js';
import type { Dependencies } from '../dependencies.js';
import type { HostOf } from '../host/host.js';
import { createHosts } from '../host/hosts.js';
import { openConnections } from '../host/ssh/connections.js';
import { readKnownKeys } from '../host/ssh/known-keys.js';
import type { ConnectionOf } from '../machine/provider-connections.js';

/** Hosts that are asked at a time. */
const AT_ONCE = 10;

interface RecordsRequest extends KeyOwner {
  servers: Pick<InventoryServer, 'name' | 'provider' | 'id' | 'connection' | 'spec'>[];
}

/** Asks hosts what they say of themselves. */
export function createHostRecordActivities(dependencies: Dependencies & { connectionOf: ConnectionOf }) {
  const { keys } = dependencies;

  async function recordOf(
    hostOf: HostOf,
    { workspace, infra }: KeyOwner,
    { name, provider, id, connection }: RecordsRequest['servers'][number],
  ): Promise<HostRecord | undefined> {
    const asked = { server: name, provider, id };
    try {
      // The host itself must name the life of the infra.
      const record = await hostOf({ scope: { workspace, infra, uuid: '' }, server: name, provider, connection }).access.record();
      return record && { ...asked, ...record };
    } catch (error) {
      return { ...asked, services: [], why: error instanceof ProvisioningError ? error.details.why : messageOf(error) };
    }
  }

  return {
    /**
     * Reads the marks and journals of hosts; changes nothing, neither there nor among the keys. A host that is not known
     * by its key is not logged in to: whoever answers in its place could say what he likes.
     */
    async readHostRecords({ servers, ...owner }: RecordsRequest): Promise<HostRecord[]> {
      const transports = openConnections(await readKnownKeys(keys, owner, servers));
      const hostOf = createHosts({ ...dependencies, transports });
      const records: (HostRecord | undefined)[] = [];
      try {
        for (let from = 0; from < servers.length; from += AT_ONCE) {
          const some = servers.slice(from, from + AT_ONCE);
          records.push(...(await Promise.all(some.map((server) => recordOf(hostOf, owner, server)))));
        }
      } finally {
        transports.close();
      }
      return records.flatMap((record) => record ?? []);
    },
  };
}

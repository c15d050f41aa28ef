import { thisHostRefused } from '../../core/definition/this-host.js';
import { inputError } from '../../core/errors.js';
import type { Connection, ProviderConnection } from '../../core/machine/provider.js';
import type { Dependencies } from '../dependencies.js';
import type { ConnectionOf } from '../machine/provider-connections.js';
import { addRecordVerbs } from '../records/with-records.js';
import type { Host, HostOf, HostRef } from './host.js';
import { createSimulatedHosts } from './simulated/simulated-host.js';
import { sshHosts } from './ssh/ssh-host.js';
import { thisMachine } from './this-machine/this-machine.js';
import { thisMachineHosts } from './this-machine/this-machine-host.js';
import type { Transport, Transports } from './transport.js';

type Openers = { [Kind in Connection['kind']]: (ref: HostRef<Extract<Connection, { kind: Kind }>>) => Host };

/** The one place that chooses a way to a host, by the kind of its connection. */
export function createHosts(dependencies: Dependencies & { connectionOf: ConnectionOf }): HostOf {
  const openers: Openers = {
    ssh: sshHosts(dependencies),
    this: thisMachineHosts(dependencies),
    demo: createSimulatedHosts(dependencies),
  };
  return (ref) => addRecordVerbs(openers[ref.connection.kind](ref as never), ref, dependencies.connectionOf, dependencies);
}

/** A way for scripts to a host, and what ends it. */
interface Way {
  transport: Transport;
  end(): void;
}

type Ways = { [Kind in Connection['kind']]: (connection: Extract<Connection, { kind: Kind }>) => Promise<Way> };

/**
 * Opens a way for scripts to a host outside of activities.
 *
 * @throws inputError `no-machine`, `this-host-not-allowed`
 */
export function openWay(
  { transports, allowsThisHost = async () => false }: { transports: Transports } & Pick<Dependencies, 'allowsThisHost'>,
  { scope: { workspace, infra }, server, connection }: Pick<HostRef, 'scope' | 'server' | 'connection'>,
): Promise<Way> {
  const ways: Ways = {
    async ssh(connection) {
      const target = { workspace, infra, server, connection };
      return { transport: await transports.open(target), end: () => transports.forget(target) };
    },
    async this() {
      if (await allowsThisHost()) return { transport: thisMachine, end: () => {} };
      throw thisHostRefused(server);
    },
    async demo() {
      const why = 'servers of the provider "demo" have no machines';
      throw inputError({ code: 'no-machine', what: 'run a script', on: server, why });
    },
  };
  return ways[connection.kind](connection as never);
}

/** Whether hosts of a provider are simulated: they need no keys, and one that runs lets us in. */
export const needsNoLogin = ({ host }: Pick<ProviderConnection, 'host'>): boolean => host !== undefined;

import type { Connection } from '../../core/machine/provider.js';
import type { Dependencies } from '../dependencies.js';
import type { ConnectionOf } from '../machine/provider-connections.js';
import { addRecordVerbs } from '../records/with-records.js';
import type { Host, HostOf, HostRef } from './host.js';
import { createSimulatedHosts } from './simulated/simulated-host.js';
import { sshHosts } from './ssh/ssh-host.js';
import { thisMachineHosts } from './this-machine/this-machine-host.js';

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

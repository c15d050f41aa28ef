import type { InventoryServer } from '../../core/infra/inventory.js';
import type { Scope } from '../../core/machine/call-context.js';
import type { KeyStore } from '../../stores/keys.js';
import type { Dependencies } from '../dependencies.js';
import { openWay } from './hosts.js';
import { bindToOwnHost } from './script/own-host.js';
import { openConnections } from './ssh/connections.js';
import { readKnownKeys } from './ssh/known-keys.js';
import type { ExecOptions, ExecResult } from './transport.js';

interface ScriptsOptions extends Pick<Dependencies, 'allowsThisHost'> {
  keys: KeyStore;
  /** How long a login may take, and which private keys definitions may name. */
  login?: Parameters<typeof openConnections>[1];
}

/**
 * Runs scripts as root on hosts of infras outside of activities, for methods that read hosts. Each script has its own
 * connection. Unknown host keys are refused, and none is pinned.
 */
export function createHostScripts({ keys, login, allowsThisHost }: ScriptsOptions) {
  return {
    async open(scope: Scope, servers: readonly InventoryServer[]) {
      const transports = openConnections(await readKnownKeys(keys, scope, servers), login);
      return {
        async run(server: InventoryServer, script: string, options?: ExecOptions): Promise<ExecResult> {
          const { name, connection } = server;
          const { transport, end } = await openWay({ transports, allowsThisHost }, { scope, server: name, connection });
          try {
            return await bindToOwnHost(transport, { scope, server: name }).exec(script, options);
          } finally {
            // With many servers, only the busy ones are connected.
            end();
          }
        },
        close: () => transports.close(),
      };
    },
  };
}

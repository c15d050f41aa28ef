import { foreignHost, refuseForeignMark } from '../../core/host/foreign-host.js';
import { quote } from '../../core/host/shell.js';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { runThere } from './run-there.js';

/** Milliseconds within which a host says whose it is. */
const LIMIT_MS = 30_000;
/** Hosts that are asked at a time. */
const PARALLEL = 20;

/**
 * Asks hosts whose they are, before anything else is done there. One that is not reached, or is no machine, is left to
 * what is attempted: that says why.
 *
 * @throws `host-managed-by-another`
 */
export async function refuseForeignHosts(
  inventory: Pick<Inventory, 'uuid'>,
  servers: readonly Pick<InventoryServer, 'name' | 'connection' | 'stopped'>[],
  keys: string,
): Promise<void> {
  const script = `sh -c ${quote(refuseForeignMark(inventory))}`;
  const left = servers.filter(({ connection, stopped }) => connection.kind !== 'demo' && !stopped);
  const worker = async () => {
    for (let server = left.shift(); server; server = left.shift()) {
      const isRoot = server.connection.kind !== 'ssh' || server.connection.user === 'root';
      const { exit, stderr } = await runThere(server, { keys, what: 'use the host', timeoutMs: LIMIT_MS }, [
        isRoot ? script : `sudo -n ${script}`,
      ]);
      const foreign = foreignHost(server.name, { ...(exit !== undefined && { exit }), stderr: stderr.text });
      if (foreign) throw foreign;
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, left.length) }, worker));
}

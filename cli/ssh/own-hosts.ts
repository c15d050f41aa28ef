import { foreignHost, refuseForeignMark } from '../../core/host/foreign-host.js';
import { quote } from '../../core/host/shell.js';
import type { Inventory, InventoryServer } from '../../core/infra/inventory.js';
import { runThere } from './run-there.js';

/** Time limit for a host's owner query, in milliseconds. */
const LIMIT_MS = 30_000;
/** Number of hosts queried in parallel. */
const PARALLEL = 20;

/**
 * Queries hosts for their owner before any other action. Hosts that cannot be reached or are not machines are skipped:
 * the action itself reports the reason.
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

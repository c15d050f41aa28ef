import { type CallContext, quickHash } from '../../../sdk/index.js';
import type { Network, Server } from '../client/index.js';
import type { Cloud } from './cloud.js';
import { filterByScope, formatLabelFilter, read } from './labels.js';
import { formatAddress, parseRange } from './ranges.js';

/** Returns the address at which servers of its network reach it; undefined without a private network. */
export const privateAddressOf = ({ networking }: Pick<Server, 'networking'>): string | undefined =>
  networking?.interfaces.find(({ type }) => type === 'private')?.ip_addresses.find(({ family }) => family === 'IPv4')?.address;

/**
 * Chooses a server's address in one of our networks. It is the same for the same name unless another server has it, so
 * that a replaced machine keeps its address. Undefined in other networks, which assign their own addresses.
 */
export async function addressIn(
  cloud: Cloud,
  network: Network,
  name: string,
  { scope, signal }: CallContext,
): Promise<string | undefined> {
  const range = parseRange(network.ip_networks[0]?.address ?? '');
  if (!range || read(network.labels, 'uuid') !== scope.uuid) return undefined;
  // Without the addresses of network, gateway and broadcast.
  const room = Number(range.last - range.first) - 2;
  if (room < 1) return undefined;
  const labels = [...filterByScope(scope, 'server'), ...formatLabelFilter({ network: read(network.labels, 'name') })];
  const rows = await cloud.client.servers.list({ labels }, { signal });
  const taken = new Set(rows.map((row) => read(row.labels, 'private')));
  const start = [...quickHash(name)].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % room, 0);
  for (let step = 0; step < room; step++) {
    const address = formatAddress(range.first + 2n + BigInt((start + step) % room), 'IPv4');
    if (!taken.has(address)) return address;
  }
  return undefined;
}

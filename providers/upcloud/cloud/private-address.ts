import { type CallContext, quickHash } from '../../../sdk/index.js';
import type { Network, Server } from '../client/index.js';
import type { Cloud } from './cloud.js';
import { filterByScope, formatLabelFilter, read } from './labels.js';
import { formatAddress, parseRange } from './ranges.js';

/** By which servers of its network reach it; undefined where it lies in none. */
export const privateAddressOf = ({ networking }: Pick<Server, 'networking'>): string | undefined =>
  networking?.interfaces.find(({ type }) => type === 'private')?.ip_addresses.find(({ family }) => family === 'IPv4')?.address;

/**
 * An address for a server in a network of ours: the same for the same name, so that
 * others find a machine again after it was replaced, unless another server has it.
 * Undefined in a network that is not ours, whose addresses are given out there.
 */
export async function addressIn(
  cloud: Cloud,
  network: Network,
  name: string,
  { scope, signal }: CallContext,
): Promise<string | undefined> {
  const range = parseRange(network.ip_networks[0]?.address ?? '');
  if (!range || read(network.labels, 'uuid') !== scope.uuid) return undefined;
  // Without the network, its gateway and its broadcast.
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

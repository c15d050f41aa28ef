import { parseRange } from '../../../providers/hetzner/project/ranges.js';
import { locationNamed } from './catalog.js';
import { type NetworkRow, Refusal, type ServerRow, type World } from './world.js';

/** Assigns the next address of the subnet in the server's network zone. */
export function attachTo({ state, limits }: World, row: ServerRow, network: NetworkRow): string {
  if (row.networks.some((one) => one.network === network.id))
    throw new Refusal(422, 'server_already_attached', 'server already attached');
  const members = [...state.servers.values()].flatMap((one) => one.networks).filter((one) => one.network === network.id);
  if (members.length >= limits.networkMembers) throw new Refusal(403, 'resource_limit_exceeded', 'network member limit exceeded');
  const zone = locationNamed(row.location).network_zone;
  const subnet = network.subnets.find(({ network_zone }) => network_zone === zone);
  const range = subnet && parseRange(subnet.ip_range);
  if (!range) throw new Refusal(422, 'no_subnet_available', `no subnet in ${zone}`);
  const taken = new Set(members.map(({ ip }) => ip));
  // The first address belongs to the gateway, and the last is the broadcast address.
  for (let number = range.first + 2; number < range.last; number++) {
    const ip = textOf(number);
    if (taken.has(ip)) continue;
    row.networks.push({ network: network.id, ip });
    return ip;
  }
  throw new Refusal(422, 'no_subnet_available', 'no IP available');
}

export const textOf = (address: number): string => [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');

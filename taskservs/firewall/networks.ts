/** A network interface of a host: its IPv4 addresses, and the ranges that are reached by it without the default route. */
export interface Network {
  addresses: string[];
  ranges: string[];
}

/** All interfaces but loopback: lines `a DEVICE ADDRESS/LENGTH` and `r DEVICE RANGE`. */
export const LIST_NETWORKS = `ip -o -4 addr show | awk '$2 != "lo" { print "a", $2, $4 }'
ip -o -4 route show | awk '$1 != "default" { for (i = 2; i < NF; i++) if ($i == "dev") print "r", $(i + 1), $1 }'`;

export function readNetworks({ stdout }: { stdout: string }): Network[] {
  const networks = new Map<string, Network>();
  for (const line of stdout.split('\n')) {
    const [kind, device = '', value = ''] = line.trim().split(' ');
    if (kind !== 'a' && kind !== 'r') continue;
    const network = networks.get(device) ?? { addresses: [], ranges: [] };
    networks.set(device, network);
    if (kind === 'a') network.addresses.push(value.split('/')[0] ?? '');
    else network.ranges.push(value);
  }
  return [...networks.values()].map(({ addresses, ranges }) => ({ addresses: addresses.sort(), ranges: ranges.sort() }));
}

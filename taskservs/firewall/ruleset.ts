import { ANYWHERE, type Endpoint, type HostContext, isIpv6, MANAGED_FILE_HEADER, rangeBounds } from '../../sdk/index.js';
import type { Network } from './networks.js';

interface FirewallConfig {
  ssh: number[];
  allow: Opening[];
  servicesFrom?: string[];
}

interface Opening {
  port: number;
  protocol: 'tcp' | 'udp';
  from?: string[];
}

/** Ranges from which services that are not public can be reached. */
export interface PrivateReach {
  host: HostContext;
  networks: readonly Network[];
  /** keepalived is on the server: its other members send it VRRP, which has no port. */
  vrrp?: boolean;
}

/**
 * Content of nftables.conf: one table of the platform, which is replaced as a whole. Tables of others stay untouched.
 *
 * @param endpoints endpoints of this server's taskservs; those that are not public are open to the private network
 */
export function ruleset(
  { ssh, allow, servicesFrom }: FirewallConfig,
  endpoints: readonly Endpoint[],
  inside: PrivateReach,
): string {
  const services = endpoints
    .filter(({ local }) => !local)
    .flatMap(({ port, protocol = 'tcp', public: from = [], usedFrom = [] }): Opening[] => {
      const own = servicesFrom ?? [...privateNetworks(inside), ...usedFrom];
      const all = [...new Set([...from, ...own])];
      if (ANYWHERE.every((range) => all.includes(range))) return [{ port, protocol }];
      return all.length > 0 ? [{ port, protocol, from: all }] : [];
    });
  const openings = [...ssh.map((port): Opening => ({ port, protocol: 'tcp' })), ...services, ...allow];
  const rules = [...new Set(openings.flatMap(ruleLines)), ...(inside.vrrp ? vrrpLines(servicesFrom, inside) : [])];
  // ICMP and ICMPv6 by number: a small host has no /etc/protocols, and nft then knows no names.
  return `#!/usr/sbin/nft -f
${MANAGED_FILE_HEADER}
add table inet provisioning
delete table inet provisioning

table inet provisioning {
	chain input {
		type filter hook input priority filter; policy drop;
		ct state invalid drop
		ct state established,related accept
		iif lo accept
		meta l4proto { 1, 58 } accept
		ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept
${rules.map((rule) => `\t\t${rule}`).join('\n')}
	}
}
`;
}

/** The private network of the infra; on a machine that exists already it is others' as well. */
function privateNetworks({ host: { privateAddress, existing }, networks }: PrivateReach): string[] {
  if (!privateAddress || existing) return [];
  const own = networks.find(({ addresses }) => addresses.includes(privateAddress));
  // A host with a name is a container, and all its networks are the platform's.
  return (own ? [own] : /^[0-9.]+$/.test(privateAddress) ? [] : networks).flatMap(({ ranges }) => ranges);
}

/**
 * Lets VRRP (protocol 112) in from where services are reached, or from the networks of a machine that has no private one.
 * IPv6 is let in from addresses of links and of private networks.
 */
function vrrpLines(servicesFrom: string[] | undefined, inside: PrivateReach): string[] {
  const own = servicesFrom ?? privateNetworks(inside);
  const from = (own.length > 0 ? own : inside.networks.flatMap(({ ranges }) => ranges)).filter((range) => !isIpv6(range));
  return [
    ...(from.length > 0 ? [`ip saddr { ${disjoint(from).join(', ')} } meta l4proto 112 accept`] : []),
    'ip6 saddr { fe80::/10, fc00::/7 } meta l4proto 112 accept',
  ];
}

/** One rule for all, or one for each family that is named. */
function ruleLines({ port, protocol, from }: Opening): string[] {
  const accept = `${protocol} dport ${port} accept`;
  if (!from) return [accept];
  const families: [string, string[]][] = [
    ['ip', from.filter((network) => !isIpv6(network))],
    ['ip6', from.filter(isIpv6)],
  ];
  return families
    .filter(([, networks]) => networks.length > 0)
    .map(([family, networks]) => `${family} saddr { ${disjoint(networks).join(', ')} } ${accept}`);
}

/** Without what another one contains: nft takes no ranges that overlap. */
function disjoint(networks: readonly string[]): string[] {
  const bounds = (network: string) => rangeBounds(network.includes('/') ? network : `${network}/32`);
  const contains = (one: string, other: string): boolean => {
    const [a, b] = [bounds(one), bounds(other)];
    return a !== undefined && b !== undefined && a[0] <= b[0] && b[1] <= a[1];
  };
  const all = [...new Set(networks)];
  // If two entries are the same range in different notations, the first one stays.
  return all.filter((one, index) =>
    all.every((other, at) => at === index || !contains(other, one) || (contains(one, other) && index < at)),
  );
}

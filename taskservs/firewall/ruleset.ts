import { isIpv6 } from '../../core/schema/fields.js';
import type { Endpoint } from '../../core/taskserv.js';

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

/**
 * The content of nftables.conf: one table of ours, replaced as a whole, those
 * of others untouched.
 *
 * @param endpoints what the taskservs of this server listen on
 */
export function ruleset({ ssh, allow, servicesFrom }: FirewallConfig, endpoints: readonly Endpoint[]): string {
  const services = endpoints
    .filter(({ local }) => !local)
    .map(({ port, protocol = 'tcp' }): Opening => ({ port, protocol, from: servicesFrom }));
  const openings = [...ssh.map((port): Opening => ({ port, protocol: 'tcp' })), ...services, ...allow];
  const rules = [...new Set(openings.flatMap(ruleLines))];
  // ICMP and ICMPv6 by number: a small host has no /etc/protocols, and nft then knows no names.
  return `#!/usr/sbin/nft -f
# Written by provisioning; changes by hand are taken back.
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
    .map(([family, networks]) => `${family} saddr { ${[...new Set(networks)].join(', ')} } ${accept}`);
}

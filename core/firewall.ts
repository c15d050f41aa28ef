/**
 * What is let in from outside. With rules on a server nothing else is, but SSH and
 * the servers of its network; without any the provider's own rules hold.
 */
export interface FirewallRule {
  protocol: 'tcp' | 'udp' | 'icmp';
  /** `80`, or `8000-8100`; absent for icmp. */
  ports?: string;
  /** CIDR ranges, IPv4 or IPv6; `0.0.0.0/0` and `::/0` for all. */
  from: readonly string[];
}

/** A rule in one form, whatever the order of its ranges: `tcp 80 from 0.0.0.0/0 ::/0`. */
export function ruleText({ protocol, ports, from }: FirewallRule): string {
  const [first, last = first] = (ports ?? '').split('-');
  return [protocol, first === last ? first : ports, 'from', ...[...from].sort()].filter(Boolean).join(' ');
}

/** Whether two lists let in the same; order and repetition say nothing. */
export function sameRules(a: readonly FirewallRule[] = [], b: readonly FirewallRule[] = []): boolean {
  const one = new Set(a.map(ruleText));
  const other = new Set(b.map(ruleText));
  return one.size === other.size && [...one].every((text) => other.has(text));
}

/**
 * What is let in from outside. With rules on a server nothing else is, but SSH and
 * the servers of its network; without any the provider's own rules hold.
 * A definition gives rules to every server whose provider keeps a firewall (`firewallFor`).
 */
export interface FirewallRule {
  protocol: 'tcp' | 'udp' | 'icmp';
  /** `80`, or `8000-8100`; absent for icmp. */
  ports?: string;
  /** CIDR ranges, IPv4 or IPv6; `0.0.0.0/0` and `::/0` for all. */
  from: readonly string[];
}

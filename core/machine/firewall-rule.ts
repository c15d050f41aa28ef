/**
 * Rule for incoming traffic. A server with rules accepts only their traffic, SSH and its network. A server without
 * rules keeps the provider's own. `firewallFor` gives rules to each server whose provider has firewalls.
 */
export interface FirewallRule {
  protocol: 'tcp' | 'udp' | 'icmp';
  /** `80`, or `8000-8100`; absent for icmp. */
  ports?: string;
  /** CIDR ranges, IPv4 or IPv6; `0.0.0.0/0` and `::/0` for all. */
  from: readonly string[];
}

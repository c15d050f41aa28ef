import type { Endpoint } from '../taskserv/taskserv.js';
import type { FirewallRule } from './firewall-rule.js';

/** All addresses. */
export const ANYWHERE: readonly string[] = ['0.0.0.0/0', '::/0'];

/** Let in everywhere: path MTU discovery and IPv6 do not work without. */
const ICMP: FirewallRule = { protocol: 'icmp', from: ANYWHERE };

/**
 * The rules of a server that lets in nothing that its definition does not declare: ICMP,
 * the rules that it writes, and the endpoints that it declares public. What is said of the
 * same ports twice becomes one rule, since providers answer it as one.
 */
export function firewallFor(written: readonly FirewallRule[], endpoints: readonly Endpoint[]): FirewallRule[] {
  const rules = new Map<string, FirewallRule>();
  for (const rule of [ICMP, ...written, ...publicRules(endpoints)]) {
    const key = ruleText({ ...rule, from: [] });
    rules.set(key, { ...rule, from: [...new Set([...(rules.get(key)?.from ?? []), ...rule.from])] });
  }
  return [...rules.values()];
}

/** What endpoints that are declared public let in. */
export const publicRules = (endpoints: readonly Endpoint[]): FirewallRule[] =>
  endpoints.flatMap(({ port, protocol = 'tcp', public: from }) => (from ? [{ protocol, ports: String(port), from }] : []));

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

import type { Endpoint } from '../taskserv/taskserv.js';
import type { FirewallRule } from './firewall-rule.js';

/** All addresses. */
export const ANYWHERE: readonly string[] = ['0.0.0.0/0', '::/0'];

/** Let in everywhere: path MTU discovery and IPv6 do not work without. */
const ICMP: FirewallRule = { protocol: 'icmp', from: ANYWHERE };

/**
 * Returns the rules of a server that accepts only declared traffic: ICMP, its own rules, and public endpoints. Rules
 * for the same ports are merged, because providers return one rule for them.
 */
export function firewallFor(written: readonly FirewallRule[], endpoints: readonly Endpoint[]): FirewallRule[] {
  const rules = new Map<string, FirewallRule>();
  for (const rule of [ICMP, ...written, ...publicRules(endpoints)]) {
    const key = ruleText({ ...rule, from: [] });
    rules.set(key, { ...rule, from: [...new Set([...(rules.get(key)?.from ?? []), ...rule.from])] });
  }
  return [...rules.values()];
}

/** Rules of public endpoints. */
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

import { type FirewallRule, ruleText } from '../../sdk/index.js';
import type { FirewallRule as CloudRule, FirewallRuleCreate } from './client/index.js';
import type { Cloud } from './cloud/cloud.js';
import { formatAddress, formatCidr, parseAddress, parseRange, type Range } from './cloud/ranges.js';

const FAMILIES = ['IPv4', 'IPv6'] as const;
const accept = (rule: Partial<FirewallRuleCreate>): FirewallRuleCreate => ({ direction: 'in', action: 'accept', ...rule });
const ports = (first: number, last = first) => ({ destination_port_start: first, destination_port_end: last });

/**
 * UpCloud's firewall is stateless, so answers to the server's own requests must be allowed too. They come to the source
 * ports of Linux; for UDP, only from DNS and NTP. The private network is not filtered.
 */
const STANDING: readonly FirewallRuleCreate[] = FAMILIES.flatMap((family) => [
  accept({ family, protocol: 'tcp', ...ports(22), comment: 'SSH' }),
  accept({ family, protocol: 'tcp', ...ports(32_768, 60_999), comment: 'Answers to what it asks' }),
  accept({ family, protocol: 'udp', source_port_start: 53, source_port_end: 53, comment: 'Answers of DNS' }),
  accept({ family, protocol: 'udp', source_port_start: 123, source_port_end: 123, comment: 'Answers of NTP' }),
  ...(family === 'IPv6'
    ? [accept({ family, protocol: 'icmp', comment: 'IPv6 finds its neighbours by it' })]
    : [accept({ family, protocol: 'udp', ...ports(68), comment: 'Answers of DHCP' })]),
]);

const REST: FirewallRuleCreate = { direction: 'in', action: 'drop', comment: 'All else' };

/** Returns all distinct rules of a server that allows SSH and these rules. */
export function cloudRules(rules: readonly FirewallRule[]): FirewallRuleCreate[] {
  const all = [...STANDING, ...rules.flatMap(ofRule), REST];
  return [...new Map(all.map((rule) => [textOf(rule), rule])).values()];
}

/**
 * Reports whether two lists allow the same traffic. Traffic that is always allowed, such as ICMP over IPv6, is ignored.
 */
export function compareFirewalls(a: readonly FirewallRule[] | undefined, b: readonly FirewallRule[] | undefined): boolean {
  if (!a || !b) return !a && !b;
  const texts = (rules: readonly FirewallRule[]) => cloudRules(rules).map(textOf).sort().join('\n');
  return texts(a) === texts(b);
}

function ofRule(rule: FirewallRule): FirewallRuleCreate[] {
  const [first, last = first] = (rule.ports ?? '').split('-').filter(Boolean).map(Number);
  return rule.from.flatMap((cidr) => {
    const range = parseRange(cidr);
    if (!range) return [];
    const source = isAll(range)
      ? {}
      : {
          source_address_start: formatAddress(range.first, range.family),
          source_address_end: formatAddress(range.last, range.family),
        };
    const comment = ruleText({ ...rule, from: [cidr] }).slice(0, 250);
    return [accept({ family: range.family, protocol: rule.protocol, ...source, ...(first ? ports(first, last) : {}), comment })];
  });
}

const ALL: Record<Range['family'], Range> = {
  IPv4: { family: 'IPv4', first: 0n, last: (1n << 32n) - 1n },
  IPv6: { family: 'IPv6', first: 0n, last: (1n << 128n) - 1n },
};

const isAll = ({ family, first, last }: Range) => first === ALL[family].first && last === ALL[family].last;

/** Converts a server's rules to a definition's; undefined if they are not in our form. */
export function parseRules(found: readonly CloudRule[]): FirewallRule[] | undefined {
  const standing = new Set(STANDING.map(textOf));
  const rules: FirewallRule[] = [];
  for (const rule of found) {
    if (rule.direction !== 'in' || rule.action !== 'accept' || standing.has(textOf(rule))) continue;
    const read = ruleFrom(rule);
    if (!read) return undefined;
    const known = rules.find((one) => one.protocol === read.protocol && one.ports === read.ports);
    if (known) known.from = [...known.from, ...read.from];
    else rules.push(read);
  }
  const texts = (list: readonly (CloudRule | FirewallRuleCreate)[]) => list.map(textOf).sort().join('\n');
  const last = found.at(-1);
  return last && textOf(last) === textOf(REST) && texts(cloudRules(rules)) === texts(found) ? rules : undefined;
}

function ruleFrom(rule: CloudRule): FirewallRule | undefined {
  const { protocol, family } = rule;
  if ((protocol !== 'tcp' && protocol !== 'udp' && protocol !== 'icmp') || (family !== 'IPv4' && family !== 'IPv6'))
    return undefined;
  const first = rule.source_address_start ? parseAddress(rule.source_address_start) : ALL[family].first;
  const last = rule.source_address_end
    ? parseAddress(rule.source_address_end)
    : rule.source_address_start
      ? first
      : ALL[family].last;
  const cidr = first !== undefined && last !== undefined ? formatCidr({ family, first, last }) : undefined;
  if (!cidr) return undefined;
  const [start, end] = [rule.destination_port_start, rule.destination_port_end ?? rule.destination_port_start];
  return { protocol, ...(start ? { ports: start === end ? `${start}` : `${start}-${end}` } : {}), from: [cidr] };
}

/** Returns the effect of a rule as text, without its comment. */
const textOf = (rule: CloudRule | FirewallRuleCreate): string =>
  [
    rule.direction,
    rule.action,
    rule.family,
    rule.protocol,
    rule.source_address_start,
    rule.source_address_end,
    rule.source_port_start,
    rule.source_port_end,
    rule.destination_address_start,
    rule.destination_port_start,
    rule.destination_port_end,
  ]
    .map((part) => part ?? '')
    .join(' ');

/** Replaces all rules of a server if they differ. */
export async function ensureRules(
  { client }: Cloud,
  server: string,
  rules: readonly FirewallRule[],
  signal?: AbortSignal,
): Promise<void> {
  const wanted = cloudRules(rules);
  const found = await client.firewallRules.list(server, { signal });
  if (found.map(textOf).join('\n') === wanted.map(textOf).join('\n')) return;
  await client.firewallRules.replace(server, wanted, { signal });
}

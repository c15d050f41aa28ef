import type { IpPermission, SecurityGroup } from '@aws-sdk/client-ec2';
import type { CallContext, FirewallRule } from '../../sdk/index.js';
import { ensureGroup, letIn, shutOut } from './ec2/groups.js';
import type { Ask } from './ec2/region.js';

/** One protocol, one span of ports, one range of addresses. */
interface Opening {
  protocol: FirewallRule['protocol'];
  ports: string;
  from: string;
}

const textOf = ({ protocol, ports, from }: Opening): string => `${protocol} ${ports} ${from}`;

/** Clears the host bits of a range, as AWS stores it. */
function networkOf(range: string): string {
  const [address = '', bits] = range.toLowerCase().split('/');
  if (address.includes(':')) return `${address}/${bits ?? 128}`;
  const size = 2 ** (32 - Number(bits ?? 32));
  const value = address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const start = value - (value % size);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256).join('.')}/${bits ?? 32}`;
}

function openingsOf(rules: readonly FirewallRule[]): Map<string, Opening> {
  const all = rules.flatMap(({ protocol, ports = '', from }) => {
    const [first = '', last = first] = ports.split('-');
    const span = first === last ? first : `${first}-${last}`;
    return from.map((range) => ({ protocol, ports: protocol === 'icmp' ? '' : span, from: networkOf(range) }));
  });
  return new Map(all.map((opening) => [textOf(opening), opening]));
}

function openingsIn(permissions: readonly IpPermission[] = []): Map<string, Opening> {
  const all = permissions.flatMap(({ IpProtocol = '', FromPort, ToPort, IpRanges = [], Ipv6Ranges = [] }) => {
    const protocol = (IpProtocol === 'icmpv6' || IpProtocol === '58' ? 'icmp' : IpProtocol) as Opening['protocol'];
    const ports = protocol === 'icmp' ? '' : FromPort === ToPort ? String(FromPort) : `${FromPort}-${ToPort}`;
    const ranges = [...IpRanges.map(({ CidrIp }) => CidrIp), ...Ipv6Ranges.map(({ CidrIpv6 }) => CidrIpv6)];
    return ranges.map((from = '') => ({ protocol, ports, from: from.toLowerCase() }));
  });
  return new Map(all.map((opening) => [textOf(opening), opening]));
}

function permissionOf({ protocol, ports, from }: Opening): IpPermission {
  const six = from.includes(':');
  const [first = '', last = first] = ports.split('-');
  return {
    IpProtocol: protocol === 'icmp' && six ? 'icmpv6' : protocol,
    FromPort: protocol === 'icmp' ? -1 : Number(first),
    ToPort: protocol === 'icmp' ? -1 : Number(last),
    ...(six ? { Ipv6Ranges: [{ CidrIpv6: from }] } : { IpRanges: [{ CidrIp: from }] }),
  };
}

/** Converts the permissions of a group to our rules: one for each protocol and span of ports. */
export function rulesOf({ IpPermissions }: SecurityGroup): FirewallRule[] {
  const rules = new Map<string, { protocol: Opening['protocol']; ports: string; from: string[] }>();
  for (const { protocol, ports, from } of openingsIn(IpPermissions).values()) {
    const rule = rules.get(`${protocol} ${ports}`) ?? { protocol, ports, from: [] };
    rules.set(`${protocol} ${ports}`, { ...rule, from: [...rule.from, from].sort() });
  }
  return [...rules.values()].map(({ protocol, ports, from }) => ({ protocol, ...(ports ? { ports } : {}), from }));
}

/** Reports whether two lists allow the same traffic, however it is divided into rules. */
export function compareFirewalls(a: readonly FirewallRule[] | undefined, b: readonly FirewallRule[] | undefined): boolean {
  if (!a || !b) return !a && !b;
  const [one, other] = [openingsOf(a), openingsOf(b)];
  return one.size === other.size && [...one.keys()].every((key) => other.has(key));
}

/** Finds or creates the group of a server, with exactly these rules. The network's group allows SSH and the network. */
export async function ensureFirewall(
  ask: Ask,
  { server, vpc, rules }: { server: string; vpc: string; rules: readonly FirewallRule[] },
  context: CallContext & { key: string; pollMs: number },
): Promise<SecurityGroup> {
  const group = await ensureGroup(ask, { kind: 'firewall', name: server, vpc, marks: { server } }, context);
  const there = openingsIn(group.IpPermissions);
  const wanted = openingsOf(rules);
  const missing = [...wanted].filter(([key]) => !there.has(key)).map(([, opening]) => permissionOf(opening));
  const wrong = [...there].filter(([key]) => !wanted.has(key)).map(([, opening]) => permissionOf(opening));
  await letIn(ask, group.GroupId, missing);
  await shutOut(ask, group.GroupId, wrong);
  return { ...group, IpPermissions: [...wanted.values()].map(permissionOf) };
}

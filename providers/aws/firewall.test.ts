import { expect, test } from 'vitest';
import type { FirewallRule } from '../../sdk/index.js';
import { compareFirewalls, ensureFirewall, rulesOf } from './firewall.js';

const RULES: FirewallRule[] = [
  { protocol: 'tcp', ports: '80', from: ['10.1.2.3/8', '2001:DB8::/32'] },
  { protocol: 'udp', ports: '100-200', from: ['192.0.2.1'] },
  { protocol: 'icmp', from: ['0.0.0.0/0', '::/0'] },
];
const PERMISSIONS = [
  { IpProtocol: 'tcp', FromPort: 80, ToPort: 80, IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
  { IpProtocol: 'tcp', FromPort: 80, ToPort: 80, Ipv6Ranges: [{ CidrIpv6: '2001:db8::/32' }] },
  { IpProtocol: 'udp', FromPort: 100, ToPort: 200, IpRanges: [{ CidrIp: '192.0.2.1/32' }] },
  { IpProtocol: 'icmp', FromPort: -1, ToPort: -1, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
  { IpProtocol: 'icmpv6', FromPort: -1, ToPort: -1, Ipv6Ranges: [{ CidrIpv6: '::/0' }] },
];
const OTHER = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] };

test('a new group lets in what the rules say, with the networks as AWS keeps them', async () => {
  const letIn: unknown[] = [];
  const ec2 = {
    describeSecurityGroups: async () => ({ SecurityGroups: [] }),
    createSecurityGroup: async () => ({ GroupId: 'sg-1' }),
    authorizeSecurityGroupIngress: async ({ IpPermissions }: { IpPermissions: unknown[] }) => void letIn.push(...IpPermissions),
  };
  const ask = (async (run: (client: unknown, options: unknown) => unknown) => run(ec2, {})) as never;
  const context = { scope: { workspace: 'default', infra: 'shop', uuid: 'u1' }, key: 'k', pollMs: 1 } as never;
  const made = await ensureFirewall(ask, { server: 'web', vpc: 'vpc-1', rules: RULES }, context);
  expect(letIn).toEqual(PERMISSIONS);
  expect(made.IpPermissions).toEqual(PERMISSIONS);
});

test('what a group lets in reads as rules', () => {
  const rules = rulesOf({ IpPermissions: [...PERMISSIONS, OTHER] });
  expect(rules).toEqual([
    { protocol: 'tcp', ports: '80', from: ['10.0.0.0/8', '2001:db8::/32'] },
    { protocol: 'udp', ports: '100-200', from: ['192.0.2.1/32'] },
    { protocol: 'icmp', from: ['0.0.0.0/0', '::/0'] },
    { protocol: 'tcp', ports: '22', from: ['0.0.0.0/0'] },
  ]);
  expect([compareFirewalls(RULES, rules), compareFirewalls(RULES, rules.slice(0, 3))]).toEqual([false, true]);
  expect([compareFirewalls(undefined, RULES), compareFirewalls(undefined, undefined)]).toEqual([false, true]);
});

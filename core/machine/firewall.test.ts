import { expect, it } from 'vitest';
import { firewallFor, sameRules } from './firewall.js';
import type { FirewallRule } from './firewall-rule.js';

const web: FirewallRule = { protocol: 'tcp', ports: '80', from: ['0.0.0.0/0', '::/0'] };
const ping: FirewallRule = { protocol: 'icmp', from: ['0.0.0.0/0'] };

it('rules are the same in any order, however they are written', () => {
  expect(sameRules([web, ping], [ping, { ...web, ports: '80-80', from: ['::/0', '0.0.0.0/0'] }, ping])).toBe(true);
  expect(sameRules(undefined, [])).toBe(true);
  expect(sameRules([web], [])).toBe(false);
  expect(sameRules([web], [{ ...web, ports: '80-81' }])).toBe(false);
  expect(sameRules([web], [{ ...web, from: ['0.0.0.0/0'] }])).toBe(false);
  expect(sameRules([web], [{ ...web, protocol: 'udp' }])).toBe(false);
});

it('lets in ICMP, what is written, and endpoints that are public; what is said of one port twice is one rule', () => {
  const all = ['0.0.0.0/0', '::/0'];
  const icmp = { protocol: 'icmp', from: all };
  expect(firewallFor([], [{ name: 'metrics', port: 9100 }])).toEqual([icmp]);
  const some: FirewallRule = { protocol: 'tcp', ports: '80-80', from: ['192.0.2.0/24'] };
  const endpoints = [
    { name: 'http', port: 80, public: all },
    { name: 'dns', port: 53, protocol: 'udp' as const, public: all },
  ];
  const rules = firewallFor([some, ping], endpoints);
  expect(rules).toHaveLength(3);
  expect(
    sameRules(rules, [
      { protocol: 'icmp', from: all },
      { protocol: 'tcp', ports: '80', from: ['192.0.2.0/24', ...all] },
      { protocol: 'udp', ports: '53', from: all },
    ]),
  ).toBe(true);
});

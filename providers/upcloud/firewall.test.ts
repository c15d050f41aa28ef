import { expect, test } from 'vitest';
import { firewallFor } from '../../core/machine/firewall.js';
import type { FirewallRule } from '../../sdk/index.js';
import { cloudRules, compareFirewalls, parseRules } from './firewall.js';

const ALL = ['0.0.0.0/0', '::/0'];
const web: FirewallRule = { protocol: 'tcp', ports: '80', from: ALL };

test('a rule that is there anyway is written once, and read as ours', () => {
  // ICMP over IPv6 is allowed on every server.
  const rules = firewallFor([web], []);
  const written = cloudRules(rules);
  expect(written.filter(({ protocol, family }) => protocol === 'icmp' && family === 'IPv6')).toHaveLength(1);
  const found = parseRules(written.map((rule, index) => ({ ...rule, position: index + 1 })) as never);
  expect(found).toBeDefined();
  expect(compareFirewalls(rules, found)).toBe(true);
  expect(compareFirewalls([web], found)).toBe(false);
  expect(compareFirewalls(undefined, found)).toBe(false);
  expect(compareFirewalls([], undefined)).toBe(false);
});

test('all that is not let in is dropped', () => {
  expect(cloudRules(firewallFor([], [])).at(-1)).toMatchObject({ direction: 'in', action: 'drop' });
});

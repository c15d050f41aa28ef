import { expect, it } from 'vitest';
import { type FirewallRule, sameRules } from './firewall.js';

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

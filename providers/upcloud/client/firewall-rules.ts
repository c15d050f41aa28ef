import * as z from 'zod';
import { type CallOptions, type Http, segment } from './http.js';
import { createListSchema, envelope, numeric, numericOrEmpty } from './wire.js';

/** Unrestricted fields are empty: `''`, or null for ports. */
const firewallRule = z.looseObject({
  direction: z.string(),
  action: z.string(),
  position: numeric.optional(),
  family: z.string().optional(),
  protocol: z.string().optional(),
  comment: z.string().optional(),
  icmp_type: z.string().optional(),
  source_address_start: z.string().optional(),
  source_address_end: z.string().optional(),
  source_port_start: numericOrEmpty.optional(),
  source_port_end: numericOrEmpty.optional(),
  destination_address_start: z.string().optional(),
  destination_address_end: z.string().optional(),
  destination_port_start: numericOrEmpty.optional(),
  destination_port_end: numericOrEmpty.optional(),
});
export type FirewallRule = z.output<typeof firewallRule>;

const firewallRuleToWrite = z.strictObject({
  direction: z.enum(['in', 'out']),
  action: z.enum(['accept', 'reject', 'drop']),
  /** From 1; later rules move down. */
  position: numeric.optional(),
  /** Required with a protocol or an address. */
  family: z.enum(['IPv4', 'IPv6']).optional(),
  protocol: z.enum(['tcp', 'udp', 'icmp']).optional(),
  comment: z.string().optional(),
  icmp_type: z.string().optional(),
  source_address_start: z.string().optional(),
  source_address_end: z.string().optional(),
  source_port_start: numeric.optional(),
  source_port_end: numeric.optional(),
  destination_address_start: z.string().optional(),
  destination_address_end: z.string().optional(),
  destination_port_start: numeric.optional(),
  destination_port_end: numeric.optional(),
});
export type FirewallRuleCreate = z.output<typeof firewallRuleToWrite>;

const one = envelope('firewall_rule', firewallRule);
const many = createListSchema('firewall_rule', firewallRuleToWrite);
const of = (server: string) => `/server/${segment(server)}/firewall_rule`;

/**
 * Creates the calls for firewall rules. They apply if the server's `firewall` is on, and the first match decides. At
 * most 1,000 per server.
 */
export function createFirewallRuleCalls(http: Http) {
  return {
    async list(server: string, options?: CallOptions) {
      const answer = envelope('firewall_rules', createListSchema('firewall_rule', firewallRule));
      return (await http.send('GET', of(server), { answer, options })).firewall_rules;
    },

    async read(server: string, position: number, options?: CallOptions) {
      return (await http.send('GET', `${of(server)}/${position}`, { answer: one, options })).firewall_rule;
    },

    async create(server: string, wanted: FirewallRuleCreate, options?: CallOptions) {
      const body = { firewall_rule: z.encode(firewallRuleToWrite, wanted) };
      return (await http.send('POST', of(server), { body, answer: one, options })).firewall_rule;
    },

    /** Replaces all rules, in this order. */
    replace: (server: string, rules: FirewallRuleCreate[], options?: CallOptions) =>
      http.tell('PUT', of(server), { body: { firewall_rules: z.encode(many, rules) }, options }),

    delete: (server: string, position: number, options?: CallOptions) =>
      http.tell('DELETE', `${of(server)}/${position}`, { options }),
  };
}

import * as z from 'zod';
import { type CreateContext, type FirewallRule, sameRules, type WantedServer } from '../../sdk/index.js';
import { type Firewall, firewall } from './api/shapes.js';
import { nameAndLabels } from './project/labels.js';
import type { Project } from './project/project.js';

const EVERYWHERE = ['0.0.0.0/0', '::/0'];
/** Description that distinguishes our SSH rule from the rules of the definition. */
const WAY_IN = 'provisioning: SSH';

interface VendorRule {
  direction: string;
  protocol: string;
  port?: string | null;
  source_ips: string[];
  description?: string | null;
}

/**
 * Converts rules for the API. They apply only to the public interface: traffic of the private network always passes.
 */
export function vendorRules(rules: readonly FirewallRule[]) {
  return [
    { direction: 'in', protocol: 'tcp', port: '22', source_ips: EVERYWHERE, description: WAY_IN },
    ...rules.map(({ protocol, ports, from }) => ({
      direction: 'in',
      protocol,
      ...(ports && protocol !== 'icmp' ? { port: ports } : {}),
      source_ips: from.map(withPrefix),
    })),
  ];
}

const withPrefix = (address: string) => (address.includes('/') ? address : `${address}/${address.includes(':') ? 128 : 32}`);

/** Returns the definition's rules among those of a firewall; undefined if SSH is no longer allowed. */
export function rulesIn(rules: readonly VendorRule[]): FirewallRule[] | undefined {
  if (!rules.some(({ description }) => description === WAY_IN)) return undefined;
  return rules
    .filter(({ description, direction }) => description !== WAY_IN && direction === 'in')
    .map(({ protocol, port, source_ips }) => ({
      protocol: protocol as FirewallRule['protocol'],
      ...(port ? { ports: port } : {}),
      from: source_ips,
    }));
}

/** Compares firewalls. An empty list of rules differs from no firewall. */
export const sameFirewall = (a: WantedServer['firewall'], b: WantedServer['firewall']): boolean => !a === !b && sameRules(a, b);

/** Finds or creates the server's firewall. */
export function ensureFirewall(
  project: Project,
  { name, firewall: rules = [] }: WantedServer,
  context: CreateContext,
): Promise<Firewall> {
  const about = { what: 'make the firewall', on: name };
  return project.ensure('firewall', name, context, async () => {
    const body = { ...nameAndLabels('firewall', name, context), rules: vendorRules(rules) };
    return (await project.api.post(z.object({ firewall }), 'firewalls', body, about)).firewall;
  });
}

import * as z from 'zod';
import { type CreateContext, type FirewallRule, sameRules, type WantedServer } from '../../sdk/index.js';
import { type Firewall, firewall } from './api/shapes.js';
import { nameAndLabels } from './project/labels.js';
import type { Project } from './project/project.js';

const EVERYWHERE = ['0.0.0.0/0', '::/0'];
/** Tells our own way in from the rules of the definition. */
const WAY_IN = 'provisioning: SSH';

interface VendorRule {
  direction: string;
  protocol: string;
  port?: string | null;
  source_ips: string[];
  description?: string | null;
}

/** Rules as the API takes them. They hold for the public interface alone: what comes by the private network passes. */
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

/** The rules of the definition among those of a firewall; undefined where SSH is no longer let in. */
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

/** Rules that let nothing in are not the same as none. */
export const sameFirewall = (a: WantedServer['firewall'], b: WantedServer['firewall']): boolean => !a === !b && sameRules(a, b);

/** The server's own firewall, found or made. */
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

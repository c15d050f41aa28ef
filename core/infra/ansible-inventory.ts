import { inputError } from '../errors.js';
import type { Inventory, InventoryServer } from './inventory.js';
import type { OutputValue } from './outputs.js';

/** Variables of a host, by Ansible's names and by ours. */
type HostVars = Record<string, string | number>;

/** Output of `ansible-inventory --list` and of dynamic inventories. */
export interface AnsibleInventory {
  _meta: { hostvars: Record<string, HostVars> };
  all: { children: string[]; vars?: Record<string, string | number | boolean> };
  [group: string]:
    | { hosts?: string[]; children?: string[]; vars?: Record<string, string | number | boolean> }
    | { hostvars: Record<string, HostVars> };
}

/** Ansible's group names have the rules of variable names. */
const groupName = (kind: string, name: string): string => `${kind}_${name}`.replaceAll('-', '_');

interface Part {
  inventory: Inventory;
  outputs: readonly OutputValue[];
}

/**
 * Infras as an inventory of Ansible: a group for each infra, role and service. Keys of hosts stay where they are: who
 * runs Ansible has its own way in, or the one of `server ssh`.
 *
 * @throws inputError `ambiguous-hosts` where two infras have a server of one name
 */
export function ansibleInventory(parts: readonly Part[]): AnsibleInventory {
  const hostvars: Record<string, HostVars> = {};
  const groups = new Map<string, string[]>();
  const join = (group: string, host: string) => groups.set(group, [...(groups.get(group) ?? []), host]);
  const vars: Record<string, Record<string, string | number | boolean>> = {};
  for (const { inventory, outputs } of parts) {
    const { infra } = inventory;
    const servers = Object.values(inventory.servers).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const server of servers) {
      if (Object.hasOwn(hostvars, server.name)) {
        const why = `two infras have a server "${server.name}", and Ansible needs unique host names`;
        throw inputError({ code: 'ambiguous-hosts', what: 'write the inventory of Ansible', why, hint: 'name one infra' });
      }
      hostvars[server.name] = hostVarsOf(server, infra);
      join(groupName('infra', infra), server.name);
      join(groupName('role', server.spec.role), server.name);
      for (const taskserv of Object.keys(server.services)) join(groupName('taskserv', taskserv), server.name);
    }
    const known = outputs.flatMap(({ name, value }): [string, string | number | boolean][] =>
      value === undefined || value === null ? [] : [[`provisioning_output_${name.replaceAll('-', '_')}`, value]],
    );
    if (known.length > 0) vars[groupName('infra', infra)] = Object.fromEntries(known);
  }
  const named = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  const members = named.map(([group, hosts]) => [group, { hosts, ...(vars[group] ? { vars: vars[group] } : {}) }]);
  return {
    _meta: { hostvars },
    all: { children: ['ungrouped', ...named.map(([group]) => group)] },
    ...Object.fromEntries(members),
  };
}

function hostVarsOf({ name, connection, provider, spec }: InventoryServer, infra: string): HostVars {
  const ours = {
    provisioning_infra: infra,
    provisioning_provider: provider,
    provisioning_role: spec.role,
    provisioning_plan: spec.plan.name,
  };
  if (connection.kind === 'this') return { ansible_connection: 'local', ...ours };
  if (connection.kind === 'demo') return { ansible_host: name, ...ours };
  const { address, port, user, identity, jump, privateAddress } = connection;
  return {
    ansible_host: address,
    ansible_port: port,
    ansible_user: user,
    ...(identity ? { ansible_ssh_private_key_file: identity } : {}),
    ...(jump ? { ansible_ssh_common_args: `-o ProxyJump=${jump}` } : {}),
    ...(privateAddress ? { provisioning_private_address: privateAddress } : {}),
    ...ours,
  };
}

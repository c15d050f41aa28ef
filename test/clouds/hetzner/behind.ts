import type { Scope } from '../../../core/machine/call-context.js';
import { hetznerName } from '../../../providers/hetzner/project/labels.js';
import type { ContractSubject } from '../../contracts/provider-contract.js';
import type { HetznerStandIn } from './stand-in.js';

/** Returns the direct accesses of a contract suite to the account, without the provider. */
export function behind({ world, endpoint, token }: HetznerStandIn): Omit<ContractSubject, 'provider' | 'connect'> {
  const { state } = world;
  const named = <T extends { name: string }>(rows: Map<number, T>, scope: Scope, name: string): T | undefined =>
    [...rows.values()].find((row) => row.name === hetznerName(scope, name));

  async function post(path: string, body: object) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${endpoint}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as Record<string, { id: number }>;
  }

  return {
    countCreated: async (scope, name) => state.made[hetznerName(scope, name)] ?? 0,
    async stop(scope, name) {
      const row = named(state.servers, scope, name);
      if (!row) throw new Error(`no server ${name}`);
      await world.machines.get(row.id)?.stop();
      row.status = 'off';
    },
    async detach(scope, volume) {
      const row = named(state.volumes, scope, volume);
      if (!row) throw new Error(`no volume ${volume}`);
      row.server = null;
    },
    async makeStranger(name) {
      const { server } = await post('servers', { name, server_type: 'cx23', image: 'debian-12', location: 'nbg1' });
      return String(server?.id);
    },
    async makeNetwork() {
      const subnets = [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.250.1.0/24' }];
      const { network } = await post('networks', { name: 'theirs', ip_range: '10.250.0.0/16', subnets });
      return { id: String(network?.id), isThere: async () => state.networks.has(network?.id ?? 0) };
    },
    async fill(full) {
      world.limits.servers = full ? 0 : 1000;
    },
    userData: async (scope, name) => world.userData.get(hetznerName(scope, name)) ?? '',
  };
}

/** Returns the number of remaining resources in the project, by kind. */
export function leftIn({ world: { state } }: HetznerStandIn): Record<string, number> {
  const { actions: _, made: __, zones: ___, ...tables } = state;
  return Object.fromEntries(Object.entries(tables).flatMap(([table, { size }]) => (size > 0 ? [[table, size]] : [])));
}

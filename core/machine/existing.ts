import type { ExistingHost, ServerSpec } from '../definition/definition.js';
import type { InventoryServer } from '../infra/inventory.js';
import type { FoundServer } from './provider.js';

/** Returns the identity and connection of an existing machine. The definition has both, so no provider is queried. */
export function describeExistingMachine(host: ExistingHost): Pick<FoundServer, 'id' | 'connection'> {
  if (host.kind === 'this') return { id: 'this', connection: { kind: 'this' } };
  const { address, port, user, identity, jump, privateAddress } = host;
  return {
    id: `host:${address}:${port}`,
    connection: {
      kind: 'ssh',
      address,
      port,
      user,
      ...(identity ? { identity } : {}),
      ...(jump ? { jump } : {}),
      ...(privateAddress ? { privateAddress } : {}),
    },
  };
}

/** Returns an existing machine for an inventory, from its definition only. Empty for other servers. */
export function machineOf(spec: Omit<ServerSpec, 'taskservs'>): InventoryServer[] {
  if (!spec.host) return [];
  const { name, provider } = spec;
  return [{ name, provider, ...describeExistingMachine(spec.host), services: {}, since: '', spec }];
}

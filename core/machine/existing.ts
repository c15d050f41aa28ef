import type { ExistingHost, ServerSpec } from '../definition/definition.js';
import type { InventoryServer } from '../infra/inventory.js';
import type { FoundServer } from './provider.js';

/** How a machine that is there already is known and reached: all of it stands in the definition, so nobody is asked. */
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

/** A machine that is there already as an inventory has it, of which nothing is known but what the definition says; of another server none. */
export function machineOf(spec: Omit<ServerSpec, 'taskservs'>): InventoryServer[] {
  if (!spec.host) return [];
  const { name, provider } = spec;
  return [{ name, provider, ...describeExistingMachine(spec.host), services: {}, since: '', spec }];
}

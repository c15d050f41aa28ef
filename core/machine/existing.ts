import type { ExistingHost } from '../definition/definition.js';
import type { ServerFound } from './provider.js';

/** How a machine that is there already is known and reached: all of it stands in the definition, so nobody is asked. */
export function existingMachine(host: ExistingHost): Pick<ServerFound, 'id' | 'connection'> {
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

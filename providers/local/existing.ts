import type { ExistingHost, ServerFound, ServerWanted } from '../../sdk/index.js';

/** A machine that is there already, as a server: nothing is made, and nothing about it can differ. */
export function existingServer(wanted: ServerWanted, host: ExistingHost): ServerFound {
  return {
    name: wanted.name,
    id: host.kind === 'this' ? 'this' : `host:${host.address}:${host.port}`,
    status: 'running',
    plan: wanted.plan.name,
    image: wanted.image,
    labels: wanted.labels,
    volumes: [],
    connection:
      host.kind === 'this'
        ? { kind: 'this' }
        : {
            kind: 'ssh',
            address: host.address,
            port: host.port,
            user: host.user,
            ...(host.identity ? { identity: host.identity } : {}),
            ...(host.jump ? { jump: host.jump } : {}),
            ...(host.privateAddress ? { privateAddress: host.privateAddress } : {}),
          },
  };
}

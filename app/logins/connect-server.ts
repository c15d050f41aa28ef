import * as z from 'zod';
import type { Engine } from '../engine.js';
import { type CallMethod, method } from '../method.js';
import { infra } from '../schemas/ids.js';
import { findJumpHost, findSshConnection } from './find-logins.js';

/** Address of an SSH port. */
export interface SshPort {
  address: string;
  port: number;
}

/** A server of an infra, identified only by names. */
export interface NamedServer {
  workspace: string;
  infra: string;
  server: string;
}

/**
 * Returns the first hop to a server: its own SSH port, or the port of the jump host before it.
 *
 * @throws as `findSshConnection`
 */
export async function findFirstHop(engine: Engine, { server, ...owner }: NamedServer): Promise<SshPort> {
  const connection = await findSshConnection(engine, owner, server);
  const { address, port } = findJumpHost(connection, server) ?? connection;
  return { address, port };
}

/**
 * A connection to the SSH port of a server, as a call that lasts as long as the connection. It passes the steps of every call,
 * so that it is allowed and recorded like a login. It is in no table of methods: only a door that forwards bytes can run it.
 *
 * @param forward connects, and forwards bytes until one side ends
 * @param find tests have another one
 */
export const connectServer = (forward: (at: SshPort) => Promise<void>, find = findFirstHop): CallMethod =>
  method({
    name: 'servers.connect',
    summary: 'Forward bytes to the SSH port of a server, or to that of its jump host',
    input: z.strictObject({ ...infra, server: z.string().min(1).max(1_000).describe('The name of the server') }),
    output: z.void(),
    permission: {
      action: 'server:login',
      resource: ({ workspace, infra, server }) => ({ type: 'Server', id: `${workspace}/${infra}/${server}` }),
    },
    errors: ['host-unreachable', 'jump-host-form', 'no-machine', 'ssh-handshake', 'unknown-infra', 'unknown-server'],
    run: async ({ engine }, named) => forward(await find(engine, named)),
  });

import * as z from 'zod';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';
import { serverLogin } from '../../schemas/logins.js';

export const loginOfServers = method({
  name: 'servers.login',
  summary: 'Return what SSH logins to servers need: address, user, public key, pinned host keys and jump host',
  input: z.strictObject({
    ...infra,
    servers: z.array(z.string().min(1).max(1_000)).min(1).max(10_000).describe('The names of the servers'),
  }),
  output: z.array(serverLogin),
  permission: { action: 'server:login', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['jump-host-form', 'no-machine', 'ssh-key-not-allowed', 'ssh-key-unreadable', 'unknown-infra', 'unknown-server'],
  async run({ engine }, { servers, ...owner }) {
    const { findLogins } = await import('../../logins/find-logins.js');
    return findLogins(engine, owner, servers);
  },
});

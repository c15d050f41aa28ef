import * as z from 'zod';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';

export const signLogin = method({
  name: 'servers.signLogin',
  summary: 'Sign an SSH login to a server, or to its jump host, with the private key, which the worker keeps',
  input: z.strictObject({
    ...infra,
    server: z.string().min(1).max(1_000).describe('The name of the server'),
    jump: z.literal(true).optional().describe('Whether the login is to the jump host before the server'),
    data: z.base64().max(24_000).describe('Session id and user authentication request (RFC 4252, section 7), in base64'),
  }),
  output: z.strictObject({ signature: z.base64().describe('The signature as SSH writes it, in base64') }),
  permission: {
    action: 'server:login',
    resource: ({ workspace, infra, server }) => ({ type: 'Server', id: `${workspace}/${infra}/${server}` }),
  },
  errors: [
    'jump-host-form',
    'no-machine',
    'signature-refused',
    'ssh-key-not-allowed',
    'ssh-key-unreadable',
    'unknown-infra',
    'unknown-server',
  ],
  async run({ engine }, { data, ...asked }) {
    const { signLogin } = await import('../../logins/sign-login.js');
    return { signature: (await signLogin(engine, asked, Buffer.from(data, 'base64'))).toString('base64') };
  },
});

import { type CredentialSource, inputError } from '../../sdk/index.js';
import type { HetznerConfig } from './config.js';

/** The variable of the default account, with the last part of the secret that stands for it. */
export const VARIABLES = { HCLOUD_TOKEN: 'token' } as const;

/** The token of a project: from its variable, then from the secret store. Throws `no-credentials` where there is none. */
export async function readToken({ account = 'default' }: HetznerConfig, outside: CredentialSource): Promise<string> {
  const variable = `HCLOUD_TOKEN${account === 'default' ? '' : `_${account.toUpperCase().replaceAll('-', '_')}`}`;
  const secret = `hetzner/${account}/token`;
  const token = (outside.env[variable] || (await outside.secret(secret)))?.trim();
  if (token && !/^[!-~]+$/.test(token))
    throw inputError({
      code: 'credentials',
      what: 'connect to Hetzner Cloud',
      on: `account "${account}"`,
      why: 'the token contains spaces or characters that are not allowed',
      hint: `set ${variable} or the secret ${secret} again`,
    });
  if (token) return token;
  throw inputError({
    code: 'no-credentials',
    what: 'connect to Hetzner Cloud',
    on: `account "${account}"`,
    why: 'there is no token',
    hint: `create a token in the console of the project (Security, API tokens, read and write), then set ${variable} or the secret ${secret}`,
  });
}

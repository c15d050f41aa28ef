import { type CredentialSource, inputError } from '../../sdk/index.js';
import type { HetznerConfig } from './config.js';

/** Variable of the default account, with the last part of its secret's name. */
export const VARIABLES = { HCLOUD_TOKEN: 'token' } as const;

/**
 * Returns the token of a project: from its variable, then from the secret store. Throws `no-credentials` without a
 * token.
 */
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

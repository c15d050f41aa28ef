import * as z from 'zod';
import { inputError, type Outside } from '../../sdk/index.js';

export const ENDPOINT = 'https://api.hetzner.cloud/v1';
/** Where servers are made whose definition names no zone. */
export const DEFAULT_LOCATION = 'fsn1';

export const hetznerConfig = z.strictObject({
  account: z.string().optional().describe('Which of several projects: its token is in HCLOUD_TOKEN_<NAME>. Default: HCLOUD_TOKEN'),
  endpoint: z.url().optional().describe(`Address of the API. Default: HCLOUD_ENDPOINT, or ${ENDPOINT}`),
  pollMs: z
    .int()
    .positive()
    .default(250)
    .describe('How soon what is under way is looked at again, in milliseconds; later looks come less and less often'),
});

export type HetznerConfig = z.infer<typeof hetznerConfig>;

/** The token of a project: from its variable, then from the secret store. Throws `no-credentials` where there is none. */
export async function tokenOf({ account = 'default' }: HetznerConfig, outside: Outside): Promise<string> {
  const variable = `HCLOUD_TOKEN${account === 'default' ? '' : `_${account.toUpperCase().replaceAll('-', '_')}`}`;
  const secret = `hetzner/${account}/token`;
  const token = (outside.env[variable] || (await outside.secret(secret)))?.trim();
  if (token && !/^[!-~]+$/.test(token))
    throw inputError({
      code: 'credentials',
      what: 'connect to Hetzner Cloud',
      on: `account "${account}"`,
      why: 'what is set as the token has spaces or characters that no token has',
      hint: `set ${variable} or the secret ${secret} again`,
    });
  if (token) return token;
  throw inputError({
    code: 'no-credentials',
    what: 'connect to Hetzner Cloud',
    on: `account "${account}"`,
    why: 'there is no token',
    hint: `make one in the console of the project (Security, API tokens, read and write), then set ${variable} or the secret ${secret}`,
  });
}

export const endpointOf = ({ endpoint }: HetznerConfig, { env }: Outside): string =>
  (endpoint ?? (env.HCLOUD_ENDPOINT || ENDPOINT)).replace(/\/+$/, '');

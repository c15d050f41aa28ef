import * as z from 'zod';
import type { CredentialSource } from '../../sdk/index.js';

export const ENDPOINT = 'https://api.hetzner.cloud/v1';

export const hetznerConfig = z.strictObject({
  account: z.string().optional().describe('Project name: its token is in HCLOUD_TOKEN_<NAME>. Default: HCLOUD_TOKEN'),
  endpoint: z.url().optional().describe(`API address. Default: HCLOUD_ENDPOINT, or ${ENDPOINT}`),
  pollMs: z.int().positive().default(250).describe('First polling interval, in milliseconds; later intervals are longer'),
});

export type HetznerConfig = z.infer<typeof hetznerConfig>;

export const endpointOf = ({ endpoint }: HetznerConfig, { env }: CredentialSource): string =>
  (endpoint ?? (env.HCLOUD_ENDPOINT || ENDPOINT)).replace(/\/+$/, '');

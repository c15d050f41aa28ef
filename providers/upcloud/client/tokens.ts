import * as z from 'zod';
import { type CallOptions, type Http, segment } from './http.js';

const token = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  last_used_at: z.string().optional(),
  can_create_tokens: z.boolean(),
  allowed_ip_ranges: z.array(z.string()),
  /** Secret; only in the answer of a creation. */
  token: z.string().optional(),
});
export type Token = z.output<typeof token>;

const tokenCreate = z.strictObject({
  name: z.string(),
  /** Or `expires_in` (`1h30min`); at most a year. */
  expires_at: z.string().optional(),
  expires_in: z.string().optional(),
  can_create_tokens: z.boolean().optional(),
  /** Address ranges that may use it. */
  allowed_ip_ranges: z.array(z.string()).optional(),
});
export type TokenCreate = z.output<typeof tokenCreate>;

/** Creates the calls for API tokens. */
export function createTokenCalls(http: Http) {
  return {
    list: (options?: CallOptions) => http.send('GET', '/account/tokens', { answer: z.array(token), options }),
    read: (id: string, options?: CallOptions) => http.send('GET', `/account/tokens/${segment(id)}`, { answer: token, options }),
    create: (wanted: TokenCreate, options?: CallOptions) =>
      http.send('POST', '/account/tokens', { body: z.encode(tokenCreate, wanted), answer: token, options }),
    delete: (id: string, options?: CallOptions) => http.tell('DELETE', `/account/tokens/${segment(id)}`, { options }),
  };
}

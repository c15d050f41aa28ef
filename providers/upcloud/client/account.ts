import * as z from 'zod';
import type { CallOptions, Http } from './http.js';
import { envelope } from './wire.js';

const account = z.looseObject({
  username: z.string(),
  /** Hundredths of the account's currency; sub-accounts may not see it. */
  credits: z.number().optional(),
  /** `cores`, `memory` (MiB), `public_ipv4`, `storage_maxiops` (GiB), `networks`, `detached_floating_ips`, … */
  resource_limits: z.record(z.string(), z.unknown()).optional(),
});
export type Account = z.output<typeof account>;

const details = z.looseObject({
  username: z.string(),
  currency: z.string().optional(),
});

/** Whose credentials these are. */
export function createAccountCalls(http: Http) {
  return {
    async read(options?: CallOptions) {
      return (await http.send('GET', '/account', { answer: envelope('account', account), options })).account;
    },

    /** Name, address and the like, with the currency; the main account may read it. */
    async details(username: string, options?: CallOptions) {
      const path = `/account/details/${encodeURIComponent(username)}`;
      return (await http.send('GET', path, { answer: envelope('account', details), options })).account;
    },
  };
}

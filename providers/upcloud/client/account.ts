import * as z from 'zod';
import type { CallOptions, Http } from './http.js';
import { envelope } from './wire.js';

const account = z.looseObject({
  username: z.string(),
  /** Hundredths of the account's currency; hidden from sub-accounts. */
  credits: z.number().optional(),
  /** `cores`, `memory` (MiB), `public_ipv4`, `storage_maxiops` (GiB), `networks`, `detached_floating_ips`, … */
  resource_limits: z.record(z.string(), z.unknown()).optional(),
});
export type Account = z.output<typeof account>;

const details = z.looseObject({
  username: z.string(),
  currency: z.string().optional(),
});

/** Creates the calls for the account of the credentials. */
export function createAccountCalls(http: Http) {
  return {
    async read(options?: CallOptions) {
      return (await http.send('GET', '/account', { answer: envelope('account', account), options })).account;
    },

    /** Reads name, address and currency, which only the main account may read. */
    async details(username: string, options?: CallOptions) {
      const path = `/account/details/${encodeURIComponent(username)}`;
      return (await http.send('GET', path, { answer: envelope('account', details), options })).account;
    },
  };
}

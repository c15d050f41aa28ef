import * as z from 'zod';
import { table } from './collection.js';

const at = z.iso.datetime();

const failedSignIns = z.strictObject({
  /** An address, or a network of IPv6. */
  address: z.string(),
  state: z.enum(['counting', 'blocked']),
  failures: z.int(),
  /** End of the count, or of the block. */
  until: at,
});

/** Failed sign-ins by address, as all instances know them. */
export const failedSignInsByAddress = table({
  name: 'failed_sign_ins',
  row: failedSignIns,
  key: ['address'],
  indexes: ['state'],
  sealed: true,
});

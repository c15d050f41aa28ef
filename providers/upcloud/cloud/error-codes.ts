import { TRANSIENT } from '../../../sdk/index.js';
import { BUG, CREDENTIALS, FAILED, type Meaning, NOT_PERMITTED, NOT_SETTLED, QUOTA, RATE_LIMITED, TABLE } from './error-table.js';

export type { Meaning } from './error-table.js';

/** Of codes that are in no table, and of answers without one. */
const BY_STATUS: Readonly<Record<number, Meaning>> = {
  401: CREDENTIALS,
  402: QUOTA,
  403: NOT_PERMITTED,
  404: NOT_SETTLED,
  408: FAILED,
  409: NOT_SETTLED,
  423: NOT_SETTLED,
};

/** What a refusal means: by the vendor's code, or else by the status of HTTP. */
export function explainError(code: string, status = 0): Meaning {
  const known = TABLE.get(code);
  if (status === 429) return known?.blame === TRANSIENT ? known : RATE_LIMITED;
  // Whatever it is called then, it is not our request that is wrong.
  if (status >= 500) return known?.blame === TRANSIENT ? known : FAILED;
  return known ?? BY_STATUS[status] ?? BUG;
}

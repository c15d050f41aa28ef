import { TRANSIENT } from '../../../sdk/index.js';
import { BUG, CREDENTIALS, FAILED, type Meaning, NOT_PERMITTED, NOT_SETTLED, QUOTA, RATE_LIMITED, TABLE } from './error-table.js';

export type { Meaning } from './error-table.js';

/** Meanings of unlisted codes, and of answers without a code. */
const BY_STATUS: Readonly<Record<number, Meaning>> = {
  401: CREDENTIALS,
  402: QUOTA,
  403: NOT_PERMITTED,
  404: NOT_SETTLED,
  408: FAILED,
  409: NOT_SETTLED,
  423: NOT_SETTLED,
};

/** Returns the meaning of a refusal: by the vendor's code, or otherwise by the HTTP status. */
export function explainError(code: string, status = 0): Meaning {
  const known = TABLE.get(code);
  if (status === 429) return known?.blame === TRANSIENT ? known : RATE_LIMITED;
  // Regardless of the code, the request is not at fault.
  if (status >= 500) return known?.blame === TRANSIENT ? known : FAILED;
  return known ?? BY_STATUS[status] ?? BUG;
}

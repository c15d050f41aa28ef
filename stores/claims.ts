import { createHash } from 'node:crypto';
import { GOOD_FOR_MS } from '../core/encoding/sealed-message.js';

/**
 * Which run each message that starts one was used for. Kept outside of Temporal,
 * where who may write could start an ended workflow again with its recorded input.
 */
export interface Claims {
  /** Whether this run is the first to use the message; also when it asks again. */
  claim(start: string, run: string): Promise<boolean>;
}

/** A claim, as it moves to another store. */
export interface KeptClaim {
  /** SHA-256 of the message. */
  hash: string;
  run: string;
}

/** By what files know a message. */
export const hashMessage = (start: string): string => createHash('sha256').update(start).digest('hex');

/** After this time no run can begin with the message any more, in milliseconds. */
export const FORGET_AFTER_MS = 3 * GOOD_FOR_MS;
/** So many runs need not be looked up again. */
const KNOWN = 5_000;

/** Answers for runs that were looked up before without asking again. */
export function rememberClaims(claims: Claims): Claims {
  const known = new Map<string, string>();
  return {
    async claim(start, run) {
      const before = known.get(start);
      if (before !== undefined) return before === run;
      const ours = await claims.claim(start, run);
      if (ours) known.set(start, run);
      if (known.size > KNOWN) known.delete(known.keys().next().value as string);
      return ours;
    },
  };
}

import { createHash } from 'node:crypto';
import { GOOD_FOR_MS } from '../core/encoding/sealed-message.js';

/**
 * The run that used each start message. Stored outside of Temporal, where write access would be enough to start an
 * ended workflow again with its recorded input.
 */
export interface Claims {
  /** Returns whether this run is the first to use the message, also for a repeated call of the run. */
  claim(start: string, run: string): Promise<boolean>;
}

/** A claim, as it moves to another store. */
export interface KeptClaim {
  /** SHA-256 of the message. */
  hash: string;
  run: string;
}

/** Returns the name of a message in files. */
export const hashMessage = (start: string): string => createHash('sha256').update(start).digest('hex');

/** After this time no run can begin with the message any more, in milliseconds. */
export const FORGET_AFTER_MS = 3 * GOOD_FOR_MS;
/** Number of cached runs. */
const KNOWN = 5_000;

/** Caches the answers for runs that were queried before. */
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

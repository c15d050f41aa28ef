import type { NewEntry } from '../../stores/audit/chain.js';

/** A record before it is written: with names instead of their ids. */
export interface Draft extends Omit<NewEntry, 'who' | 'from'> {
  actor?: string;
  address?: string;
  salt?: string;
}

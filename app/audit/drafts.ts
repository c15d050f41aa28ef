import type { NewEntry } from '../../stores/audit/chain.js';

/** A record before it is written: with names in place of their ids. */
export interface Draft extends Omit<NewEntry, 'who' | 'from'> {
  actor?: string;
  address?: string;
  salt?: string;
}

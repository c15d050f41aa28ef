import type { Fact } from './facts.js';
import type { Leads, ZoneAt } from './step.js';

/** A name of a zone: one that was asked for, or one that bears our mark. */
export interface FoundName extends Leads {
  name: string;
  /** The server that set it, where it bears our mark. */
  server?: string;
  /** What is there of somebody else's: `A 192.0.2.9`. */
  foreign?: string;
}

/** What is known of names at a provider, and of the server that they lead to. */
export interface FoundRecords {
  /** Empty where nobody has looked. */
  server: string;
  /** By which others reach the server, where it is there. */
  address?: string;
  /** Why a server that is there has no such address. */
  noAddress?: string;
  names: FoundName[];
}

/** Asks for names of a zone, and for those that bear our mark. The worker answers, by the provider's credentials. */
export function zoneRecords(at: ZoneAt, names: readonly string[]): Extract<Fact<FoundRecords>, { kind: 'records' }> {
  return { kind: 'records', at, names: [...names] };
}

/** The name of the record that says whose the records of a name are. */
export const markNameOf = (name: string): string => `_provisioning.${name}`;

/** The text of that record. */
export const markOf = (owner: string, server: string): string => `heritage=provisioning,owner=${owner},server=${server}`;

/** The server that a mark of this owner names; undefined where it is another's. */
export function serverInMark(owner: string, mark: string): string | undefined {
  const start = markOf(owner, '');
  return mark.startsWith(start) ? mark.slice(start.length) : undefined;
}

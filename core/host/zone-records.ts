import type { Fact } from './facts.js';
import type { Leads, ZoneAt } from './step.js';

/** A name of a zone: a queried one, or one with the platform's mark. */
export interface FoundName extends Leads {
  name: string;
  /** Server that set it, if it has the platform's mark. */
  server?: string;
  /** Record of others: `A 192.0.2.9`. */
  foreign?: string;
}

/** State of names at a provider, and of their server. */
export interface FoundRecords {
  /** Empty if no look was made. */
  server: string;
  /** Address at which others reach the server, if the server exists. */
  address?: string;
  /** Why a server that is there has no such address. */
  noAddress?: string;
  names: FoundName[];
}

/** Queries names of a zone, and those with the platform's mark. The worker answers with the provider's credentials. */
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

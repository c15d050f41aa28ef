import type { Fact } from './facts.js';

/** A zone of the DNS at an account of a provider, and what marks records in it as ours. */
export interface ZoneAt {
  /** With its account: `hetzner/prod`. */
  provider: string;
  zone: string;
  /** One that no other infra has. */
  owner: string;
}

/** What a name resolves to. */
export interface Leads {
  /** In seconds. */
  ttl: number;
  addresses: string[];
}

/**
 * Sets the addresses of a name, or removes them, at the provider of its zone. It is done in the worker, which has the
 * provider's credentials, and only where nobody else has records there.
 */
export interface RecordsAction extends ZoneAt {
  name: string;
  /** Absent: the records are removed. Without `addresses`: the address of the server. */
  to?: { ttl: number; addresses?: string[] };
  /** What was there, of ours: what an undo brings back. `server` is the one that set it. */
  from?: Leads & { server: string };
}

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

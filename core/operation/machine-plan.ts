import type { Connection, WantedNetwork } from '../machine/provider.js';

/** What a server needs, decided from what the provider says is there. */
export interface ServerChange {
  server: string;
  action: 'noop' | 'create' | 'adopt' | 'update' | 'replace' | 'delete';
  /** What differs, for `update` and `replace`. */
  changes: string[];
  /** Volumes whose data a deletion or replacement destroys. */
  volumes: string[];
  /** It exists and does not run: nothing can be asked of its host before it is started. */
  stopped?: true;
  /** How to reach it now, where it exists. */
  connection?: Connection;
  id?: string;
  /** The paths of its volumes' disks on the host, where it has disks. */
  devices?: Record<string, string>;
}

/** What the providers say, and what follows from it. */
export interface MachinePlan {
  servers: ServerChange[];
  networks: (WantedNetwork & { provider: string; missing: boolean })[];
}

/** What a provider said already when an operation began. */
export interface EarlyLook extends MachinePlan {
  /** Milliseconds of the epoch. */
  at: number;
}

/** An older look is not gone by, in milliseconds: the operation looks for itself. */
export const LOOK_LASTS_MS = 10_000;

import type { Connection, WantedNetwork } from '../machine/provider.js';

/** Needed change of a server, from its provider's answer. */
export interface ServerChange {
  server: string;
  action: 'noop' | 'create' | 'adopt' | 'update' | 'replace' | 'delete';
  /** Differences, for `update` and `replace`. */
  changes: string[];
  /** Volumes whose data a deletion or replacement destroys. */
  volumes: string[];
  /** It exists and does not run: nothing can be asked of its host before it is started. */
  stopped?: true;
  /** Its present connection, if it exists. */
  connection?: Connection;
  id?: string;
  /** Device paths of its volumes on the host, if it has disks. */
  devices?: Record<string, string>;
}

/** Answers of the providers, and the resulting changes. */
export interface MachinePlan {
  servers: ServerChange[];
  networks: (WantedNetwork & { provider: string; missing: boolean })[];
}

/** Answer that a provider had already given when an operation began. */
export interface EarlyLook extends MachinePlan {
  /** Milliseconds of the epoch. */
  at: number;
}

/** An older look is not gone by, in milliseconds: the operation looks for itself. */
export const LOOK_LASTS_MS = 10_000;

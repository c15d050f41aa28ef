import type { Scope } from '../machine/call-context.js';

/** Whose a host says that it is. */
export interface HostMark extends Scope {
  /** A mark of this set-up for this server is beside it, sealed: neither root there nor another set-up can have made it. */
  proven: boolean;
}

/** Content of a service's last journal. Root on the host can write it, so it is only reported, and decides nothing. */
export interface JournaledService {
  taskserv: string;
  operation: string;
  /** When that ended, or was last at work, by the host's clock: ISO time. */
  at: string;
  outcome: 'done' | 'failed' | 'canceled' | 'paused' | 'undone' | 'unended';
  /** Absent where it was removed, and in journals of former versions. */
  version?: string;
  /** Identifies its configuration (`configHash`). */
  config?: string;
  /** It was taken away. */
  removed?: true;
}

/** Record of a host: its managing infra, and the work on it. */
export interface HostRecord {
  server: string;
  provider: string;
  /** The provider's id of it. */
  id: string;
  /** Absent without a mark. */
  mark?: HostMark;
  services: JournaledService[];
  /** Why it could not be looked at. */
  why?: string;
}

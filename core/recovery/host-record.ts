import type { Scope } from '../machine/call-context.js';

/** Whose a host says that it is. */
export interface HostMark extends Scope {
  /** A mark of this set-up for this server is beside it, sealed: neither root there nor another set-up can have made it. */
  proven: boolean;
}

/** What the last journal of a service says. Root on the host can write it: it is told, and nothing is decided by it. */
export interface JournaledService {
  taskserv: string;
  operation: string;
  /** When that ended, or was last at work, by the host's clock: ISO time. */
  at: string;
  outcome: 'done' | 'failed' | 'canceled' | 'paused' | 'undone' | 'unended';
  /** Absent where it was removed, and in journals of former versions. */
  version?: string;
  /** What tells its configuration from others (`configHash`). */
  config?: string;
  /** It was taken away. */
  removed?: true;
}

/** What a host keeps of who manages it and of what was done there. */
export interface HostRecord {
  server: string;
  provider: string;
  /** The provider's id of it. */
  id: string;
  /** Absent: it bears none. */
  mark?: HostMark;
  services: JournaledService[];
  /** Why it could not be looked at. */
  why?: string;
}

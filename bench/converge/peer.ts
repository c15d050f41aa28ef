import type { Invocation, Run } from '../measure.js';
import type { Access, Host } from './hosts.js';

export interface PeerSetup {
  /** Temporary folder of the peer. */
  folder: string;
  /** Kept between runs. */
  cache: string;
  hosts: Host[];
  access: Access;
}

/** Tool that converges hosts. */
export interface Peer {
  name: string;
  /** Maximum ratio of our time to its time. */
  goal?: number;
  /** Installs the requirements and writes the input. Returns the command to measure. */
  prepare(setup: PeerSetup): Promise<Invocation>;
  /** Throws unless a run reports that nothing was to do and all services are healthy. */
  assertIdle(run: Run): void;
  /** Returns the processor time of its long-lived programs, in seconds by name. */
  processor?(): Promise<Record<string, number>>;
  /** Returns the durations of the last runs in milliseconds, measured by the peer itself, the latest first. */
  lasted?(runs: number): Promise<number[]>;
  close?(): Promise<void>;
}

import type { Invocation, Run } from '../measure.js';
import type { Access, Host } from './hosts.js';

export interface PeerSetup {
  /** A folder of its own, which goes away afterwards. */
  folder: string;
  /** Kept between runs. */
  cache: string;
  hosts: Host[];
  access: Access;
}

/** One way to bring hosts to where they should be. */
export interface Peer {
  name: string;
  /** At most this part of its time is what we want to need. */
  goal?: number;
  /** Installs what it needs and writes its input; answers the command that is measured. */
  prepare(setup: PeerSetup): Promise<Invocation>;
  /** Throws unless a run says that nothing was to be done and that all is well. */
  assertIdle(run: Run): void;
  /** What its own long-lived programs have computed so far, in seconds by name. */
  processor?(): Promise<Record<string, number>>;
  /** Milliseconds of the last runs on the clock of what does the work, the latest first. */
  lasted?(runs: number): Promise<number[]>;
  close?(): Promise<void>;
}

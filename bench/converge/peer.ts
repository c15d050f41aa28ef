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
  close?(): Promise<void>;
}

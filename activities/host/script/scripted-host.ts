import type { Dependencies } from '../../dependencies.js';
import type { HostRef } from '../host.js';
import type { Transport } from '../transport.js';

/** A host that runs scripts, and the way that they take. */
export interface ScriptedHost extends Pick<HostRef, 'scope' | 'server'> {
  /** @param fresh by a connection of its own, opened now: proof that new ones still get in */
  open(options?: { fresh?: boolean }): Promise<Transport & { close(): void }>;
}

/** Dependencies of such a host on the worker. */
export type ScriptDependencies = Pick<Dependencies, 'secrets' | 'providers' | 'sealer' | 'logs'>;

import type { CallContext } from '../../../sdk/index.js';
import type { Account } from './account.js';
import type { InfraRegions } from './infra-regions.js';
import type { findInstance, StateOf } from './instances.js';
import type { Ask, Purpose, Region } from './region.js';

/** Instance with its region. */
export interface LocatedInstance {
  region: Region;
  ask: Ask;
  instance: NonNullable<Awaited<ReturnType<typeof findInstance>>>;
  id: string;
  stateOf: StateOf;
}

/** Servers of an account, as its verbs find them: a server's name does not contain its region. */
export interface Servers {
  account: Account;
  regions: InfraRegions;
  /** Runs changes of one server in sequence. */
  turn<T>(context: CallContext, name: string, run: () => Promise<T>): Promise<T>;
  watchOf(region: Region): StateOf;
  lookFor(name: string, context: CallContext, purpose: Purpose): Promise<LocatedInstance | undefined>;
  /** Finds an existing server. Throws the input error `server-gone`. */
  locate(name: string, context: CallContext, purpose: Purpose): Promise<LocatedInstance>;
}

import type { CallContext } from '../../../sdk/index.js';
import type { Account } from './account.js';
import type { InfraRegions } from './infra-regions.js';
import type { findInstance, StateOf } from './instances.js';
import type { Ask, Purpose, Region } from './region.js';

/** An instance with the region that it is in. */
export interface LocatedInstance {
  region: Region;
  ask: Ask;
  instance: NonNullable<Awaited<ReturnType<typeof findInstance>>>;
  id: string;
  stateOf: StateOf;
}

/** The servers of an account, as its verbs find them: a name alone does not say in which region. */
export interface Servers {
  account: Account;
  regions: InfraRegions;
  /** What changes one server happens one after the other. */
  turn<T>(context: CallContext, name: string, run: () => Promise<T>): Promise<T>;
  watchOf(region: Region): StateOf;
  lookFor(name: string, context: CallContext, purpose: Purpose): Promise<LocatedInstance | undefined>;
  /** One that has to be there. Throws the input error `server-gone`. */
  locate(name: string, context: CallContext, purpose: Purpose): Promise<LocatedInstance>;
}

import type { Inventory } from '../../core/infra/inventory.js';
import type { Received } from '../../core/infra/received.js';
import type { AdmissionState } from './admission.js';

/** The form of what runs hand on. Raised with each change that `upgraded` has to know of. */
export const STATE_VERSION = 2;

/** What a run of the entity hands to the next. */
export interface InfraState extends AdmissionState {
  version: typeof STATE_VERSION;
  inventory: Inventory;
  /** Counts the states that runs of the entity began with, over all its lives. */
  sequence: number;
  /** The definition that was submitted last of all that it has received. */
  received?: Received;
}

/** Version 1, which does not say so: whatever had been added by then is missing in what was begun before. */
export interface FormerInfraState extends Partial<Omit<InfraState, 'version' | 'inventory'>> {
  version?: 1;
  inventory: Inventory;
}

/**
 * A state of any version in the form of the present one.
 *
 * @throws Error of one that is newer: the task is tried again until a worker comes that knows it
 */
export function upgraded(state: InfraState | FormerInfraState): InfraState {
  if (isPresent(state)) return state;
  const version: number = state.version ?? 1;
  if (version !== 1) throw new Error(`cannot go on with a state of version ${version}: this build knows up to ${STATE_VERSION}`);
  const admission = { holders: [], waiters: [], nextGrant: 1, nextArrival: 1 };
  return { ...admission, sequence: 0, ...state, version: STATE_VERSION };
}

const isPresent = (state: InfraState | FormerInfraState): state is InfraState => state.version === STATE_VERSION;

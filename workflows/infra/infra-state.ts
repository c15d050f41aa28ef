import type { Definition } from '../../core/definition/definition.js';
import { createDefinitionLog, type DefinitionLogState } from '../../core/infra/definition-log.js';
import type { KnownInfra } from '../../core/infra/feed.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { ReceivedDefinition } from '../../core/infra/lock.js';
import type { AdmissionState } from './admission.js';
import type { FeedOnTheWay } from './feed.js';

/** The form of what runs hand on. Raised with each change that `upgradeInfraState` has to know of. */
export const STATE_VERSION = 3;

/** State that a run of the entity passes to the next. */
export interface InfraState extends AdmissionState {
  version: typeof STATE_VERSION;
  inventory: Inventory;
  /** Counts the states that runs of the entity began with, over all its lives. */
  sequence: number;
  /** The definition that was submitted last of all that it has received. */
  received?: ReceivedDefinition;
  /** The definitions that were applied. */
  definitions: DefinitionLogState;
  /** By content address: those that operations which hold or wait for locks are to apply. */
  brought: Record<string, Definition>;
  /** Accepted changes that the store may not have. Absent in runs from before the feed existed. */
  feed?: FeedOnTheWay;
}

/** State with which a recovered infra begins. */
export interface RecoveredInfra extends KnownInfra {
  /** Number of the last change in its feed; 0 without one. */
  last: number;
}

/**
 * Version 1, which does not say so: whatever had been added by then is missing in what was begun before. Version 2
 * knows only the last applied definition.
 */
export interface FormerInfraState extends Partial<Omit<InfraState, 'version' | 'inventory' | 'definitions' | 'brought'>> {
  version?: 1 | 2;
  inventory: Inventory;
}

/**
 * A state of any version in the form of the present one.
 *
 * @throws Error of one that is newer: the task is tried again until a worker comes that knows it
 */
export function upgradeInfraState(state: InfraState | FormerInfraState): InfraState {
  if (isPresent(state)) return state;
  const version: number = state.version ?? 1;
  if (version !== 1 && version !== 2)
    throw new Error(`cannot continue with a state of version ${version}: this build supports up to ${STATE_VERSION}`);
  const admission = { holders: [], waiters: [], nextGrant: 1, nextArrival: 1 };
  const definitions = createDefinitionLog(state.inventory.definition, state.received);
  return { ...admission, sequence: 0, ...state, definitions, brought: {}, version: STATE_VERSION };
}

const isPresent = (state: InfraState | FormerInfraState): state is InfraState => state.version === STATE_VERSION;

import type { SavedPlan } from '../../authoring/plan/plan-file.js';
import { checkPlace } from '../../authoring/plan/saved-plan.js';
import { inputError } from '../../core/errors.js';
import { summarizePlanned } from '../../core/plan/planned-of.js';
import type { FlagsOf, FROZEN_LOCK, OPERATION, PLAN_OUT, UPDATE } from '../command.js';
import type { Session } from '../program/session.js';
import { operate } from './operate.js';

type Flags = FlagsOf<typeof OPERATION> & FlagsOf<[typeof PLAN_OUT]> & FlagsOf<typeof UPDATE> & FlagsOf<[typeof FROZEN_LOCK]>;

/** Options that a plan determines, by their names on the command line. */
const SAID_BY_PLAN = {
  planOut: '--plan-out',
  diff: '--diff',
  onFailure: '--on-failure',
  onTimeout: '--on-timeout',
  approve: '--approve',
  strategy: '--strategy',
  frozenLock: '--frozen-lock',
  batchSize: '--batch-size',
  maxUnavailable: '--max-unavailable',
  pauseOnFailure: '--pause-on-failure',
} as const satisfies Partial<Record<keyof Flags, string>>;

/**
 * Runs exactly a saved plan.
 *
 * @returns the exit code
 * @throws inputError if it belongs to another place, or other options contradict it
 */
export async function applyPlan(session: Session, flags: Flags, file: string, plan: SavedPlan): Promise<number> {
  for (const [key, option] of Object.entries(SAID_BY_PLAN)) {
    if (flags[key as keyof typeof SAID_BY_PLAN] === undefined) continue;
    const why = 'a saved plan runs without changes';
    throw inputError({
      code: 'bad-arguments',
      what: 'read the command line',
      on: option,
      why,
      hint: 'create another plan with this option',
    });
  }
  await checkPlace(session, plan, file);
  const { infra, steps } = plan;
  const { kind, intent, definition, onFailure, onTimeout, priority, allowDestroy, approve, update } = plan.request;
  const { batch: batchSize, ...way } = update ?? {};
  const asPlanned: Flags = { ...way, batchSize, onFailure, onTimeout, priority, ...flags };
  return operate(session, asPlanned, {
    ...{ kind, infra, intent, definition, approve },
    destroysByName: allowDestroy,
    plan: { planned: summarizePlanned(steps, { definition }), steps },
  });
}

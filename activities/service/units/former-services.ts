import type { TaskservSpec } from '../../../core/definition/definition.js';
import type { Answer } from '../../../core/host/question.js';
import { repairsAmong } from '../../../core/host/repairs.js';
import type { AnyUnit, UnitContext } from '../../../core/host/unit.js';
import type { AnyTaskserv, Peer } from '../../../core/taskserv/taskserv.js';
import { type PlannedUnit, planUnits } from './plan-units.js';
import { createUnits } from './units-of.js';

/** What was wanted of the services of a host before: all that is not said here was wanted as it is now. */
export interface FormerServices {
  /** Those of which something else was wanted, or that stood among other peers. */
  ensure?: TaskservSpec[];
  /** Of these, who offered what. */
  peers?: readonly Peer[];
  /** Those that were not wanted there, by name. */
  fresh?: string[];
}

/** The units of what was wanted before, where that was something else. Only their facts are asked for. */
export function formerUnits(
  taskservs: Record<string, AnyTaskserv>,
  { ensure = [] }: FormerServices,
  guess: UnitContext,
): AnyUnit[] {
  return createUnits(taskservs, { ensure, remove: [] }, guess).map(({ health: _, ...unit }) => unit);
}

/**
 * Says of each service which of its steps only repair.
 *
 * @param planned the services to be there, in order
 * @param units of what was wanted before (`formerUnits`), with the host's answers
 * @returns the positions of these steps, by name of the service
 */
export function planRepairs(
  planned: readonly PlannedUnit[],
  { fresh = [], peers }: FormerServices,
  { units, answers, around }: { units: readonly AnyUnit[]; answers: readonly Answer[]; around: UnitContext },
): Map<string, number[]> {
  const former = new Map(
    planUnits(units, answers, { ...around, ...(peers && { peers }) }).map(({ unit, steps }) => [unit, steps] as const),
  );
  return new Map(
    planned.flatMap(({ unit, remove, steps, ahead = 0 }) => {
      if (remove || fresh.includes(unit) || steps.length === 0) return [];
      const own = steps.slice(ahead);
      const repairs = repairsAmong(own, former.get(unit) ?? own).map((index) => index + ahead);
      return [[unit, repairs] as const];
    }),
  );
}

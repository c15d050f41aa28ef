import type { TaskservSpec } from '../../../core/definition/definition.js';
import type { Answer } from '../../../core/host/question.js';
import { repairsAmong } from '../../../core/host/repairs.js';
import type { AnyUnit, UnitContext } from '../../../core/host/unit.js';
import type { AnyTaskserv, Peer } from '../../../core/taskserv/taskserv.js';
import { type PlannedUnit, planUnits } from './plan-units.js';
import { createUnits } from './units-of.js';

/** Former goals of a host's services. Goals that it omits were the same as now. */
export interface FormerServices {
  /** Those of which something else was wanted, or that stood among other peers. */
  ensure?: TaskservSpec[];
  /** Their former peers. */
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
 * Finds the steps of each service that only repair.
 *
 * @param planned the wanted services, in order
 * @param units units of the former goal (`formerUnits`), with the host's answers
 * @returns the indices of these steps, by name of the service
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

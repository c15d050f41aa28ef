import type { Facts, FoundFacts } from '../../../core/host/facts.js';
import type { Answer } from '../../../core/host/question.js';
import type { Step } from '../../../core/host/step.js';
import type { StepChange } from '../../../core/host/step-change.js';
import type { AnyUnit, Stage, UnitContext, UnitPlan } from '../../../core/host/unit.js';

/** Plan of one unit. */
export type PlannedUnit = UnitPlan &
  Pick<AnyUnit, 'unit'> & {
    /** How many of its first steps are not its own, but what the host needs along with it. */
    ahead?: number;
  };

/**
 * Plans the pending steps of each unit, in order of their execution.
 *
 * @param answers in the order of `units`
 * @param explained describes a step; absent: no description
 */
export function planUnits(
  units: readonly AnyUnit[],
  answers: readonly Answer[],
  around: UnitContext,
  explained?: (step: Step, unit: AnyUnit, found: FoundFacts<Facts>) => StepChange,
): PlannedUnit[] {
  const asked = units.map((unit, index) => ({ unit, answer: answers[index] as Answer }));
  const told = Object.assign({}, around, ...asked.map(({ unit, answer }) => unit.tells?.(answer.found))) as UnitContext;
  const at = (stage: Stage): PlannedUnit[] =>
    asked
      .filter(({ unit }) => unit.stage === stage)
      .flatMap(({ unit, answer }) => {
        const planned = unit.plan(answer, told);
        if (!planned) return [];
        const changes = explained && { changes: planned.steps.map((step) => explained(step, unit, answer.found)) };
        return [{ unit: unit.unit, ...planned, ...changes }];
      });
  const [removed, prepared, ahead] = [at('remove'), at('prepare'), at('ahead')];
  const [first, ...others] = at('install');
  const before = ahead.flatMap(({ steps }) => steps);
  const changes = explained && { changes: [...ahead.flatMap((one) => one.changes ?? []), ...(first?.changes ?? [])] };
  const along = before.length > 0 && { ahead: before.length };
  const installed = first ? [{ ...first, steps: [...before, ...first.steps], ...changes, ...along }, ...others] : [];
  return [...removed, ...prepared, ...installed];
}

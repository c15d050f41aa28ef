import type { Answer } from '../../../core/host/question.js';
import type { AnyUnit, Around, Planned, Stage } from '../../../core/host/unit.js';

/** What was planned for one unit. */
export type PlannedUnit = Planned & Pick<AnyUnit, 'unit'>;

/**
 * What is still to be done for each unit, in the order in which it is done.
 *
 * @param answers in the order of `units`
 */
export function planUnits(units: readonly AnyUnit[], answers: readonly Answer[], around: Around): PlannedUnit[] {
  const asked = units.map((unit, index) => ({ unit, answer: answers[index] as Answer }));
  const told = Object.assign({}, around, ...asked.map(({ unit, answer }) => unit.tells?.(answer.found))) as Around;
  const at = (stage: Stage): PlannedUnit[] =>
    asked
      .filter(({ unit }) => unit.stage === stage)
      .flatMap(({ unit, answer }) => {
        const planned = unit.plan(answer, told);
        return planned ? [{ unit: unit.unit, ...planned }] : [];
      });
  const [removed, prepared, ahead] = [at('remove'), at('prepare'), at('ahead')];
  const [first, ...others] = at('install');
  const before = ahead.flatMap(({ steps }) => steps);
  const installed = first ? [{ ...first, steps: [...before, ...first.steps] }, ...others] : [];
  return [...removed, ...prepared, ...installed];
}

import { same } from '../encoding/hash.js';
import { kindOf, type Step } from './step.js';

/** Kinds of steps whose result does not depend on earlier steps. */
const STANDS_ALONE: readonly string[] = ['file', 'absent', 'directory', 'package', 'artifact', 'records'];

/**
 * The positions of those steps that only repair: they would have been done without any change of what is wanted. A
 * script and a service also depend on what was done before them, so they count only where all of that is a repair, too.
 *
 * @param former the steps that the same host needs to become what was wanted before
 */
export function repairsAmong(steps: readonly Step[], former: readonly Step[]): number[] {
  const repairs: number[] = [];
  for (const [index, step] of steps.entries()) {
    const isWantedBefore = former.some((one) => same(one, step));
    if (isWantedBefore && (STANDS_ALONE.includes(kindOf(step)) || repairs.length === index)) repairs.push(index);
  }
  return repairs;
}

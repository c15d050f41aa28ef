import { inputError } from '../../core/errors.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { listDestroyed } from '../../core/plan/destroyed.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { FlagsOf, OPERATION } from '../command.js';
import { harmText } from '../render/preview.js';

/**
 * Determines what may be destroyed: everything, or only on named servers.
 *
 * @param destroysByName what the user named in another way
 * @throws inputError `bad-arguments`
 */
export function chooseAllowed(
  { allowDestroy, allowDestroyOf }: Pick<FlagsOf<typeof OPERATION>, 'allowDestroy' | 'allowDestroyOf'>,
  destroysByName: boolean | readonly string[] = false,
): Pick<OperationRequest, 'allowDestroy'> {
  if (allowDestroy && allowDestroyOf) throw allOrSome();
  if (allowDestroyOf) return { allowDestroy: allowDestroyOf };
  if (allowDestroy || destroysByName === true) return { allowDestroy: true };
  return destroysByName ? { allowDestroy: [...destroysByName] } : {};
}

const allOrSome = () =>
  inputError({
    code: 'bad-arguments',
    what: 'read the command line',
    on: '--allow-destroy',
    why: '--allow-destroy allows everything, but --allow-destroy-of names servers',
    hint: 'give one of the two',
  });

/**
 * Rejects further destruction like the workflow does, before any question is asked.
 *
 * @throws inputError `destruction-not-allowed`
 */
export function refuseUnnamed(plan: readonly PlannedStep[], named: readonly string[]): void {
  const unnamed = listDestroyed(plan).filter((on) => !named.includes(on));
  if (unnamed.length === 0) return;
  throw inputError({
    code: 'destruction-not-allowed',
    what: 'begin the operation',
    on: unnamed.join(', '),
    why: `the plan ${harmText(plan.filter(({ on }) => unnamed.includes(on)))}, which --allow-destroy-of does not name`,
    hint: `add ${unnamed.map((on) => `--allow-destroy-of ${on}`).join(' ')}, or change the definition`,
  });
}

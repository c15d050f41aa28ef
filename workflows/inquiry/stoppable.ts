import { CancellationScope, isCancellation, setHandler } from '@temporalio/workflow';
import type { ControlEntry, Controller } from '../../core/operation/control.js';
import { stopUpdate } from '../operation/control.js';
import { createRefusal } from '../operation/failures.js';
import { refuse } from '../operation/unsigned-cancel.js';

/**
 * Does the work of an inquiry, which the signed cancel of operations ends.
 *
 * @param what is asked, for the error of whoever waits for the answer
 * @throws the failure `canceled`, with who canceled it
 */
export async function stoppable<T>(what: string, on: string, work: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope();
  let stopped: ControlEntry | undefined;
  const stop = ({ actor, why }: Controller): ControlEntry => {
    stopped = { at: new Date(Date.now()).toISOString(), actor, did: 'cancel', ...(why && { why }) };
    scope.cancel();
    return stopped;
  };
  setHandler(stopUpdate, stop, {
    validator(_by) {
      if (stopped) throw refuse('already-stopping', 'it is already stopping');
    },
  });
  try {
    return await scope.run(work);
  } catch (error) {
    if (!stopped || !isCancellation(error)) throw error;
    const { actor, why } = stopped;
    throw createRefusal({ code: 'canceled', what, on, why: `${actor} canceled it${why ? `: ${why}` : ''}` });
  }
}

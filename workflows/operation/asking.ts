import { describeFailedStep } from '../../core/errors.js';
import type { Decision, Failure } from '../../core/operation/operation.js';
import type { Answer } from './control-desk.js';
import type { Place } from './failures.js';
import type { Operation } from './operation.js';
import { listUndone } from './planned-undo.js';

/** Result of a failure: a decision, or changed input, after which everything is decided again. */
type Outcome = Pick<Answer, 'decision' | 'actor' | 'why'> | 'changed';

/** Asks about failures, one question at a time. Other failures wait for their turn. */
export function createAsking(operation: Operation) {
  const { request, progress, control } = operation;
  let last = Promise.resolve();
  /** The answer that ended the operation. It is not asked about other failures. */
  let final: Decision | undefined;
  let turning = false;

  return {
    /** Other input was given: what is under way is waited for, and nothing new is begun. */
    get turning() {
      return turning;
    },
    /** Goes on with the other input. */
    begin() {
      turning = false;
    },
    /** Waits until every question is answered. */
    settled: () => last,
    async ask(failure: Failure, at: Place, required?: boolean): Promise<Outcome> {
      const turn = last.then(async () => {
        if (turning) return 'changed';
        if (final) return { decision: final, actor: '' };
        progress.error = failure;
        const text = `${describeFailedStep(failure)}. Retry, ${required ? '' : 'skip, '}keep or roll back?`;
        progress.undoes = listUndone(operation);
        const answer = await control.askDecision(text, at, required);
        progress.undoes = undefined;
        if (answer.decision === 'retry' || answer.decision === 'skip') progress.error = undefined;
        else final = answer.decision;
        if (!answer.definition) return answer;
        request.definition = answer.definition;
        operation.submitted = new Date(Date.now()).toISOString();
        turning = true;
        return 'changed';
      });
      last = turn.then(
        () => {},
        () => {},
      );
      return turn;
    },
  };
}

import { isCancellation } from '@temporalio/workflow';
import { failedStepText } from '../../core/errors.js';
import type { Decision, Failure } from '../../core/operation/operation.js';
import type { Answer } from './control-desk.js';
import { describeFailure, GivenUp, InputChanged, OperationStopped, type Place } from './failures.js';
import type { Operation } from './operation.js';
import { policyOf, subjectOf } from './outcome.js';

/** What is attempted, and how its failure is dealt with. */
export interface Attempted extends Place {
  /** As with `ask`, whatever the policy. */
  ask?: boolean;
  /** It may not be skipped. */
  required?: boolean;
}

/** A reason, as it stands behind a sentence. */
export const reason = ({ why }: { why?: string }) => (why ? ` (${why})` : '');

export type Attempts = ReturnType<typeof attemptsOf>;

/** How an operation does things one by one under its on-failure policy, and what it asks about them. */
export function attemptsOf(operation: Operation) {
  const { request, progress, control } = operation;
  let asking = Promise.resolve();
  /** The answer that ended the operation: what else failed meanwhile is not asked about. */
  let final: Decision | undefined;
  let turning = false;
  let changes = 0;
  let firstFailure: Failure | undefined;
  const generations = new Map<string, number>();
  const givenUp: Failure[] = [];

  /** Shows the failure in the cell of the server or service that it happened to. */
  function markFailed(on: string, { step, why }: Failure): void {
    const [server, taskserv] = on.split('/');
    const cell = progress.cells.find((one) => one.server === server && one.taskserv === taskserv);
    if (cell) operation.show({ ...cell, state: 'failed', step: `${step}: ${why}` });
  }

  /** One question at a time; others that failed meanwhile wait for their turn. */
  async function ask(
    failure: Failure,
    at: Place,
    required?: boolean,
  ): Promise<Pick<Answer, 'decision' | 'actor' | 'why'> | 'changed'> {
    const turn = asking.then(async () => {
      if (turning) return 'changed';
      if (final) return { decision: final, actor: '' };
      progress.error = failure;
      const text = `${failedStepText(failure)}. Retry, ${required ? '' : 'skip, '}keep or roll back?`;
      const answer = await control.askDecision(text, at, required);
      if (answer.decision === 'retry' || answer.decision === 'skip') progress.error = undefined;
      else final = answer.decision;
      if (!answer.definition) return answer;
      request.definition = answer.definition;
      operation.submitted = new Date(Date.now()).toISOString();
      turning = true;
      return 'changed';
    });
    asking = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  return {
    /** Other input was given: what is under way is waited for, and nothing new is begun. */
    get turning() {
      return turning;
    },
    /** How often the input was changed. */
    get changes() {
      return changes;
    },
    /** The first that failed by itself. */
    get firstFailure() {
      return firstFailure;
    },
    /** What was given up by force. */
    givenUp: givenUp as readonly Failure[],
    /** Waits until every question is answered. */
    settled: () => asking,
    /** Goes on with the other input. */
    begin() {
      turning = false;
      changes++;
    },
    async attempt<T>({ ask: always, required, ...at }: Attempted, run: (generation: number) => Promise<T>): Promise<T | undefined> {
      for (;;) {
        if (turning) throw new InputChanged();
        await control.go();
        const generation = (generations.get(at.on) ?? 0) + 1;
        generations.set(at.on, generation);
        try {
          return await control.unlessForced(at, () => run(generation));
        } catch (error) {
          if (isCancellation(error) || error instanceof InputChanged) throw error;
          const failure = describeFailure(error, at);
          markFailed(at.on, failure);
          if (error instanceof GivenUp) {
            givenUp.push(failure);
            throw error;
          }
          firstFailure ??= failure;
          const asks = always || policyOf(request, operation.inventory.definition) === 'ask';
          const answer = asks ? await ask(failure, at, required) : undefined;
          if (answer === 'changed') throw new InputChanged();
          if (answer?.decision === 'skip') {
            operation.leaveOut(at.on, `${subjectOf(at.on)} was skipped by ${answer.actor}${reason(answer)}`);
            return undefined;
          }
          if (answer?.decision === 'retry') continue;
          control.beginStopping();
          throw new OperationStopped(failure, answer?.decision);
        }
      }
    },
  };
}

import { isCancellation } from '@temporalio/workflow';
import { limitAtWork } from '../../core/operation/history-size.js';
import type { Failure } from '../../core/operation/operation.js';
import { createAsking } from './asking.js';
import type { CarriedState } from './carried.js';
import { type Attempt, describeFailure, GivenUp, InputChanged, isFinal, NotBegun, OperationStopped } from './failures.js';
import type { AnyPhase, Operation, ProgressView } from './operation.js';
import { policyOf, subjectOf, timeoutPolicyOf } from './outcome.js';
import { Window } from './window.js';

/** A reason, as it stands behind a sentence. */
export const reason = ({ why }: { why?: string }) => (why ? ` (${why})` : '');

export type Attempts = ReturnType<typeof createAttempts>;

/**
 * How an operation does things one by one under its on-failure policy, and what it asks about them.
 *
 * @param carried of former runs
 */
export function createAttempts(operation: Operation, carried?: CarriedState['attempts']) {
  const { request, control } = operation;
  const asking = createAsking(operation);
  const window = new Window(limitAtWork(request.timing?.continueAfter));
  let changes = carried?.changes ?? 0;
  let firstFailure = carried?.firstFailure;
  const generations = new Map(carried?.generations);
  const givenUp: Failure[] = [...(carried?.givenUp ?? [])];

  return {
    /** Other input was given: what is under way is waited for, and nothing new is begun. */
    get turning() {
      return asking.turning;
    },
    /** How often the input was changed. */
    get changes() {
      return changes;
    },
    /** The first original failure. */
    get firstFailure() {
      return firstFailure;
    },
    /** Work that was given up by force. */
    givenUp: givenUp as readonly Failure[],
    /** For the next run. */
    state: (): CarriedState['attempts'] => ({
      ...{ changes, generations: [...generations], givenUp },
      ...(firstFailure && { firstFailure }),
    }),
    /** Waits until every question is answered. */
    settled: asking.settled,
    /** Goes on with the other input. */
    begin() {
      asking.begin();
      changes++;
    },
    aside: <T>(waiting: Promise<T>): Promise<T> => window.aside(waiting),
    async attempt<T>(
      { ask: always, onlyTimeouts, required, ...at }: Attempt,
      run: (generation: number) => Promise<T>,
    ): Promise<T | undefined> {
      for (;;) {
        if (asking.turning) throw new InputChanged();
        await control.go();
        operation.continuation.leaveToNextRun();
        const generation = (generations.get(at.on) ?? 0) + 1;
        generations.set(at.on, generation);
        if (!window.take()) await untilPlace(window, operation, asking);
        try {
          return await window.run(() => control.unlessForced(at, () => run(generation)));
        } catch (error) {
          if (isCancellation(error) || error instanceof InputChanged || error instanceof NotBegun) throw error;
          const failure = describeFailure(error, at);
          const onTimeout = failure.outOfPatience && timeoutPolicyOf(operation);
          if (onlyTimeouts && onTimeout !== 'ask') throw error;
          markFailed(operation, at.on, failure);
          if (error instanceof GivenUp) {
            givenUp.push(failure);
            throw error;
          }
          firstFailure ??= failure;
          const asks =
            !isFinal(failure.code) && (always || (onTimeout ?? policyOf(request, operation.inventory.definition)) === 'ask');
          const answer = asks ? await asking.ask(failure, at, required) : undefined;
          if (answer === 'changed') throw new InputChanged();
          if (answer?.decision === 'skip') {
            operation.leaveOut(at.on, `${subjectOf(at.on)} was skipped by ${answer.actor}${reason(answer)}`);
            return undefined;
          }
          if (answer?.decision === 'retry') continue;
          control.beginStopping();
          throw new OperationStopped(failure, answer?.decision ?? (onTimeout === 'ask' ? undefined : onTimeout));
        }
      }
    },
  };
}

/** Waits for a slot among running work. Work that may no longer begin by then gives it up. */
async function untilPlace(window: Window, operation: Operation, asking: { readonly turning: boolean }): Promise<void> {
  await window.turn();
  if (!operation.stopped && !operation.continuation.ending) return;
  window.leave();
  if (!operation.stopped) operation.continuation.leaveToNextRun();
  throw asking.turning ? new InputChanged() : new NotBegun();
}

/** Shows the failure in the cell of the server or service that it happened to. */
function markFailed({ progress, show }: AnyPhase & ProgressView, on: string, { step, why }: Failure): void {
  const [server, taskserv] = on.split('/');
  const cell = progress.cells.find((one) => one.server === server && one.taskserv === taskserv);
  if (cell) show({ ...cell, state: 'failed', step: `${step}: ${why}` });
}

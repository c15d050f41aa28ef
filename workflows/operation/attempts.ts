import { isCancellation } from '@temporalio/workflow';
import type { Failure } from '../../core/operation/operation.js';
import { askingOf } from './asking.js';
import { describeFailure, GivenUp, InputChanged, NotBegun, OperationStopped, type Place } from './failures.js';
import type { Operation, Resulting, Showing } from './operation.js';
import { policyOf, subjectOf, timeoutPolicyOf } from './outcome.js';
import { AT_WORK, Window } from './window.js';

/** What is attempted, and how its failure is dealt with. */
export interface Attempted extends Place {
  /** As with `ask`, whatever the policy. */
  ask?: boolean;
  /** Only what is tried for as long as it may work is asked about; other failures are thrown as they are. */
  onlyTimeouts?: boolean;
  /** It may not be skipped. */
  required?: boolean;
}

/** A reason, as it stands behind a sentence. */
export const reason = ({ why }: { why?: string }) => (why ? ` (${why})` : '');

export type Attempts = ReturnType<typeof attemptsOf>;

/** How an operation does things one by one under its on-failure policy, and what it asks about them. */
export function attemptsOf(operation: Operation) {
  const { request, control } = operation;
  const asking = askingOf(operation);
  const window = new Window(AT_WORK);
  let changes = 0;
  let firstFailure: Failure | undefined;
  const generations = new Map<string, number>();
  const givenUp: Failure[] = [];

  return {
    /** Other input was given: what is under way is waited for, and nothing new is begun. */
    get turning() {
      return asking.turning;
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
    settled: asking.settled,
    /** Goes on with the other input. */
    begin() {
      asking.begin();
      changes++;
    },
    async attempt<T>(
      { ask: always, onlyTimeouts, required, ...at }: Attempted,
      run: (generation: number) => Promise<T>,
    ): Promise<T | undefined> {
      for (;;) {
        if (asking.turning) throw new InputChanged();
        await control.go();
        const generation = (generations.get(at.on) ?? 0) + 1;
        generations.set(at.on, generation);
        if (!window.take()) {
          await window.turn();
          if (operation.stopped) {
            window.leave();
            throw asking.turning ? new InputChanged() : new NotBegun();
          }
        }
        try {
          return await window.run(() => control.unlessForced(at, () => run(generation)));
        } catch (error) {
          if (isCancellation(error) || error instanceof InputChanged) throw error;
          const failure = describeFailure(error, at);
          const onTimeout = failure.outOfPatience && timeoutPolicyOf(operation);
          if (onlyTimeouts && onTimeout !== 'ask') throw error;
          markFailed(operation, at.on, failure);
          if (error instanceof GivenUp) {
            givenUp.push(failure);
            throw error;
          }
          firstFailure ??= failure;
          const asks = always || (onTimeout ?? policyOf(request, operation.inventory.definition)) === 'ask';
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

/** Shows the failure in the cell of the server or service that it happened to. */
function markFailed({ progress, show }: Resulting & Showing, on: string, { step, why }: Failure): void {
  const [server, taskserv] = on.split('/');
  const cell = progress.cells.find((one) => one.server === server && one.taskserv === taskserv);
  if (cell) show({ ...cell, state: 'failed', step: `${step}: ${why}` });
}

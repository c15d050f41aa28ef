import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { OperationRequest, OperationResult, OperationStatus, Progress } from '../../core/operation/operation.js';
import type { TestEngine } from './engine.js';

export type Wish = Partial<OperationRequest> & Pick<OperationRequest, 'infra'>;

/** Short enough for tests, long enough for a busy machine. */
const TIMING: OperationRequest['timing'] = { healthMs: 1_000, retryMs: 50 };

let count = 0;

/** Returns a complete request: an `apply` of everything, unless the wish says otherwise. */
export function requestOf(wish: Wish): OperationRequest {
  const { kind = 'cluster', intent = { verb: 'ensure', prune: true }, infra } = wish;
  return {
    id: `${kind}-${intent.verb}-${infra}-${process.pid}-${++count}`,
    kind,
    workspace: 'default',
    intent,
    actor: 'tester',
    ...wish,
    timing: { ...TIMING, ...wish.timing },
  };
}

/** Starts an operation and returns its id. */
export async function submit(engine: TestEngine, wish: Wish): Promise<string> {
  return (await (await engine.client()).operations.submit({ request: requestOf(wish) })).operation;
}

/** Runs an operation to its end. */
export async function run(engine: TestEngine, wish: Wish): Promise<OperationResult> {
  return (await engine.client()).operations.result({ operation: await submit(engine, wish) });
}

/** Runs an operation that must succeed. */
export async function runWell(engine: TestEngine, wish: Wish): Promise<OperationResult> {
  const result = await run(engine, wish);
  expect(result.error).toBeUndefined();
  expect(result.status).toBe('done');
  return result;
}

/** Waits until an operation has the wanted status. */
export async function untilStatus(engine: TestEngine, operation: string, status: OperationStatus): Promise<Progress> {
  const client = await engine.client();
  return eventually(async () => {
    const progress = await client.operations.progress({ operation });
    expect(progress.status).toBe(status);
    return progress;
  });
}

/** Work of a second on an idle machine may take a minute on a busy one. Only failures wait this long. */
const EVENTUALLY_MS = 120_000;

/** Longest pause between two quick checks in milliseconds, unless the caller has a longer one. */
const SELDOM_MS = 250;
/** Longest pause after a slow check, in milliseconds. */
const SLOW_MS = 2_000;
/** Share of the time waited so far that may pass before the next check. */
const LATER = 0.05;

/**
 * Waits before a repeated check, the longer the longer it has waited so far, and at least as long as the check took:
 * each check costs processor time that the awaited work needs.
 *
 * @param began `Date.now()` of the first check
 * @param checked `Date.now()` of the last one
 * @param leastMs shortest pause
 */
export function pauseAfter(began: number, checked: number, leastMs = 50): Promise<void> {
  const now = Date.now();
  return sleep(Math.max(leastMs, Math.min(SELDOM_MS, LATER * (now - began)), Math.min(SLOW_MS, now - checked)));
}

/**
 * Repeats a check until it passes, more seldom the longer it has waited (`pauseAfter`). Throws its last failure after
 * `withinMs`.
 *
 * @param everyMs shortest pause between two checks
 */
export async function eventually<T>(check: () => Promise<T>, withinMs = EVENTUALLY_MS, everyMs = 50): Promise<T> {
  for (const began = Date.now(); ; ) {
    const checked = Date.now();
    try {
      return await check();
    } catch (error) {
      if (Date.now() - began > withinMs) throw error;
    }
    await pauseAfter(began, checked, everyMs);
  }
}

/** Ends the running work of a failed test, so that the next test does not wait for it. */
export async function endAll({ temporal }: TestEngine): Promise<void> {
  const query = "ExecutionStatus = 'Running' AND WorkflowType != 'infra'";
  for await (const { workflowId } of temporal.workflow.list({ query })) {
    await temporal.workflow
      .getHandle(workflowId)
      .terminate('left by a test')
      .catch(() => {});
  }
}

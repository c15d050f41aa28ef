import { ServiceError, type WorkflowQueryInput } from '@temporalio/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repeatLateQueries, STICKY_MS } from './repeat-late-queries.js';

const grpcError = (code: number) => Object.assign(new Error('from the service'), { code, details: '', metadata: {} });
const failure = (code: number) => new ServiceError('Failed to query Workflow', { cause: grpcError(code) });
const [LATE, GIVEN_UP] = [failure(4), failure(1)];
/** The service itself reports that a call took too long. */
const EARLY = failure(4);
const input = {
  queryType: 'locks',
  args: [],
  workflowExecution: { workflowId: 'infra/default/shop' },
} as unknown as WorkflowQueryInput;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** Runs a query, and returns the time limit of each try in milliseconds; undefined for no limit. */
async function asked(answers: (Error | string)[]): Promise<{ tries: (number | undefined)[]; end: unknown }> {
  const tries: (number | undefined)[] = [];
  let allowed: number | undefined;
  const connection = {
    async withDeadline<T>(deadline: number | Date, work: () => Promise<T>): Promise<T> {
      allowed = Number(deadline) - Date.now();
      return work().finally(() => {
        allowed = undefined;
      });
    },
  };
  const next = async () => {
    tries.push(allowed);
    const answer = answers[tries.length - 1];
    if (answer === EARLY) throw LATE;
    if (answer === LATE || answer === GIVEN_UP) vi.advanceTimersByTime(allowed ?? 0);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const end = await repeatLateQueries(connection)
    .query?.(input, next)
    .catch((error: unknown) => error);
  return { tries, end };
}

test('a query is given up before Temporal gives it to another worker, and repeated', async () => {
  const { tries, end } = await asked([LATE, GIVEN_UP, 'free']);
  expect(end).toBe('free');
  expect(tries).toHaveLength(3);
  for (const allowed of tries) expect(allowed).toBeLessThan(STICKY_MS);
});

test('after three times the answer is waited for', async () => {
  const { tries, end } = await asked([LATE, LATE, LATE, 'free']);
  expect([end, tries.length, tries.at(-1)]).toEqual(['free', 4, undefined]);
  expect((await asked([LATE, LATE, LATE, LATE])).end).toBe(LATE);
});

test('any other error is the answer', async () => {
  const unavailable = failure(14);
  expect(await asked([EARLY])).toEqual({ end: LATE, tries: [expect.anything()] });
  expect(await asked([unavailable])).toMatchObject({ end: unavailable, tries: [expect.anything()] });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { afterEach, expect, test } from 'vitest';
import { inputError } from '../../core/errors.js';
import type { Progress } from '../../core/operation/operation.js';
import { packJson } from '../../stores/packed.js';
import type { Engine } from '../engine.js';
import type { OperationEvent } from '../schemas/operation.js';
import { followEvents } from './events.js';

const pace = { firstMs: 5, everyMs: 5 };
const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

/**
 * Emulates an operation at Temporal that counts its queries. Its history grows by one with each query, up to `last`.
 */
function fakeOperation({ last = Number.POSITIVE_INFINITY, status = 'running' }: { last?: number; status?: string } = {}) {
  const asked = { describe: 0, query: 0, result: 0, released: 0 };
  const state = { status, at: 0, fails: undefined as Error | undefined, hold: Promise.resolve() };
  /** Error of a description; the SDK's own description throws the same. */
  let thrown: Error | undefined;
  let end = (_: object) => {};
  const progress = () => ({ operation: 'op', status: state.status, cells: [], waiting: `step ${state.at}` }) as unknown as Progress;
  const handle = {
    async describe() {
      const error = thrown;
      thrown = undefined;
      if (error) throw error;
      return { type: 'cluster', runId: 'run', historyLength: state.at, status: { name: 'RUNNING' }, workflowId: 'op', raw: {} };
    },
    async query() {
      asked.query++;
      const { cells, ...head } = progress();
      return { parts: [], whole: { head, lists: { cells } } };
    },
    result: () => {
      asked.result++;
      return new Promise<object>((resolve) => {
        end = resolve;
      });
    },
  };
  const workflowService = {
    async describeWorkflowExecution() {
      asked.describe++;
      const { fails } = state;
      if (state.at < last) state.at++;
      const length = state.at;
      await state.hold;
      thrown = fails;
      if (fails) throw fails;
      return {
        workflowExecutionInfo: { execution: { runId: 'run' }, status: 1, historyLength: { toNumber: () => length } },
        pendingActivities: [],
      };
    },
  };
  /** Ends a wait of Temporal's with its signal. */
  const withAbortSignal = async (signal: AbortSignal, wait: () => Promise<unknown>) => {
    const aborted = new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('canceled')));
    });
    return Promise.race([wait(), aborted]).catch((error: unknown) => {
      asked.released++;
      throw error;
    });
  };
  const temporal = Object.assign(Object.create(Client.prototype), {
    ...{ workflow: { getHandle: () => handle }, withAbortSignal },
  });
  Object.defineProperty(temporal, 'workflowService', { value: workflowService });
  Object.defineProperty(temporal, 'options', { value: { namespace: 'n', loadedDataConverter: {} } });
  return { engine: { temporal } as unknown as Engine, asked, state, finish: () => end({ operation: 'op', status: 'done' }) };
}

/** Follows until the end, or until `signal` is aborted. */
async function followed(engine: Engine, signal?: AbortSignal, each: (event: OperationEvent) => unknown = () => {}, after?: string) {
  const events: OperationEvent[] = [];
  for await (const event of followEvents(engine, 'op', { after, pace, ...(signal && { signal }) })) {
    events.push(event);
    await each(event);
  }
  return events;
}

const stepsOf = (events: OperationEvent[]) =>
  events.flatMap((event) => (event.type === 'progress' ? [Number(event.progress.waiting?.split(' ')[1])] : []));

test('a thousand followers cost what one costs, and each gets every event once, in order', async () => {
  const { engine, asked, state, finish } = fakeOperation({ last: 5 });
  const followers = Array.from({ length: 1_000 }, () => followed(engine));
  while (asked.describe < 8) await sleep(1);
  finish();
  const seen = await Promise.all(followers);
  expect(state.at).toBe(5);
  expect(asked).toEqual({ describe: asked.describe, query: 5, result: 1, released: 0 });
  expect(asked.describe).toBeLessThan(500);
  for (const events of seen) {
    expect(stepsOf(events)).toEqual([1, 2, 3, 4, 5]);
    expect(events.at(-1)).toMatchObject({ type: 'end', result: { operation: 'op', status: 'done' } });
    expect(events).toHaveLength(6);
  }
});

test('the wait for the result ends with the last follower', async () => {
  const { engine, asked } = fakeOperation({ last: 2 });
  const stops = [new AbortController(), new AbortController()];
  const followers = stops.map(({ signal }) => followed(engine, signal));
  while (asked.describe < 3) await sleep(1);
  stops[0]?.abort();
  await followers[0];
  expect(asked).toMatchObject({ result: 1, released: 0 });
  stops[1]?.abort();
  await followers[1];
  expect(asked).toMatchObject({ result: 1, released: 1 });
});

test('who comes later gets the state of now, even if nothing changes any more', async () => {
  const { engine, asked, finish } = fakeOperation({ last: 2 });
  const first = followed(engine);
  while (asked.describe < 5) await sleep(1);
  const late = followed(engine);
  const before = asked.describe;
  while (asked.describe < before + 3) await sleep(1);
  finish();
  expect(stepsOf(await first)).toEqual([1, 2]);
  expect(stepsOf(await late)).toEqual([2]);
  expect(asked).toMatchObject({ query: 2, result: 1 });
});

test('a slow follower holds nobody, and gets the newest state when it comes back', async () => {
  const { engine, asked, state, finish } = fakeOperation({ last: 40 });
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const slow = followed(engine, undefined, () => held);
  const quick = followed(engine);
  while (state.at < 40 || asked.describe < 42) await sleep(1);
  go();
  await sleep(20);
  finish();
  expect(stepsOf(await quick)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  // One when it stopped, one when it came back: no queue has filled for it.
  expect(stepsOf(await slow)).toEqual([1, 40]);
});

test('who comes after an answer to a question is not told that the operation waits for it', async () => {
  const { engine, asked, state, finish } = fakeOperation({ status: 'waiting' });
  let answered = () => {};
  state.hold = new Promise((resolve) => {
    answered = resolve;
  });
  const first = followed(engine);
  while (asked.describe === 0) await sleep(1);
  // The query is under way: its answer was true before the person answered.
  const late = followed(engine);
  answered();
  expect((await first).map(({ type }) => type)).toEqual(['progress', 'waiting']);
  state.status = 'running';
  const before = asked.describe;
  while (asked.describe < before + 2) await sleep(1);
  finish();
  expect((await late).map(({ type }) => type)).not.toContain('waiting');
});

test('all followers get the error of their reader, and a follower that came later gets a reader of its own', async () => {
  const { engine, asked, state, finish } = fakeOperation({ last: 1 });
  let failed = () => {};
  state.fails = inputError({ code: 'unknown-operation', what: 'find the operation', why: 'it is unknown' });
  state.hold = new Promise((resolve) => {
    failed = resolve;
  });
  const [first, second] = [followed(engine), followed(engine)];
  while (asked.describe === 0) await sleep(1);
  const late = followed(engine);
  state.fails = undefined;
  failed();
  await expect(first).rejects.toThrow();
  await expect(second).rejects.toThrow();
  while (asked.describe < 3) await sleep(1);
  finish();
  expect(stepsOf(await late)).toEqual([1]);
  expect(asked.result).toBe(2);
});

test('after the last follower has left, nothing is asked any more', async () => {
  const { engine, asked } = fakeOperation();
  const leave = [new AbortController(), new AbortController()];
  const followers = leave.map(({ signal }) => followed(engine, signal));
  while (asked.describe < 3) await sleep(1);
  leave[0]?.abort();
  await followers[0];
  const before = asked.describe;
  while (asked.describe < before + 2) await sleep(1);
  leave[1]?.abort();
  await followers[1];
  const left = asked.describe;
  await sleep(40);
  expect(asked.describe).toBe(left);
  // The next follower begins again.
  const stop = new AbortController();
  stops.push(stop);
  const again = followed(engine, stop.signal);
  while (asked.describe === left) await sleep(1);
  stop.abort();
  expect(asked.result).toBe(2);
  await again;
});

/** The same operation, as another worker sees it. */
const elsewhere = (engine: Engine): Engine => ({ temporal: engine.temporal }) as unknown as Engine;

const told = (events: OperationEvent[]) =>
  events.map((event) => `${event.type} ${'progress' in event ? event.progress.waiting : ''}`);

test('any worker continues after an event that the caller has, and gives the state of now after any other', async () => {
  const { engine, state } = fakeOperation({ last: 2 });
  const follow = async (after: string | undefined, count: number) => {
    const stop = new AbortController();
    const events: OperationEvent[] = [];
    for await (const event of followEvents(elsewhere(engine), 'op', { after, pace, signal: stop.signal }))
      if (events.push(event) === count) stop.abort();
    return events;
  };
  const [first, second] = await follow(undefined, 2);
  expect(told(await follow(first?.cursor, 1))).toEqual(['progress step 2']);
  state.status = 'waiting';
  // The history has not grown: only another worker queries the operation.
  const waiting = await follow(second?.cursor, 2);
  expect(told(waiting)).toEqual(['progress step 2', 'waiting step 2']);
  expect(told(await follow(waiting[0]?.cursor, 1))).toEqual(['waiting step 2']);
  expect(await follow(waiting[1]?.cursor, 1)).toEqual([]);
  await expect(follow('7', 1)).rejects.toMatchObject({ details: { code: 'bad-cursor' } });
});

test('the end of an operation that Temporal has forgotten is found, however slowly the store answers', async () => {
  const { engine, state } = fakeOperation();
  const gone = new WorkflowNotFoundError('no such workflow', 'op', undefined);
  Object.assign(engine.temporal.workflow.getHandle('op'), { describe: () => Promise.reject(gone) });
  state.fails = gone;
  const progress = (await packJson({ operation: 'op', status: 'done', cells: [] })).toString('base64');
  const list = async () => {
    await sleep(300);
    return { rows: [{ row: { run: 'run', progress } }] };
  };
  const stores = { rows: async () => ({ log: () => ({ list }) }) };
  const seen: OperationEvent[] = [];
  const slow = { ...engine, stores } as unknown as Engine;
  for await (const event of followEvents(slow, 'op', { pace: { ...pace, together: true } as typeof pace })) seen.push(event);
  expect(seen.at(-1)).toMatchObject({ type: 'end', result: { operation: 'op', status: 'done' } });
});

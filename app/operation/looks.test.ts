import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import type { Engine } from '../engine.js';
import { choosePace } from '../follow/choose-pace.js';
import type { OperationEvent } from '../schemas/operation.js';
import { followEvents, PACE } from './events.js';

const pace = choosePace({ door: { kind: 'https' } }, PACE);

// One clock for all cases: the moments of a process go on from case to case.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Emulates Temporal with one operation, and notes when it is looked at. */
function fakeTemporal() {
  const state = { step: 1, fails: 0, tookMs: 0 };
  const asked = { looks: [] as number[], described: 0 };
  let end = () => {};
  const ended = new Promise<object>((resolve) => {
    end = () => resolve({ operation: 'op', status: 'done' });
  });
  const head = () => ({ operation: 'op', status: 'running', waiting: `step ${state.step}` });
  const handle = {
    async describe() {
      asked.described++;
      // Once more after a look that failed: to say why.
      if (state.fails > 0) {
        state.fails--;
        throw new Error('busy');
      }
      return { type: 'cluster' };
    },
    query: async () => ({ parts: [], whole: { head: head(), lists: { cells: [] } } }),
    result: () => ended,
  };
  const workflowService = {
    async describeWorkflowExecution() {
      asked.looks.push(performance.now());
      const length = state.step;
      if (state.tookMs > 0) await new Promise((resolve) => setTimeout(resolve, state.tookMs));
      if (state.fails > 0) throw new Error('busy');
      return {
        workflowExecutionInfo: {
          ...{ type: { name: 'cluster' }, execution: { runId: 'run' }, status: 1 },
          historyLength: { toNumber: () => length },
        },
        pendingActivities: [],
      };
    },
  };
  const withAbortSignal = (signal: AbortSignal, wait: () => Promise<unknown>) =>
    Promise.race([wait(), new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('canceled'))))]);
  const temporal = Object.assign(Object.create(Client.prototype), { workflow: { getHandle: () => handle }, withAbortSignal });
  Object.defineProperty(temporal, 'workflowService', { value: workflowService });
  Object.defineProperty(temporal, 'options', { value: { namespace: 'n', loadedDataConverter: {} } });
  return { temporal: temporal as Engine['temporal'], state, asked, end: () => end() };
}

interface Follower {
  events: OperationEvent[];
  /** It has left, or its stream is over. */
  isOver: boolean;
  leave(): void;
}

/** Follows as a client does: after an error it goes on behind the last event that it has. */
function follow(temporal: Engine['temporal']): Follower {
  const stop = new AbortController();
  const follower: Follower = { events: [], isOver: false, leave: () => stop.abort() };
  const read = async () => {
    while (!stop.signal.aborted && follower.events.at(-1)?.type !== 'end') {
      // Each call has an engine of its own.
      const engine = { temporal } as Engine;
      const after = follower.events.at(-1)?.cursor;
      try {
        for await (const event of followEvents(engine, 'op', { after, signal: stop.signal, pace })) follower.events.push(event);
      } catch {}
    }
    follower.isOver = true;
  };
  void read();
  return follower;
}

const stepsOf = ({ events }: Follower): number[] =>
  events.flatMap((event) => (event.type === 'progress' ? [Number(event.progress.waiting?.split(' ')[1])] : []));

const action = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'join' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.constant({ do: 'step' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'fail' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('slow' as const), tookMs: fc.constantFrom(0, 30, 900, 1_500) }) },
);
const plan = fc.array(fc.record({ action, thenMs: fc.constantFrom(0, 1, 90, 400, 999, 1_000, 1_001, 2_300) }), {
  minLength: 5,
  maxLength: 40,
});

/** Plays what happens to an operation and its followers, ends it, and returns what was asked and seen. */
async function play(happens: (typeof plan extends fc.Arbitrary<infer Plan> ? Plan : never) & readonly object[]) {
  const { temporal, state, asked, end } = fakeTemporal();
  const followers: Follower[] = [follow(temporal)];
  for (const { action, thenMs } of happens) {
    if (action.do === 'join') followers.push(follow(temporal));
    else if (action.do === 'leave') followers[action.which % followers.length]?.leave();
    else if (action.do === 'step') state.step++;
    else if (action.do === 'fail') state.fails = 1;
    else state.tookMs = action.tookMs;
    await vi.advanceTimersByTimeAsync(thenMs);
  }
  state.fails = 0;
  // Each that is there gets the last step, and then the end.
  await vi.advanceTimersByTimeAsync(20_000);
  const here = followers.filter(({ isOver }) => !isOver);
  const last = here.map((follower) => stepsOf(follower).at(-1));
  end();
  await vi.advanceTimersByTimeAsync(0);
  const looks = asked.looks.length;
  const late = follow(temporal);
  await vi.advanceTimersByTimeAsync(5_000);
  return { asked, followers, here, last, step: state.step, late, looksAfterEnd: asked.looks.length - looks };
}

test('an operation is looked at once a second at most, whoever joins and leaves, and no follower misses an event', async () => {
  await fc.assert(
    fc.asyncProperty(plan, async (happens) => {
      const { asked, followers, here, last, step, late, looksAfterEnd } = await play(happens);
      const pauses = asked.looks.slice(1).map((at, index) => at - (asked.looks[index] as number));
      expect(pauses.filter((pause) => pause < 1_000)).toEqual([]);
      // For who comes after the end: that it has ended is known without a query.
      expect(looksAfterEnd).toBeLessThanOrEqual(1);
      expect(asked.described).toBeLessThanOrEqual(2 * happens.filter(({ action }) => action.do === 'fail').length);
      expect(last).toEqual(here.map(() => step));
      const all = [...new Set(followers.flatMap(stepsOf))].sort((a, b) => a - b);
      for (const follower of followers) {
        const steps = stepsOf(follower);
        const between = all.filter((one) => one >= (steps[0] ?? 0) && one <= (steps.at(-1) ?? 0));
        // Each once and in order, without a gap.
        expect(steps).toEqual(between);
      }
      for (const follower of [...here, late])
        expect(follower.events.map(({ type }) => type).filter((type) => type !== 'progress')).toEqual(['end']);
    }),
    { numRuns: 60 },
  );
});

test('a Temporal that refuses is not asked more often, though all followers come back at once', async () => {
  const { temporal, state, asked, end } = fakeTemporal();
  state.fails = Number.POSITIVE_INFINITY;
  const followers = Array.from({ length: 50 }, () => follow(temporal));
  await vi.advanceTimersByTimeAsync(10_000);
  // A look, why it failed, and what the id belongs to.
  expect(asked.looks.length + asked.described).toBeLessThanOrEqual(3 * 11);
  expect(asked.described).toBeGreaterThan(5);
  state.fails = 0;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(followers.map(stepsOf)).toEqual(followers.map(() => [1]));
  end();
  await vi.advanceTimersByTimeAsync(0);
  expect(followers.every(({ isOver }) => isOver)).toBe(true);
});

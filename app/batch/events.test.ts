import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BatchState } from '../../core/operation/batch.js';
import type { Engine } from '../engine.js';
import type { BatchEvent } from '../schemas/batch.js';
import { streamBatchEvents } from './events.js';

const pace = { firstMs: 0, everyMs: 5 };

/** A batch at Temporal. */
function fakeBatch(marks = '....') {
  const asked = { describe: 0, query: 0 };
  const at = { historyLength: 1, name: 'RUNNING', state: { batch: 'b', status: 'running', marks, again: {}, why: {} } };
  const handle = {
    async describe() {
      asked.describe++;
      return { runId: 'run', historyLength: at.historyLength, status: { name: at.name } };
    },
    async query() {
      asked.query++;
      return structuredClone(at.state) as unknown as BatchState;
    },
  };
  const become = (state: Partial<BatchState>, name = 'RUNNING') => {
    Object.assign(at.state, state);
    at.name = name;
    at.historyLength++;
  };
  const instance = () => ({ temporal: { workflow: { getHandle: () => handle } } }) as unknown as Engine;
  return { asked, become, instance };
}

async function followed(engine: Engine, more: { after?: string; signal?: AbortSignal } = {}): Promise<BatchEvent[]> {
  const events: BatchEvent[] = [];
  for await (const event of streamBatchEvents(engine, 'b', { pace, ...more })) events.push(event);
  return events;
}

const told = (events: BatchEvent[]) => events.map(({ type, state }) => `${type} ${state.marks}`);

test('a thousand followers of a batch ask it once for each of its states', async () => {
  const { asked, become, instance } = fakeBatch();
  const engine = instance();
  const followers = Array.from({ length: 1_000 }, () => followed(engine));
  for (const marks of ['r...', 'dr..', 'ddr.']) {
    const before = asked.describe;
    while (asked.describe < before + 2) await sleep(1);
    become({ marks });
  }
  const before = asked.describe;
  while (asked.describe < before + 2) await sleep(1);
  become({ marks: 'dddd', status: 'done' }, 'COMPLETED');
  for (const events of await Promise.all(followers))
    expect(told(events)).toEqual(['state ....', 'state r...', 'state dr..', 'state ddr.', 'end dddd']);
  expect(asked.query).toBe(5);
  expect(asked.describe).toBeLessThan(500);
});

test('any instance continues behind a state that the caller has, and refuses what is no cursor', async () => {
  const { become, instance } = fakeBatch();
  const stop = new AbortController();
  const first = followed(instance(), { signal: stop.signal });
  await sleep(20);
  stop.abort();
  const [known] = await first;
  const after = known?.cursor as string;
  const late = followed(instance(), { after });
  await sleep(20);
  become({ marks: 'w...', status: 'waiting' });
  const events = await late;
  expect(told(events)).toEqual(['waiting w...']);
  // It has that one too.
  expect(await followed(instance(), { after: events[0]?.cursor as string })).toEqual([]);
  expect(told(await followed(instance(), { after }))).toEqual(['waiting w...']);
  await expect(followed(instance(), { after: '7' })).rejects.toMatchObject({ details: { code: 'bad-cursor' } });
});

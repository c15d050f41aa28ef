import { expect, test, vi } from 'vitest';
import { inputError } from '../../core/errors.js';
import type { GrantAnswer } from '../../core/infra/asked-lock.js';
import type { Grant } from '../../core/infra/lock.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import { askOpen, type EntityAnswer } from '../ask-open.js';
import type { Dependencies } from '../dependencies.js';
import { watchQueue } from './watch-queue.js';

vi.mock('../ask-open.js', () => ({ askOpen: vi.fn() }));

/** Watches two operations of an infra whose entity answers so in turn, the last answer again and again; and how often it was asked. */
async function watched(said: (EntityAnswer<GrantAnswer> | Error)[], read: () => Promise<unknown[]> = async () => []) {
  let asked = 0;
  vi.mocked(askOpen).mockImplementation(async () => {
    const answer = said[Math.min(asked++, said.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer as never;
  });
  const dependencies = { temporal: {}, feeds: { read } } as unknown as Dependencies;
  const queued = ['apply-1', 'apply-2'].map((operation) => ({ infra: 'shop', operation }));
  const input = { workspace: 'default', queued, everyMs: 1, forMs: 100 };
  return { found: await activityEnvironment().run(() => watchQueue(dependencies, input)), asked };
}

const waits = { answer: 'waits' } as const;

test('a request that the entity knows is watched until the time is over, with growing pauses', async () => {
  const { found, asked } = await watched([waits]);
  expect(found).toEqual([]);
  // 1, 2, 4, 8, 16, 32, and the rest: two questions each.
  expect(asked).toBeGreaterThan(2);
  expect(asked).toBeLessThanOrEqual(14);
});

test.each<[string, EntityAnswer<GrantAnswer>]>([
  ['does not know it', { answer: null }],
  ['has granted it', { answer: { grant: 7 } as Grant }],
  ['does not know the question', { none: 'unable' }],
  ['is not there, and the store knows no such infra', { none: 'absent' }],
])('it is worth asking again if the entity %s', async (_, said) => {
  expect(await watched([waits, waits, waits, said, waits])).toMatchObject({ found: ['apply-2'], asked: 4 });
});

test('an entity that does not answer is asked again', async () => {
  expect((await watched([new Error('away'), new Error('away'), { answer: null }])).found).toEqual(['apply-1', 'apply-2']);
});

test('many are asked ten at a time, each with a heartbeat, and a later round ends with the time', async () => {
  const queued = Array.from({ length: 25 }, (_, index) => ({ infra: 'shop', operation: `apply-${index}` }));
  let [asked, atWork, most, beats] = [0, 0, 0, 0];
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  vi.mocked(askOpen).mockImplementation(async () => {
    if (++asked > queued.length) clock.mockReturnValue(now + 60_000);
    most = Math.max(most, ++atWork);
    await new Promise((resolve) => setImmediate(resolve));
    atWork--;
    return waits as never;
  });
  const environment = activityEnvironment();
  environment.on('heartbeat', () => beats++);
  const input = { workspace: 'default', queued, everyMs: 1, forMs: 60_000 };
  const found = await environment.run(() => watchQueue({ temporal: {}, feeds: {} } as unknown as Dependencies, input));
  clock.mockRestore();
  expect({ found, asked, most, beats }).toEqual({ found: [], asked: 26, most: 10, beats: 50 });
});

test('an infra that the store knows waits for its recovery', async () => {
  const read = vi.fn(async () => {
    throw inputError({ code: 'feed-damaged', what: 'read the feed', why: 'a change is missing' });
  });
  expect((await watched([{ none: 'closed', status: 5 }], read)).found).toEqual([]);
  expect(read).toHaveBeenCalled();
});

import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { NEAR_REQUESTS } from '../infra/ask-again-pause.js';
import { askerAgain } from './batch-ask-again.js';
import type { Books } from './batch-books.js';

interface Watch {
  everyMs: number;
  waiting: { index: number }[];
  isOver(): boolean;
  answer(found: number[] | undefined): void;
}

const seen = vi.hoisted(() => ({ pauses: [] as { ms: number; end(): void }[], watches: [] as Watch[], patches: true }));

/** Without a service: a test ends each pause and answers each watch. */
vi.mock('@temporalio/workflow', () => ({
  patched: (name: string) => name !== 'batch-ends-watch' || seen.patches,
  sleep: (ms: number) => new Promise<void>((end) => seen.pauses.push({ ms, end })),
  workflowInfo: () => ({ historyLength: 100 }),
}));

vi.mock('../infra/queue-watch.js', () => ({
  WATCH_MS: 1,
  queueWatches: { watchBatchQueue: (asked: object) => asked },
  watchUnless: (isOver: () => boolean, watch: () => Pick<Watch, 'everyMs' | 'waiting'>) =>
    new Promise((answer) => seen.watches.push({ ...watch(), isOver, answer })),
}));

beforeEach(() => {
  seen.pauses.length = 0;
  seen.watches.length = 0;
  seen.patches = true;
});

const settled = async () => {
  for (let turns = 0; turns < 10; turns++) await turn();
};

/** A batch whose operations wait until the worker watches the queue for them. */
async function watching(waiting: number[]) {
  const asked: number[][] = [];
  const books = {
    request: { workspace: 'w', pages: ['p'], pageSize: 100 },
    idOf: (index: number) => `o-${index}`,
    askAgain: (indices: number[]) => asked.push(indices),
  } as unknown as Books;
  const asker = askerAgain(
    books,
    () => waiting,
    () => false,
  );
  for (let requests = 0; requests < NEAR_REQUESTS; requests++) {
    asker.look();
    seen.pauses.at(-1)?.end();
    await settled();
  }
  asker.look();
  expect(seen.pauses.map(({ ms }) => ms)).toEqual([30_000, 60_000, 120_000, 240_000, 300_000]);
  expect(seen.watches).toMatchObject([{ everyMs: 300_000, waiting: waiting.map((index) => ({ index })) }]);
  return { asker, asked, watch: seen.watches[0] as Watch };
}

test('requests are repeated after growing pauses, then when a watch finds some of them', async () => {
  const { asker, asked, watch } = await watching([1, 2]);
  expect(asked).toEqual(Array.from({ length: NEAR_REQUESTS }, () => [1, 2]));
  watch.answer([2]);
  await settled();
  expect(asked.at(-1)).toEqual([2]);
  asker.look();
  expect(seen.watches).toHaveLength(2);
});

test('a watch ends for one that waits since, whose first pause is the shortest', async () => {
  const waiting = [1];
  const { asker, asked, watch } = await watching(waiting);
  expect(watch.isOver()).toBe(false);
  waiting.push(2);
  asker.look();
  expect(watch.isOver()).toBe(true);
  watch.answer(undefined);
  await settled();
  expect(asked.at(-1)).toEqual([]);
  asker.look();
  expect(seen.pauses.at(-1)?.ms).toBe(30_000);
});

test.each([true, false])('a batch that asks for nothing more ends its watch, unless a former run left it: %s', async (patches) => {
  const { asker, watch } = await watching([1]);
  seen.patches = patches;
  asker.stop();
  expect(watch.isOver()).toBe(patches);
});

test('a stop without a watch changes nothing', () => {
  const asker = askerAgain(
    { request: {} } as Books,
    () => [],
    () => false,
  );
  asker.stop();
  asker.look();
  expect(seen).toMatchObject({ pauses: [], watches: [] });
});

import type { Client } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { TRANSIENT } from '../../core/errors.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import type { Dependencies } from '../dependencies.js';
import { createFeedActivities } from './feed.js';

const SINCE = '2026-11-23T05:00:00.000Z';
const MISSING: FeedState = { last: 3, waiting: 2, kept: 1, keptOf: false };
const DOWN: FeedState = { ...MISSING, trouble: { since: SINCE, why: 'no space left' } };

/** What is answered of something that the store does not have, while its entity says this of it. */
function awaited(state: FeedState, known?: string) {
  const temporal = { workflow: { getHandle: () => ({ query: async () => state }) } } as unknown as Client;
  const { awaitKept } = createFeedActivities({ temporal } as Dependencies);
  const told = { entity: 'infra/default/shop', grant: 7, told: 2, forMs: 1 };
  return new MockActivityEnvironment().run(() => awaitKept({ ...told, ...(known !== undefined && { known }) }));
}

test('who waits for the store for long takes a place on the worker only to ask', async () => {
  const again = { details: { code: 'store-unreachable', blame: TRANSIENT } };
  await expect(awaited(DOWN, SINCE)).rejects.toMatchObject(again);
  await expect(awaited(MISSING, '')).rejects.toMatchObject(again);
});

test('who waits for the store hears what is new: that it has all, and what is wrong', async () => {
  expect(await awaited({ ...MISSING, keptOf: true }, SINCE)).toBeUndefined();
  expect(await awaited(DOWN, '')).toEqual(DOWN);
  expect(await awaited(MISSING, SINCE)).toEqual(MISSING);
  expect(await awaited(DOWN)).toEqual(DOWN);
});

import { Client, defaultPayloadConverter } from '@temporalio/client';
import { expect, test } from 'vitest';
import { TRANSIENT } from '../../core/errors.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import type { Dependencies } from '../dependencies.js';
import { createFeedActivities } from './feed.js';

const SINCE = '2026-11-23T05:00:00.000Z';
const MISSING: FeedState = { last: 3, waiting: 2, kept: 1, keptOf: false };
const DOWN: FeedState = { ...MISSING, trouble: { since: SINCE, why: 'no space left' } };

/**
 * Result of a wait for an entry that the store does not have, with this answer of Temporal to queries of its entity.
 */
function awaitedOf(answer: () => unknown, known?: string) {
  const workflowService = { queryWorkflow: async () => answer() };
  const temporal = new Client({ connection: { workflowService } as never });
  const { awaitKept } = createFeedActivities({ temporal } as Dependencies);
  const told = { entity: 'infra/default/shop', grant: 7, told: 2, forMs: 1 };
  return activityEnvironment().run(() => awaitKept({ ...told, ...(known !== undefined && { known }) }));
}
const awaited = (state: FeedState, known?: string) =>
  awaitedOf(() => ({ queryResult: { payloads: [defaultPayloadConverter.toPayload(state)] } }), known);

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

/** Of Temporal's API: how a workflow stands to which a question was not put. */
const STATUS = { completed: 2, terminated: 5, paused: 8 };
const rejected = (status: number) => awaitedOf(() => ({ queryRejected: { status } }));

test('who waits for the store does not wait for an entity that has ended, whatever it knew by then', async () => {
  expect(await rejected(STATUS.completed)).toBeUndefined();
  await expect(rejected(STATUS.terminated)).rejects.toMatchObject({ details: { code: 'entity-ended', blame: 'user' } });
  await expect(rejected(STATUS.paused)).rejects.toMatchObject({ details: { code: 'engine-not-answering', blame: TRANSIENT } });
});

test('who waits for the store does not take a question that failed for one that a former build does not know', async () => {
  const failing = (message: string) =>
    awaitedOf(() => {
      throw Object.assign(new Error(`3 INVALID_ARGUMENT: ${message}`), { code: 3, details: message, metadata: { get: () => [] } });
    });
  expect(await failing('Workflow did not register a handler for feed. Registered queries: [inventory]')).toBeUndefined();
  await expect(failing('outbox is not iterable')).rejects.toMatchObject({ details: { code: 'engine-not-answering' } });
});

test('the worker that has appended the changes itself asks nobody', async () => {
  const appended: unknown[] = [];
  const queryWorkflow = () => {
    throw new Error('the entity was asked');
  };
  const temporal = new Client({ connection: { workflowService: { queryWorkflow } } as never });
  const feeds = { append: async (...all: unknown[]) => void appended.push(all) };
  const { appendFeed, awaitKept } = createFeedActivities({ temporal, feeds } as unknown as Dependencies);
  const owner = { workspace: 'default', infra: 'shop', uuid: 'u1' };
  const content = { kind: 'changes', operation: 'apply-1', actor: 'a', grant: 7, changes: [{}, {}] as never[] } as const;
  const entries = [{ sequence: 1, at: SINCE, content }];
  await activityEnvironment().run(() => appendFeed({ ...owner, entries }));
  expect(appended).toEqual([[owner, entries]]);
  const told = { entity: 'infra/default/shop', grant: 7, told: 2, forMs: 1 };
  expect(await activityEnvironment().run(() => awaitKept(told))).toBeUndefined();
});

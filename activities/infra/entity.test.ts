import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import type { Dependencies } from '../dependencies.js';
import { createEntityActivities } from './entity.js';

/** A service where these workflows stand so; all others are not there. */
const serviceOf = (statuses: Record<string, string>) =>
  ({
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => {
          if (!statuses[id]) throw new WorkflowNotFoundError('not found', id, undefined);
          return { status: { name: statuses[id] } };
        },
      }),
    },
  }) as unknown as Client;

const watched = (statuses: Record<string, string>, operations: string[], batches?: (string | null)[]): Promise<string[]> => {
  const { watchHolders } = createEntityActivities({ temporal: serviceOf(statuses) } as Dependencies);
  return new MockActivityEnvironment().run(() => watchHolders({ operations, batches, everyMs: 1, forMs: 0 }));
};

test('who holds a lock and was paused from outside goes on later: it has not ended', async () => {
  const stands = { running: 'RUNNING', paused: 'PAUSED', continued: 'CONTINUED_AS_NEW', done: 'COMPLETED', ended: 'TERMINATED' };
  expect(await watched(stands, [...Object.keys(stands), 'unknown'])).toEqual(['done', 'ended', 'unknown']);
});

test('a part of a batch that was paused is the batch’s to watch', async () => {
  expect(await watched({ batch: 'PAUSED' }, ['batch-1'], ['batch'])).toEqual([]);
  expect(await watched({ batch: 'COMPLETED' }, ['batch-1'], ['batch'])).toEqual(['batch-1']);
});

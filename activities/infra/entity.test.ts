import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import type { GrantAnswer } from '../../core/infra/asked-lock.js';
import type { Grant, LockRequest } from '../../core/operation/operation.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import { type Asked, askOpen } from '../ask-open.js';
import type { Dependencies } from '../dependencies.js';
import { createEntityActivities } from './entity.js';

vi.mock('../ask-open.js', () => ({ askOpen: vi.fn() }));

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
  return activityEnvironment().run(() => watchHolders({ operations, batches, everyMs: 1, forMs: 0 }));
};

test('who holds a lock and was paused from outside goes on later: it has not ended', async () => {
  const stands = { running: 'RUNNING', paused: 'PAUSED', continued: 'CONTINUED_AS_NEW', done: 'COMPLETED', ended: 'TERMINATED' };
  expect(await watched(stands, [...Object.keys(stands), 'unknown'])).toEqual(['done', 'ended', 'unknown']);
});

test('a part of a batch that was paused is the batch’s to watch', async () => {
  expect(await watched({ batch: 'PAUSED' }, ['batch-1'], ['batch'])).toEqual([]);
  expect(await watched({ batch: 'COMPLETED' }, ['batch-1'], ['batch'])).toEqual(['batch-1']);
});

test('what an entity gives at once is heard, and asked for by a signal where it is not', async () => {
  const request: LockRequest = { operation: 'apply-1', kind: 'cluster', resources: ['*'], actor: 'tester' };
  const ask = async (answer: Asked<GrantAnswer>) => {
    const asked: unknown[] = [];
    const workflow = {
      signalWithStart: async (_: string, { signal, signalArgs }: { signal: string; signalArgs: unknown[] }) =>
        void asked.push([signal, ...signalArgs]),
    };
    vi.mocked(askOpen).mockResolvedValueOnce(answer);
    const { askNewInfra } = createEntityActivities({ temporal: { workflow }, taskQueue: 'queue' } as unknown as Dependencies);
    const input = { workspace: 'default', infra: 'shop', request, answer: true } as const;
    return { grant: await activityEnvironment().run(() => askNewInfra(input)), asked };
  };
  const first = ['acquire', { ...request, hears: true }];
  const grant = { grant: 7 } as Grant;
  expect(await ask({ answer: grant })).toEqual({ grant, asked: [first] });
  // It hears of it by a signal.
  expect(await ask({ answer: 'waits' })).toEqual({ grant: undefined, asked: [first] });
  for (const answer of [{ answer: null }, { none: 'unable' }, { none: 'closed', status: 2 }] as const)
    expect(await ask(answer)).toEqual({ grant: undefined, asked: [first, ['acquire', request]] });
});

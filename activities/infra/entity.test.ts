import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { inputError } from '../../core/errors.js';
import type { GrantAnswer } from '../../core/infra/asked-lock.js';
import type { Grant } from '../../core/infra/lock.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import { askOpen, type EntityAnswer } from '../ask-open.js';
import type { Dependencies } from '../dependencies.js';
import type { Closings } from './closings.js';
import { createEntityActivities } from './entity.js';

vi.mock('../ask-open.js', () => ({ askOpen: vi.fn() }));

/** Nothing closes. */
const silent: Closings = { watch: () => () => {} };

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
  const { watchHolders } = createEntityActivities({ temporal: serviceOf(statuses) } as Dependencies, silent);
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
  const ask = async (answer: EntityAnswer<GrantAnswer>) => {
    const asked: unknown[] = [];
    const workflow = {
      signalWithStart: async (_: string, { signal, signalArgs }: { signal: string; signalArgs: unknown[] }) =>
        void asked.push([signal, ...signalArgs]),
    };
    vi.mocked(askOpen).mockResolvedValueOnce(answer);
    const { askNewInfra } = createEntityActivities(
      { temporal: { workflow }, taskQueue: 'queue' } as unknown as Dependencies,
      silent,
    );
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

/** Repeats a request where the entity answers so, and the store has these feeds. */
async function askedAgain(
  said: EntityAnswer<GrantAnswer>,
  { starts = true, feeds = async () => [] as unknown[], lives = true } = {},
) {
  const sent: string[] = [];
  const workflow = {
    signalWithStart: async () => void sent.push('signalWithStart'),
    getHandle: (id: string) => ({
      signal: async () => {
        if (!lives) throw new WorkflowNotFoundError('not found', id, undefined);
        sent.push('signal');
      },
    }),
  };
  vi.mocked(askOpen).mockResolvedValueOnce(said);
  const dependencies = { temporal: { workflow }, taskQueue: 'queue', feeds: { read: feeds } } as unknown as Dependencies;
  const { askAgain } = createEntityActivities(dependencies, silent);
  const request: LockRequest = { operation: 'apply-1', kind: 'cluster', resources: ['*'], actor: 'tester' };
  const input = { workspace: 'default', infra: 'shop', request, starts };
  return { answer: await activityEnvironment().run(() => askAgain(input)), sent };
}

test('a request that the entity knows adds nothing to its history', async () => {
  const grant = { grant: 7 } as Grant;
  expect(await askedAgain({ answer: grant })).toEqual({ answer: grant, sent: [] });
  expect(await askedAgain({ answer: 'waits' })).toEqual({ answer: 'waits', sent: [] });
});

test('a request that the entity does not know is sent again', async () => {
  for (const said of [{ answer: null }, { none: 'unable' }] as const)
    expect(await askedAgain(said)).toEqual({ answer: 'waits', sent: ['signal'] });
});

test('an entity that has ended is started again only if the store knows nothing of its infra', async () => {
  const none = { none: 'closed', status: 5 } as const;
  const damaged = async () => {
    throw inputError({ code: 'feed-damaged', what: 'read the feed', why: 'a change is missing' });
  };
  expect(await askedAgain(none)).toEqual({ answer: 'waits', sent: ['signalWithStart'] });
  expect(await askedAgain(none, { lives: false, feeds: damaged })).toEqual({ answer: 'waits', sent: [] });
  expect(await askedAgain(none, { lives: false, starts: false })).toEqual({ answer: 'absent', sent: [] });
});

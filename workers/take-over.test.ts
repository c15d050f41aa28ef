import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { describe, expect, it, test } from 'vitest';
import { SEARCH_ATTRIBUTES, workerIdentity } from '../core/names.js';
import { hasEnded, takeOver } from './take-over.js';

describe('whether the worker of an activity has ended', () => {
  const dead = () => false;

  it('is said of those of this machine whose process is gone', () => {
    expect(hasEnded(workerIdentity('b1', 4711, hostname()), dead)).toBe(true);
    expect(hasEnded(workerIdentity('b1', process.pid, hostname()))).toBe(false);
  });

  it('is not said of those of which nothing can be known', () => {
    expect(hasEnded(workerIdentity('b1', 4711, 'elsewhere'), dead)).toBe(false);
    expect(hasEnded('4711@somebody', dead)).toBe(false);
    expect(hasEnded('', dead)).toBe(false);
  });
});

test('only what the last worker had at work is looked at, however much runs', async () => {
  const asked: string[] = [];
  const failed: string[] = [];
  const dead = workerIdentity('b1', 2 ** 22 + 1, hostname());
  const temporal = {
    options: { namespace: 'default' },
    workflowService: {
      resetStickyTaskQueue: async (of: { execution: { workflowId: string } }) =>
        void asked.push(`cache ${of.execution.workflowId}`),
    },
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => {
          asked.push(`describe ${id}`);
          if (id === 'ended') throw new Error('not found');
          const searchAttributes = { [SEARCH_ATTRIBUTES.workspace]: ['default'], [SEARCH_ATTRIBUTES.infra]: ['shop'] };
          const pendingActivities = [
            { activityId: '1', state: 2, lastWorkerIdentity: dead },
            { activityId: '2', state: 2, lastWorkerIdentity: workerIdentity('b1', process.pid, hostname()) },
            { activityId: '3', state: 1, lastWorkerIdentity: dead },
          ];
          return { runId: 'run', searchAttributes, raw: { pendingActivities } };
        },
      }),
    },
    activity: {
      fail: async (of: { workflowId: string; activityId: string }) => void failed.push(`${of.workflowId} ${of.activityId}`),
    },
  } as unknown as Client;
  const note = (operation: string, activity: string) => ({ operation, activity, type: 'act' });
  const taken = await takeOver(temporal, [note('apply-1', '1'), note('apply-1', '2'), note('ended', '7')]);
  expect(taken).toEqual({ looked: 2, taken: 1 });
  expect(failed).toEqual(['apply-1 1']);
  expect(asked.sort()).toEqual(['cache apply-1', 'cache ended', 'cache infra/default/shop', 'describe apply-1', 'describe ended']);
});

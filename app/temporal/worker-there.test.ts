import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { awaitBeginOrWithdraw, isUntouched } from './worker-there.js';

interface Standing {
  events: string[];
  status?: string;
  /** Temporal's number for the state of the pending workflow task. */
  task?: number;
  firstRunId?: string;
}

/** Emulates a service with a workflow in these states, one after the other; the last one stays. */
function serviceOf(...standings: Standing[]) {
  const asked: (number | undefined)[] = [];
  const ended: string[] = [];
  let at = -1;
  const now = () => standings[Math.min(at, standings.length - 1)] as Standing;
  const handle = {
    async describe() {
      at++;
      const { events, status = 'RUNNING', task = 1, firstRunId = 'run' } = now();
      const raw = { workflowExecutionInfo: { firstRunId }, pendingWorkflowTask: { state: task } };
      return { status: { name: status }, historyLength: events.length, runId: 'run', raw };
    },
    terminate: async (why: string) => void ended.push(why),
  };
  const workflowService = {
    async getWorkflowExecutionHistory({ maximumPageSize = 0 }) {
      asked.push(maximumPageSize);
      const events = now().events.slice(0, maximumPageSize);
      return { history: { events: events.map((name) => ({ [`${name}EventAttributes`]: {} })) } };
    },
  };
  const temporal = { workflow: { getHandle: () => handle }, workflowService, options: { namespace: 'default' } };
  return { temporal: temporal as unknown as Client, asked, ended };
}

const BEGIN = ['workflowExecutionStarted', 'workflowTaskScheduled'];
const TAKEN = [...BEGIN, 'workflowTaskStarted'];
const LOST = [...TAKEN, 'workflowTaskTimedOut', 'workflowTaskScheduled'];
const BEGUN = [...TAKEN, 'workflowTaskCompleted'];

test('an operation is untouched until a worker has completed a task of it', async () => {
  const untouched = (standing: Standing) => isUntouched(serviceOf(standing).temporal, 'apply-1');
  expect(await untouched({ events: BEGIN })).toBe(true);
  expect(await untouched({ events: TAKEN, task: 2 })).toBe(true);
  expect(await untouched({ events: LOST })).toBe(true);
  expect(await untouched({ events: BEGUN })).toBe(false);
  expect(await untouched({ events: BEGIN, status: 'COMPLETED' })).toBe(false);
  // Its first run was at work.
  expect(await untouched({ events: BEGIN, firstRunId: 'before' })).toBe(false);
});

test('of a long history one page is read, and none of one that was never given out', async () => {
  const long = serviceOf({ events: [...BEGUN, ...Array.from({ length: 5_000 }, () => 'timerFired')] });
  expect([await isUntouched(long.temporal, 'apply-1'), long.asked]).toEqual([false, [50]]);
  const waiting = serviceOf({ events: BEGIN });
  expect([await isUntouched(waiting.temporal, 'apply-1'), waiting.asked]).toEqual([true, []]);
});

test('a task whose worker has ended with it is waited for until it can be given out again; then the operation is withdrawn', async () => {
  const { temporal, ended } = serviceOf({ events: TAKEN, task: 2 }, { events: TAKEN, task: 2 }, { events: LOST });
  await expect(awaitBeginOrWithdraw(temporal, 'apply-1', 0)).rejects.toMatchObject({ details: { code: 'no-worker' } });
  expect(ended).toHaveLength(1);
});

test('a task that its worker completes late is no reason to withdraw the operation', async () => {
  const { temporal, ended } = serviceOf({ events: TAKEN, task: 2 }, { events: BEGUN });
  await awaitBeginOrWithdraw(temporal, 'apply-1', 0);
  expect(ended).toEqual([]);
});

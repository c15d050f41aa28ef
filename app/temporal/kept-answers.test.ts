import type { Client } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { askKept } from './kept-answers.js';

/** A workflow whose answer is the length of its history, at a client of its own. */
function workflowForTest(step: () => Promise<unknown> = async () => undefined) {
  const workflow = { run: 'run-1', history: 1, queries: 0, descriptions: 0 };
  const temporal = {
    options: { namespace: 'default' },
    workflowService: {
      async describeWorkflowExecution() {
        workflow.descriptions += 1;
        const { run, history } = workflow;
        await step();
        return {
          workflowExecutionInfo: { execution: { runId: run }, status: 1, historyLength: { toNumber: () => history } },
        };
      },
    },
    workflow: { getHandle: () => ({ workflowId: 'infra/default/web' }) },
  } as unknown as Client;
  const ask = () =>
    askKept(temporal, { workflowId: 'infra/default/web', question: 'inventory' }, async () => {
      workflow.queries += 1;
      await step();
      return { run: workflow.run, history: workflow.history };
    });
  return { workflow, ask };
}

test('whatever happens between calls and in them, an answer is as new as its call', async () => {
  const events = fc.array(fc.constantFrom('ask', 'grow', 'continue'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), events, async (scheduler, asked) => {
      const { workflow, ask } = workflowForTest(() => scheduler.schedule(Promise.resolve()));
      const answered = asked.map(async (what) => {
        await scheduler.schedule(Promise.resolve());
        if (what === 'grow') workflow.history += 1;
        else if (what === 'continue') Object.assign(workflow, { run: `run-${Number(workflow.run.slice(4)) + 1}` });
        else {
          const { run, history } = workflow;
          const answer = await ask();
          expect(answer.history).toBeGreaterThanOrEqual(history);
          expect(Number(answer.run.slice(4))).toBeGreaterThanOrEqual(Number(run.slice(4)));
        }
      });
      await scheduler.waitFor(Promise.all(answered));
    }),
  );
});

test('a workflow that has not changed is not queried, and is after five minutes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const { workflow, ask } = workflowForTest();
    for (let count = 0; count < 10; count++) expect(await ask()).toEqual({ run: 'run-1', history: 1 });
    expect(workflow).toMatchObject({ queries: 1, descriptions: 10 });
    workflow.history += 1;
    expect(await ask()).toEqual({ run: 'run-1', history: 2 });
    expect(workflow.queries).toBe(2);
    vi.advanceTimersByTime(301_000);
    await ask();
    expect(workflow.queries).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});

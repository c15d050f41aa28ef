import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { VERSION_MEMO, versionMemo } from '../../core/engine/workflows-version.js';
import { homeConnection } from '../../settings/temporal-service.js';
import { readRecord } from '../../workers/engine/record.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { useNativeRuntime } from '../support/native-runtime.js';

const workflowsPath = fileURLToPath(new URL('../support/two-local-activities.ts', import.meta.url));
const code = { workflowsPath, interceptors: { workflowModules: [workflowsPath] } };

describe('two local activities of one workflow', () => {
  let engine: TestEngine;
  beforeAll(useNativeRuntime);
  withDemoEngine((started) => {
    engine = started;
  });

  /** Runs the workflow. Returns its answer, and the result when its history is replayed. */
  async function playedTwice(memo: Record<string, unknown>): Promise<{ answer: boolean; replayed: unknown }> {
    const { connection, options } = engine.temporal;
    const { namespace } = options;
    const record = await readRecord(engine.home);
    if (!record?.certificates) throw new Error('an engine of its own with certificates should be recorded');
    const own = await NativeConnection.connect(homeConnection(record.address, record.certificates));
    const taskQueue = randomUUID();
    const activities = { wait: (ms: number) => sleep(ms) };
    try {
      const worker = await Worker.create({ connection: own, namespace, taskQueue, activities, ...code });
      const handle = await worker.runUntil(async () => {
        const { workflow } = new Client({ connection, namespace });
        const started = await workflow.start('twoLocalActivities', { taskQueue, workflowId: randomUUID(), memo });
        await sleep(1_000);
        await started.signal('go');
        await started.result();
        return started;
      });
      const replayed = await Worker.runReplayHistory(code, await handle.fetchHistory()).catch((error: unknown) => error);
      return { answer: await handle.result(), replayed };
    } finally {
      await own.close();
    }
  }

  test('are at work one after the other, so that a replay goes as the first time', async () => {
    expect(await playedTwice(versionMemo)).toEqual({ answer: true, replayed: undefined });
  });

  // If this test fails, the rule can be removed. A replay then wakes a workflow as often as the first execution.
  test('of a former version are at work at once, which a replay does not repeat', async () => {
    const { answer, replayed } = await playedTwice({ [VERSION_MEMO]: 1 });
    expect(answer).toBe(true);
    expect(replayed).toBeInstanceOf(DeterminismViolationError);
  });
});

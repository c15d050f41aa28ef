import { setTimeout as sleep } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { OperationEvent } from '../../app/schemas/operation.js';
import type { Progress } from '../../core/operation/operation.js';
import { ProgressCopy } from '../../core/operation/progress-copy.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, submit, untilStatus } from '../support/operations.js';

/** Number of events per run, so that an operation has several runs. */
const TIMING = { heartbeatMs: 5_000, retryMs: 50, healthMs: 1_000, continueAfter: 200 };
const SERVERS = 30;
/** Number of looks during a pause. */
const RESTS = 6;
const wish = (infra: string) => ({
  infra,
  timing: TIMING,
  definition: demoDefinition(infra, { servers: [{ name: 'web', count: SERVERS }], taskservs: ['nginx', 'redis'] }),
});

describe('who asks for what has changed', { timeout: 240_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });

  /** Every worker here knows the query. */
  const isUnknown = (error: unknown) => {
    expect(error).not.toBeInstanceOf(QueryNotRegisteredError);
    return false;
  };
  const runsOf = async (operation: string) => {
    const runs = new Set<string>();
    for await (const { runId } of engine.temporal.workflow.list({ query: `WorkflowId = '${operation}'` })) runs.add(runId);
    return runs.size;
  };

  test('sees what who asks for all sees, in all runs and from one worker to the next, and the same end', async () => {
    await account.behave({ latencyMs: { '*': 100, 'host.step': 250 } });
    const operation = await submit(engine, wish('killed'));
    const handle = engine.temporal.workflow.getHandle(operation);
    const copy = new ProgressCopy();
    const look = async () => {
      const before = JSON.stringify(await handle.query<Progress>('progress'));
      const seen = await copy.ask(handle, isUnknown);
      const whole = await handle.query<Progress>('progress');
      const isSame = before === JSON.stringify(whole);
      if (isSame) expect(JSON.stringify(seen)).toBe(before);
      return { whole, isSame };
    };
    /** During a pause nothing happens between two looks, once current steps have ended. */
    const lookAtRest = async () => {
      const client = await engine.client();
      await client.operations.pause({ operation });
      await untilStatus(engine, operation, 'paused');
      for (const until = Date.now() + 120_000; !(await look()).isSame; ) expect(Date.now()).toBeLessThan(until);
      await client.operations.resume({ operation });
      await untilStatus(engine, operation, 'running');
    };
    let [looks, rests, kills] = [0, 0, 0];
    let whole: Progress;
    do {
      // Queries are answered only after the next worker has started.
      ({ whole } = await eventually(look));
      if (whole.status === 'running' && whole.cells.length > SERVERS && rests < RESTS && looks++ % 3 === 0) {
        await lookAtRest();
        rests++;
      }
      if (kills < 2 && (await runsOf(operation)) > kills + 1) {
        kills++;
        await engine.killWorker();
        await engine.up();
      }
      await sleep(50);
    } while (whole.status === 'queued' || whole.status === 'running');
    const result = await (await engine.client()).operations.result({ operation });
    expect([whole.status, kills, result.error]).toEqual(['done', 2, undefined]);
    expect(await runsOf(operation)).toBeGreaterThanOrEqual(3);
    expect(rests).toBe(RESTS);

    // The operation has ended: a client that followed it and a new client get the same answer.
    const last = await copy.ask(handle, isUnknown);
    expect(last).toEqual(await handle.query<Progress>('progress'));
    expect(last).toEqual(await new ProgressCopy().askEnded(handle, isUnknown));
    expect(last).toMatchObject(result);
    expect(last.cells).toHaveLength(3 * SERVERS);
  });

  test('is told by the worker as who follows the operation, up to its end', async () => {
    await account.behave({ latencyMs: { '*': 20, 'host.step': 60 } });
    const operation = await submit(engine, wish('followed'));
    const client = await engine.client();
    const events: OperationEvent[] = [];
    for await (const event of client.operations.follow({ operation })) events.push(event);
    expect(await runsOf(operation)).toBeGreaterThanOrEqual(3);
    expect(events.at(-1)).toEqual({
      type: 'end',
      cursor: expect.any(String),
      result: await client.operations.result({ operation }),
    });
    const seen = events.flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
    expect(seen.length).toBeGreaterThan(5);
    const texts = seen.map((one) => JSON.stringify(one));
    expect(texts.filter((text, index) => text === texts[index - 1])).toEqual([]);
    const executed = seen.map(({ steps }) => steps.executed);
    expect(executed).toEqual([...executed].sort((a, b) => a - b));
    expect(seen.at(-1)?.cells.length).toBeGreaterThan(SERVERS);
  });
});

import { expect, test } from 'vitest';
import { infraWorkflowId } from '../../core/names.js';
import { batchOf, farm, server, submitBatch, untilMark } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { endAll, eventually, runWell, submit } from '../support/operations.js';
import { atWork, waitOnAll } from '../support/waiting-infras.js';

/** Number of activities that the worker runs at once. */
const PLACES = 5;
const INFRAS = Array.from({ length: 12 }, (_, index) => `waits-${index}`);

let engine: TestEngine;
let account: DemoAccount;
withDemoEngine(
  (...started) => {
    [engine, account] = started;
  },
  { PROVISIONING_WORKER_CONCURRENCY: String(PLACES) },
);

test('who waits takes no place of the worker: all of them are at the work of another infra', { timeout: 300_000 }, async () => {
  const { asked, queued } = await waitOnAll(engine, INFRAS);
  // The batch watches its operations, one of which waits too.
  const plan = await batchOf('waits', { operations: [server('web')] }, { 'farm.json': farm('waits-0', ['web']) });
  const batch = await submitBatch(engine, plan);
  await untilMark(engine, batch, 'web', 'asking');
  const watched = INFRAS.map((infra) => infraWorkflowId('default', infra));
  await eventually(async () => {
    const looks = (await Promise.all([...watched, batch].map((id) => atWork(engine, id)))).flat();
    expect(looks.filter((name) => name === 'watchHolders').length).toBeGreaterThan(PLACES);
    expect(looks).toContain('watchBatchOperations');
  });

  await account.behave({ latencyMs: { 'host.step': 60_000 } });
  const servers = Array.from({ length: PLACES + 2 }, (_, index) => ({ name: `web-${index}` }));
  const definition = demoDefinition('works', { servers, taskservs: ['nginx'] });
  const operation = await submit(engine, { infra: 'works', definition });
  await eventually(async () => expect(await atWork(engine, operation)).toEqual(Array(PLACES).fill('act')));
  await account.behave({});

  // Watches use no places, so they continue and detect a termination.
  await engine.temporal.workflow.getHandle(asked[1] as string).terminate('from outside');
  const client = await engine.client();
  expect((await client.operations.result({ operation: queued[1] as string })).status).toBe('done');
  await endAll(engine);
  await runWell(engine, {
    infra: 'elsewhere',
    definition: demoDefinition('elsewhere', { servers: [{ name: 'a' }], taskservs: [] }),
  });
});

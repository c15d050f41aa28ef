import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchStatus } from '../core/operation/batch.js';
import type { Orphan } from '../core/operation/orphans.js';
import type { BatchPlan } from '../definition/batch/load-batch.js';
import { batchOf, farm, refuses, server } from '../test/support/batches.js';
import { demoAccount } from '../test/support/demo.js';
import type { TestEngine } from '../test/support/engine.js';

const WHY = 'to be replayed';
type Keep = (name: string, workflowId: string, runId?: string) => Promise<void>;

/** Plays every way in which a batch continues, stops and ends. `keep` saves a history. */
export async function recordBatches(engine: TestEngine, keep: Keep): Promise<void> {
  const client = await engine.client();
  const { behave } = demoAccount(engine);
  const start = async (name: string, plan: BatchPlan) => {
    const timing = { retryMs: 20, heartbeatMs: 5_000 };
    await client.batches.submit({ ...plan, id: name, workspace: 'default', actor: 'recorder', timing });
    return name;
  };
  const until = async (name: string, status: BatchStatus) => {
    while ((await client.batches.state({ batch: name })).status !== status) await sleep(20);
  };
  const end = async (name: string) => {
    await client.batches.result({ batch: name });
    await keep(name, name);
  };
  const chain = (name: string, more: object = {}) =>
    batchOf(
      name,
      { operations: [server('a'), server('b', { needs: ['a'] }), server('c', { needs: ['b'] })], ...more },
      { 'farm.json': farm(name, ['a', 'b', 'c']) },
    );
  const refuse = (times: number) => behave({ failures: [refuses('b', times)] });

  const done = await start('batch-done', await chain('done'));
  await end(done);
  await keep('batch-operation', `${done}-1`);
  await end((await client.batches.rollback({ batch: done, as: 'batch-undone', why: WHY })).batch);
  for (const onFailure of ['rollback', 'rollback-branch', 'keep']) {
    await refuse(1);
    await end(await start(`batch-${onFailure}`, await chain(onFailure, { onFailure })));
  }
  for (const decision of ['retry', 'skip', 'rollback'] as const) {
    await refuse(1);
    const asked = await start(`batch-asked-${decision}`, await chain(`asked-${decision}`, { onFailure: 'ask' }));
    await until(asked, 'waiting');
    await client.batches.decide({ batch: asked, decision, why: WHY });
    await end(asked);
  }
  const gated = await start('batch-approved', await chain('gated', { approve: 'per-batch-stage' }));
  for (const _ of ['b', 'c']) {
    await until(gated, 'waiting');
    await client.batches.approve({ batch: gated, why: WHY });
  }
  await end(gated);

  await behave({ latencyMs: { 'servers.create': 500 } });
  const canceled = await start('batch-canceled', await chain('canceled'));
  while (!(await client.batches.rows({ batch: canceled })).some(({ mark }) => mark === 'running')) await sleep(20);
  await client.batches.cancel({ batch: canceled, why: WHY });
  await end(canceled);

  await behave({ latencyMs: { 'servers.create': 60 } });
  const long = await batchOf(
    'long',
    { parallel: 4, operations: [{ name: 'op', kind: 'server', file: 'farm.json', servers: ['web-{i}'], count: 16 }] },
    { 'farm.json': { infra: 'long', provider: 'demo', servers: [{ name: 'web', count: 16 }] } },
  );
  const name = await start('batch-continued', { ...long, continueAfter: 40 });
  const first = await engine.temporal.workflow.getHandle(name).describe();
  await client.batches.result({ batch: name });
  await keep(name, name, first.runId);
  await keep('batch-continuation', name);
  await behave({});
  await recordOrphans(engine, keep);
}

/** Records a search for resources that a terminated operation left behind, and their removal. */
async function recordOrphans(engine: TestEngine, keep: Keep): Promise<void> {
  const client = await engine.client();
  const { behave, read } = demoAccount(engine);
  const kind = async (verb: 'list' | 'remove') => {
    const query = `WorkflowType = 'orphans' AND ExecutionStatus = 'Completed'`;
    for (;;) {
      for await (const { workflowId } of engine.temporal.workflow.list({ query }))
        if (workflowId.startsWith(`orphans-${verb}-`)) return workflowId;
      await sleep(50);
    }
  };
  await behave({ failures: [{ verb: 'servers.create', name: 'lost', times: 1, error: 'silence' }] });
  const plan = await batchOf('left', { operations: [server('lost')] }, { 'farm.json': farm('left', ['lost']) });
  await client.batches.submit({ ...plan, id: 'left', workspace: 'default', actor: 'recorder' });
  while (!Object.keys((await read()).servers).includes('default/left/lost')) await sleep(20);
  const [row] = await client.batches.rows({ batch: 'left' });
  await engine.temporal.workflow.getHandle(row?.operation ?? '').terminate('left behind');
  await client.batches.result({ batch: 'left' });
  let found: Orphan[] = [];
  while (found.length === 0)
    found = (await client.orphans.list({ workspace: 'default' })).items.filter(({ provider }) => provider === 'demo');
  await keep('orphans-list', await kind('list'));
  await client.orphans.remove({ workspace: 'default', remove: found });
  await keep('orphans-remove', await kind('remove'));
  await behave({});
}

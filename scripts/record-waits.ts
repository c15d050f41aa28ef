import { setTimeout as sleep } from 'node:timers/promises';
import { emptyInventory } from '../core/infra/inventory.js';
import { infraWorkflowId } from '../core/names.js';
import { batchOf, farm, server } from '../test/support/batches.js';
import { demoDefinition } from '../test/support/definition.js';
import { demoAccount } from '../test/support/demo.js';
import type { TestEngine } from '../test/support/engine.js';

type Keep = (name: string, workflowId: string) => Promise<void>;

const NAMES = ['infra-looks-long', 'cluster-waits-long', 'batch-waits-long'];

const NEWCOMERS = ['infra-newcomers', 'batch-ends-watch'];

/** Returns whether all of these recordings are long waits. */
export const areWaits = (names: readonly string[]): boolean => names.length > 0 && names.every((name) => NAMES.includes(name));

/** Returns whether all of these recordings are operations that arrive during such a wait. */
export const areNewcomers = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => NEWCOMERS.includes(name));

/**
 * Records an operation and a batch that wait for a lock, until the worker watches the queue for them. Also records the
 * infra that checks the holder.
 */
export async function recordWaits(engine: TestEngine, keep: Keep): Promise<void> {
  const { temporal, taskQueue } = engine;
  const client = await engine.client();
  const { behave } = demoAccount(engine);
  const place = { workspace: 'default', infra: 'long' };
  const uuid = 'b5a1c0de-0000-4000-8000-000000000002';
  const networks = { long: { name: 'long', provider: 'demo', id: 'x', since: 'recorder' } };
  const entity = infraWorkflowId(place.workspace, place.infra);
  const state = { inventory: { ...emptyInventory({ ...place, uuid }), networks } };
  // Its checks are two thousand times as frequent.
  await temporal.workflow.start('infra', { workflowId: entity, taskQueue, args: [{ ...place, paceMs: 1, state }] });

  const atWork = async (id: string) =>
    ((await temporal.workflow.getHandle(id).describe()).raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
  const untilAtWork = async (id: string, activity: string) => {
    while (!(await atWork(id)).includes(activity)) await sleep(50);
  };
  const events = async (id: string) => (await temporal.workflow.getHandle(id).describe()).historyLength;
  const timing = { retryMs: 20, healthMs: 100, heartbeatMs: 5_000, askAgainMs: 50 };
  const shared = { ...place, actor: 'recorder', kind: 'cluster' as const, allowDestroy: true, timing };
  const definition = demoDefinition('long', { servers: [{ name: 'web' }], taskservs: ['node-exporter'] });
  const submit = async (request: Parameters<typeof client.operations.submit>[0]['request']) =>
    (await client.operations.submit({ request })).operation;

  await behave({ unhealthy: ['node-exporter'] });
  const holds = await submit({ ...shared, id: 'cluster-holds', intent: { verb: 'ensure' }, definition, onFailure: 'ask' });
  while ((await client.operations.progress({ operation: holds })).status !== 'waiting') await sleep(20);
  const waits = await submit({ ...shared, id: 'cluster-waits-long', intent: { verb: 'ensure' }, definition });
  const plan = await batchOf('long', { operations: [server('web')] }, { 'farm.json': farm('long', ['web']) });
  const batch = { ...plan, id: 'batch-waits-long', workspace: 'default', actor: 'recorder', timing };
  await client.batches.submit(batch);
  await untilAtWork(waits, 'watchQueue');
  await untilAtWork(batch.id, 'watchBatchQueue');
  // Until a check lasts so long that the history stops growing.
  for (let before = -1, now = await events(entity); now !== before; [before, now] = [now, await events(entity)]) await sleep(3_000);
  await behave({});
  await client.operations.decide({ operation: holds, decision: 'retry' });
  await client.operations.result({ operation: waits });
  await keep('cluster-waits-long', waits);
  await client.batches.result({ batch: batch.id });
  await keep('batch-waits-long', batch.id);
  const gone = await submit({ ...shared, id: 'cluster-ends-long', intent: { verb: 'delete' } });
  await client.operations.result({ operation: gone });
  while ((await temporal.workflow.getHandle(entity).describe()).status.name !== 'COMPLETED') await sleep(50);
  await keep('infra-looks-long', entity);
}

/**
 * Records an infra that admits operations immediately during a long check, and a batch that is canceled while the
 * worker watches its queue.
 */
export async function recordNewcomers(engine: TestEngine, keep: Keep): Promise<void> {
  const { temporal, taskQueue } = engine;
  const client = await engine.client();
  const { behave } = demoAccount(engine);
  const place = { workspace: 'default', infra: 'beside' };
  const entity = infraWorkflowId(place.workspace, place.infra);
  const networks = { beside: { name: 'beside', provider: 'demo', id: 'x', since: 'recorder' } };
  const state = { inventory: { ...emptyInventory({ ...place, uuid: 'b5a1c0de-0000-4000-8000-000000000003' }), networks } };
  // Its checks are a hundred times as frequent.
  await temporal.workflow.start('infra', { workflowId: entity, taskQueue, args: [{ ...place, paceMs: 20, state }] });

  const timing = { retryMs: 20, healthMs: 100, heartbeatMs: 5_000, askAgainMs: 50 };
  const shared = { ...place, actor: 'recorder', allowDestroy: true, timing };
  const definition = demoDefinition('beside', { servers: [{ name: 'web', count: 2 }], taskservs: ['node-exporter', 'redis'] });
  const submit = async (request: Parameters<typeof client.operations.submit>[0]['request']) =>
    (await client.operations.submit({ request })).operation;
  const look = async (id: string) => (await temporal.workflow.getHandle(id).describe()).raw;
  const length = async () => Number((await look(entity)).workflowExecutionInfo?.historyLength);
  const ensure = (id: string, name: string) =>
    submit({ ...shared, id, kind: 'taskserv', intent: { verb: 'ensure', servers: [name] }, definition, onFailure: 'ask' });

  await behave({ unhealthy: ['redis'] });
  const bare = demoDefinition('beside', { servers: [{ name: 'web', count: 2 }], taskservs: ['node-exporter'] });
  await client.operations.result({
    operation: await submit({ ...shared, id: 'beside-apply', kind: 'cluster', intent: { verb: 'ensure' }, definition: bare }),
  });
  const holds = await ensure('beside-holds', 'web-1');
  while ((await client.operations.progress({ operation: holds })).status !== 'waiting') await sleep(20);
  await behave({});
  // Until a check lasts so long that the history stops growing.
  for (let before = -1, now = await length(); now !== before; [before, now] = [now, await length()]) await sleep(3_000);
  for (const id of ['beside-comes', 'beside-comes-again']) await client.operations.result({ operation: await ensure(id, 'web-2') });

  const plan = await batchOf('beside', { operations: [server('web-1')] }, { 'farm.json': farm('beside', ['web-1', 'web-2']) });
  const batch = { ...plan, id: 'batch-ends-watch', workspace: 'default', actor: 'recorder', timing };
  await client.batches.submit(batch);
  const watches = async () =>
    ((await look(batch.id)).pendingActivities ?? []).some(({ activityType }) => activityType?.name === 'watchBatchQueue');
  while (!(await watches())) await sleep(50);
  await client.batches.cancel({ batch: batch.id });
  while ((await temporal.workflow.getHandle(batch.id).describe()).status.name === 'RUNNING') await sleep(50);
  await keep('batch-ends-watch', batch.id);

  await client.operations.decide({ operation: holds, decision: 'retry' });
  await client.operations.result({ operation: holds });
  await client.operations.result({
    operation: await submit({ ...shared, id: 'beside-delete', kind: 'cluster', intent: { verb: 'delete' } }),
  });
  while ((await temporal.workflow.getHandle(entity).describe()).status.name !== 'COMPLETED') await sleep(50);
  await keep('infra-newcomers', entity);
}

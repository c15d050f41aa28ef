/**
 * Records the golden histories of test/histories on a real engine and the demo
 * provider. Run by `npm run record-histories`, after a deliberate change of the
 * order of events; test/workflows/replay.test.ts replays them.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { emptyInventory } from '../core/infra/inventory.js';
import { infraWorkflowId } from '../core/names.js';
import type { OperationKind, OperationRequest, OperationResult } from '../core/operation/operation.js';
import { decodeMessage } from '../encryption/decode-message.js';
import { demoDefinition } from '../test/support/definition.js';
import { demoAccount } from '../test/support/demo.js';
import { startTestEngine, type TestEngine } from '../test/support/engine.js';
import { recordBatches } from './record-batches.js';
import { recordClouds } from './record-clouds.js';
import { recordControl } from './record-control.js';
import { recordPower } from './record-power.js';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../test/histories');

const shop = (count: number, taskservs: string[] = ['node-exporter']) =>
  demoDefinition('shop', { servers: [{ name: 'web', count }], taskservs });

/** What is particular to this machine and this run, and nothing that replaying looks at. */
const OF_THIS_RUN = new Set(['identity', 'workerVersion', 'requestId', 'stackTrace', 'firstExecutionRunId']);

async function save({ temporal, encryption }: TestEngine, name: string, workflowId: string, runId?: string): Promise<void> {
  const codec = encryption.codec(temporal.options.namespace, 'show');
  const history = await decodeMessage(codec, await temporal.workflow.getHandle(workflowId, runId).fetchHistory());
  const { events } = JSON.parse(historyToJSON(history)) as { events: object[] };
  const lines = events.map((event) => JSON.stringify(event, (key, value) => (OF_THIS_RUN.has(key) ? undefined : value)));
  await writeFile(join(folder, `${name}.json`), `{"events":[\n${lines.join(',\n')}\n]}\n`);
  console.log(`${name}: ${lines.length} events`);
}

async function record(engine: TestEngine): Promise<void> {
  const client = await engine.client();
  const { behave } = demoAccount(engine);
  type Wish = Partial<OperationRequest> & { kind: OperationKind };
  const submit = async (name: string, wish: Wish) => {
    const intent = { verb: 'ensure' as const, prune: true };
    const timing = { retryMs: 20, healthMs: 100, heartbeatMs: 5_000 };
    await client.operations.submit({
      request: {
        id: name,
        workspace: 'default',
        infra: 'shop',
        intent,
        actor: 'recorder',
        allowDestroy: true,
        timing,
        ...wish,
      },
    });
    return name;
  };
  const play = async (name: string, wish: Wish): Promise<OperationResult> => {
    const result = await client.operations.result({ operation: await submit(name, wish) });
    await save(engine, name, name);
    return result;
  };
  const until = async (done: () => Promise<boolean>) => {
    while (!(await done())) await sleep(20);
  };
  const status = async (operation: string) => (await client.operations.progress({ operation })).status;
  const keepEntity = async (name: string) => {
    await until(async () => (await client.infras.list({ workspace: 'default' })).length === 0);
    await save(engine, name, infraWorkflowId('default', 'shop'));
  };

  await play('cluster-check', { kind: 'cluster', definition: shop(2), check: true });
  await play('cluster-apply', { kind: 'cluster', definition: shop(2) });
  await play('cluster-nothing-to-do', { kind: 'cluster', definition: shop(2) });
  await play('taskserv-ensure', {
    kind: 'taskserv',
    intent: { verb: 'ensure', servers: ['web-1'] },
    definition: shop(2, ['node-exporter', 'users']),
  });
  await play('taskserv-delete', { kind: 'taskserv', intent: { verb: 'delete', servers: ['web-1'], taskservs: ['users'] } });
  await behave({ unhealthy: ['redis'] });
  const kept = await play('taskserv-failed', {
    kind: 'taskserv',
    intent: { verb: 'ensure', servers: ['web-2'] },
    definition: shop(2, ['node-exporter', 'redis']),
    onFailure: 'keep',
  });
  const intent = { verb: 'rollback' as const, of: kept.operation };
  await play('taskserv-rollback', { kind: 'taskserv', intent });
  await behave({});
  await play('cluster-prune', { kind: 'cluster', definition: shop(1) });
  await play('cluster-delete', { kind: 'cluster', intent: { verb: 'delete' } });
  await keepEntity('infra');

  await play('server-create', { kind: 'server', intent: { verb: 'ensure', servers: ['web-1'] }, definition: shop(2) });
  await behave({ limits: { servers: 1 }, failures: [{ verb: 'servers.read', name: 'web-2', times: 1, error: 'weather' }] });
  await play('server-rolled-back', {
    kind: 'server',
    intent: { verb: 'ensure', servers: ['web-2'] },
    definition: shop(2),
    onFailure: 'rollback',
  });
  await play('server-delete', { kind: 'server', intent: { verb: 'delete', servers: ['web-1'] } });
  await behave({
    unhealthy: ['node-exporter'],
    failures: [
      { verb: 'servers.create', times: 1, error: 'weather' },
      { verb: 'networks.delete', times: 1, error: 'user' },
    ],
  });
  await play('cluster-rolled-back', { kind: 'cluster', definition: shop(1), onFailure: 'rollback' });

  await behave({ unhealthy: ['node-exporter'] });
  const asked = await submit('cluster-asked', { kind: 'cluster', definition: shop(1), onFailure: 'ask' });
  await until(async () => (await status(asked)) === 'waiting');
  const queued = await submit('cluster-canceled-in-queue', { kind: 'cluster', definition: shop(1) });
  await until(async () => (await client.infras.locks({ workspace: 'default', infra: 'shop' })).waiters.length === 1);
  await client.operations.cancel({ operation: queued });
  await client.operations.result({ operation: queued });
  await save(engine, queued, queued);
  await behave({});
  await client.operations.decide({ operation: asked, decision: 'retry' });
  await client.operations.result({ operation: asked });
  await save(engine, asked, asked);

  await behave({ latencyMs: { 'host.step': 800 } });
  const stopped = await submit('cluster-canceled', {
    kind: 'cluster',
    definition: shop(2, ['node-exporter', 'users']),
    onFailure: 'rollback',
  });
  await until(async () => (await client.operations.progress({ operation: stopped })).steps.executed > 0);
  await client.operations.cancel({ operation: stopped });
  await client.operations.result({ operation: stopped });
  await save(engine, stopped, stopped);
  await behave({});
  await client.operations.result({
    operation: await submit('cluster-delete-again', { kind: 'cluster', intent: { verb: 'delete' } }),
  });
  await keepEntity('infra-with-queue');
  await recordControl(engine, (name) => save(engine, name, name));
  await recordContinued(engine);
  await recordBatches(engine, (...what) => save(engine, ...what));
  await recordClouds(engine, (...what) => save(engine, ...what));
  await recordPower(engine, (...what) => save(engine, ...what));
}

/** The entity that begins a new run in the middle of an operation: the end of one run, and the next. */
async function recordContinued(engine: TestEngine): Promise<void> {
  const client = await engine.client();
  const workflowId = infraWorkflowId('default', 'busy');
  const networks = { busy: { name: 'busy', provider: 'demo', id: 'x', since: 'recorder' } };
  const inventory = {
    ...emptyInventory({ workspace: 'default', infra: 'busy', uuid: 'b5a1c0de-0000-4000-8000-000000000000' }),
    networks,
  };
  const state = { inventory, holders: [], waiters: [], nextGrant: 1 };
  const { firstExecutionRunId } = await engine.temporal.workflow.start('infra', {
    workflowId,
    taskQueue: engine.taskQueue,
    args: [{ workspace: 'default', infra: 'busy', continueAfter: 12, state }],
  });
  const shared = { workspace: 'default', infra: 'busy', actor: 'recorder', allowDestroy: true, kind: 'cluster' as const };
  const definition = demoDefinition('busy', { servers: [{ name: 'web', count: 2 }], taskservs: ['node-exporter'] });
  const wishes = [
    { ...shared, id: 'busy-apply', intent: { verb: 'ensure' as const }, definition },
    { ...shared, id: 'busy-delete', intent: { verb: 'delete' as const } },
  ];
  for (const request of wishes)
    await client.operations.result({ operation: (await client.operations.submit({ request })).operation });
  while ((await client.infras.list({ workspace: 'default' })).length > 0) await sleep(20);
  await save(engine, 'infra-continued', workflowId, firstExecutionRunId);
  await save(engine, 'infra-continuation', workflowId);
}

// No Docker Engine: what else this machine has is nobody's business.
const engine = await startTestEngine({ DOCKER_HOST: 'unix:///nowhere.sock' });
try {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (name.endsWith('.json')) await rm(join(folder, name));
  await record(engine);
} finally {
  await engine.stop();
}

/**
 * Records golden histories on a real engine and the demo provider, sealed as in Temporal. test/workflows/replay.test.ts
 * replays them (docs/contribute/changing-a-workflow.md).
 *
 *     npm run record-histories [-- NAME…]     records all, or these, into test/histories/present
 *     npm run record-histories -- --release   records all for a release of the commit that is checked out
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { execa } from 'execa';
import { VERSION_MEMO } from '../core/engine/workflows-version.js';
import { emptyInventory } from '../core/infra/inventory.js';
import { infraWorkflowId } from '../core/names.js';
import type { OperationKind, OperationRequest, OperationResult } from '../core/operation/operation.js';
import { demoDefinition } from '../test/support/definition.js';
import { demoAccount } from '../test/support/demo.js';
import { startTestEngine, type TestEngine } from '../test/support/engine.js';
import { HISTORIES, recordingKey } from '../test/support/histories.js';
import { recordBatches } from './record-batches.js';
import { recordClouds } from './record-clouds.js';
import { recordControl } from './record-control.js';
import { areInquiries, recordInquiries } from './record-inquiries.js';
import { recordPower } from './record-power.js';
import { areNewcomers, areWaits, recordNewcomers, recordWaits } from './record-waits.js';

const { values, positionals: wanted } = parseArgs({ options: { release: { type: 'boolean' } }, allowPositionals: true });
const folder = join(HISTORIES, values.release ? 'former' : 'present');

const shop = (count: number, taskservs: string[] = ['node-exporter']) =>
  demoDefinition('shop', { servers: [{ name: 'web', count }], taskservs });

/** Fields that depend on this machine and this run, which replaying ignores. */
const OF_THIS_RUN = new Set(['identity', 'workerVersion', 'requestId', 'stackTrace', 'firstExecutionRunId']);

async function save({ temporal }: TestEngine, name: string, workflowId: string, runId?: string): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  const { events } = JSON.parse(historyToJSON(history)) as { events: object[] };
  const lines = events.map((event) => JSON.stringify(event, (key, value) => (OF_THIS_RUN.has(key) ? undefined : value)));
  const text = `{"workflowId":${JSON.stringify(workflowId)},"events":[\n${lines.join(',\n')}\n]}\n`;
  await writeFile(join(folder, `${name}.json`), text);
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
  await recordLeaving(engine);
  await recordBatches(engine, (...what) => save(engine, ...what));
  await recordInquiries(engine, (...what) => save(engine, ...what));
  await recordClouds(engine, (...what) => save(engine, ...what));
  await recordPower(engine, (...what) => save(engine, ...what));
  await recordWaits(engine, (...what) => save(engine, ...what));
  await recordNewcomers(engine, (...what) => save(engine, ...what));
}

/** Records an entity that begins a new run during an operation: the end of one run, and the next run. */
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
  // Between two runs, the list is empty for a moment.
  while ((await engine.temporal.workflow.getHandle(workflowId).describe()).status.name !== 'COMPLETED') await sleep(20);
  await save(engine, 'infra-continued', workflowId, firstExecutionRunId);
  await save(engine, 'infra-continuation', workflowId);
}

/** Records an entity that a former build began and that ends that run. */
async function recordLeaving(engine: TestEngine): Promise<void> {
  const workflowId = infraWorkflowId('default', 'left');
  const scope = { workspace: 'default', infra: 'left' };
  const networks = { left: { name: 'left', provider: 'demo', id: 'x', since: 'recorder' } };
  const inventory = { ...emptyInventory({ ...scope, uuid: 'b5a1c0de-0000-4000-8000-000000000001' }), networks };
  const run = await engine.temporal.workflow.start('infra', {
    workflowId,
    taskQueue: engine.taskQueue,
    memo: { [VERSION_MEMO]: 1 },
    args: [{ ...scope, state: { inventory } }],
  });
  const { firstExecutionRunId } = run;
  while ((await engine.temporal.workflow.getHandle(workflowId).describe()).runId === firstExecutionRunId) await sleep(20);
  await save(engine, 'infra-leaves-former-run', workflowId, firstExecutionRunId);
  await engine.temporal.workflow.getHandle(workflowId).terminate('recorded');
}

/** Records the release's commit. The checkout must be at that commit. */
async function noteRelease(): Promise<void> {
  const { stdout: changes } = await execa('git', ['status', '--porcelain']);
  if (changes) throw new Error('cannot record the histories of a release: the checkout has changes; commit them first');
  const { stdout: commit } = await execa('git', ['rev-parse', '--short', 'HEAD']);
  for (const name of ['former', 'present']) await rm(join(HISTORIES, name), { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'RELEASE'), `${commit}\n`);
}

// Without a Docker Engine: the recordings must not depend on this machine's containers.
if (values.release) await noteRelease();
await mkdir(folder, { recursive: true });
const engine = await startTestEngine({ DOCKER_HOST: 'unix:///nowhere.sock', ...recordingKey() });
try {
  const play = areInquiries(wanted)
    ? recordInquiries
    : areWaits(wanted)
      ? recordWaits
      : areNewcomers(wanted)
        ? recordNewcomers
        : record;
  await play(engine, (...what) => save(engine, ...what));
} finally {
  await engine.stop();
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRequest, OperationStatus } from '../core/operation/operation.js';
import { demoDefinition } from '../test/support/definition.js';
import { demoAccount } from '../test/support/demo.js';
import type { TestEngine } from '../test/support/engine.js';

const WHY = 'to be replayed';

/** Plays every way in which people control an operation. `keep` saves its history. */
export async function recordControl(engine: TestEngine, keep: (name: string) => Promise<void>): Promise<void> {
  const client = await engine.client();
  const { behave } = demoAccount(engine);
  const define = (...taskservs: string[]) => demoDefinition('ctl', { servers: [{ name: 'web', count: 2 }], taskservs });
  const start = async (id: string, wish: Partial<OperationRequest>) => {
    const timing = { retryMs: 20, healthMs: 100, heartbeatMs: 5_000 };
    const base = { workspace: 'default', infra: 'ctl', kind: 'cluster' as const, allowDestroy: true, actor: 'recorder', timing };
    await client.operations.submit({ request: { id, ...base, intent: { verb: 'ensure', prune: true }, ...wish } });
    return id;
  };
  const until = async (id: string, status: OperationStatus) => {
    while ((await client.operations.progress({ operation: id })).status !== status) await sleep(20);
  };
  const end = async (id: string) => {
    await client.operations.result({ operation: id });
    await keep(id);
  };
  const remove = async (id: string) => client.operations.result({ operation: await start(id, { intent: { verb: 'delete' } }) });

  const approved = await start('control-approved', { definition: define('node-exporter'), approve: ['before-change'] });
  await until(approved, 'waiting');
  await client.operations.approve({ operation: approved, why: WHY, approved: true });
  await end(approved);
  const rejected = await start('control-rejected', { intent: { verb: 'delete' }, approve: ['before-destroy'] });
  await until(rejected, 'waiting');
  await client.operations.approve({ operation: rejected, why: WHY, approved: false });
  await end(rejected);
  await remove('control-emptied-1');

  await behave({ latencyMs: { 'host.step': 300 } });
  const paused = await start('control-paused', { definition: define('nginx') });
  while (
    (await client.operations.progress({ operation: paused })).cells.every(({ taskserv, state }) => !taskserv || state !== 'running')
  )
    await sleep(20);
  await client.operations.pause({ operation: paused, why: WHY });
  while ((await client.operations.progress({ operation: paused })).cells.every(({ step }) => !step?.startsWith('Paused before')))
    await sleep(20);
  await client.operations.resume({ operation: paused, why: WHY });
  await end(paused);
  await behave({});
  await remove('control-emptied-2');

  await behave({ failures: [{ verb: 'host.step', name: 'Install the package nginx', times: 1, error: 'user' }] });
  const retried = await start('control-retried-with-input', { definition: define('nginx'), onFailure: 'ask' });
  await until(retried, 'waiting');
  await client.operations.decide({ operation: retried, decision: 'retry', why: WHY, definition: define('node-exporter') });
  await end(retried);
  await remove('control-emptied-3');

  await behave({ failures: [{ verb: 'servers.create', name: 'web-1', times: 1, error: 'user' }] });
  const skipped = await start('control-skipped', { definition: define('node-exporter'), onFailure: 'ask' });
  await until(skipped, 'waiting');
  await client.operations.decide({ operation: skipped, decision: 'skip' });
  await end(skipped);
  await remove('control-emptied-4');

  await behave({ unhealthy: ['node-exporter'] });
  for (const decision of ['rollback', 'keep'] as const) {
    const answered = await start(`control-${decision}`, { definition: define('node-exporter'), onFailure: 'ask' });
    await until(answered, 'waiting');
    await client.operations.decide({ operation: answered, decision });
    await end(answered);
  }
  await behave({});
  await remove('control-emptied-5');

  await behave({ latencyMs: { 'host.step': 500 } });
  const stopped = await start('control-stopped', { definition: define('nginx'), onFailure: 'rollback' });
  while ((await client.operations.progress({ operation: stopped })).steps.executed === 0) await sleep(20);
  await client.operations.cancel({ operation: stopped, why: WHY });
  await end(stopped);

  const failures = [{ verb: 'servers.delete', name: 'web-2', times: 1_000, error: 'weather' as const }];
  await behave({ unhealthy: ['node-exporter'], failures });
  const forced = await start('control-forced', { definition: define('node-exporter'), onFailure: 'rollback' });
  const rollsBack = ({ server, step }: { server: string; step?: string }) => server === 'web-2' && step?.startsWith('Roll back');
  while (!(await client.operations.progress({ operation: forced })).cells.some(rollsBack)) await sleep(20);
  await client.operations.force({ operation: forced, why: WHY });
  await end(forced);
  await behave({});
  await remove('control-emptied-6');
}

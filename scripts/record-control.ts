import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRequest, OperationStatus } from '../core/operation/operation.js';
import { demoDefinition } from '../test/support/definition.js';
import { demoAccount } from '../test/support/demo.js';
import type { TestEngine } from '../test/support/engine.js';

const BY = { actor: 'recorder', why: 'to be replayed' };

/** Plays every way in which people control an operation; `keep` saves the history of one. */
export async function recordControl(engine: TestEngine, keep: (name: string) => Promise<void>): Promise<void> {
  const client = await engine.client();
  const { behave } = demoAccount(engine);
  const define = (...taskservs: string[]) => demoDefinition('ctl', { servers: [{ name: 'web', count: 2 }], taskservs });
  const start = async (id: string, wish: Partial<OperationRequest>) => {
    const timing = { retryMs: 20, healthMs: 100, heartbeatMs: 5_000 };
    const base = { workspace: 'default', infra: 'ctl', kind: 'cluster' as const, allowDestroy: true, actor: 'recorder', timing };
    await client.submit({ id, ...base, intent: { verb: 'ensure', prune: true }, ...wish });
    return id;
  };
  const until = async (id: string, status: OperationStatus) => {
    while ((await client.progress(id)).status !== status) await sleep(20);
  };
  const end = async (id: string) => {
    await client.result(id);
    await keep(id);
  };
  const remove = async (id: string) => client.result(await start(id, { intent: { verb: 'delete' } }));

  const approved = await start('control-approved', { definition: define('node-exporter'), approve: ['before-change'] });
  await until(approved, 'waiting');
  await client.approve(approved, { ...BY, approved: true });
  await end(approved);
  const rejected = await start('control-rejected', { intent: { verb: 'delete' }, approve: ['before-destroy'] });
  await until(rejected, 'waiting');
  await client.approve(rejected, { ...BY, approved: false });
  await end(rejected);
  await remove('control-emptied-1');

  await behave({ latencyMs: { 'host.step': 300 } });
  const paused = await start('control-paused', { definition: define('nginx') });
  while ((await client.progress(paused)).cells.every(({ taskserv, state }) => !taskserv || state !== 'running')) await sleep(20);
  await client.pause(paused, BY);
  while ((await client.progress(paused)).cells.every(({ step }) => !step?.startsWith('Paused before'))) await sleep(20);
  await client.resume(paused, BY);
  await end(paused);
  await behave({});
  await remove('control-emptied-2');

  await behave({ failures: [{ verb: 'host.step', name: 'Install the package nginx', times: 1, error: 'user' }] });
  const retried = await start('control-retried-with-input', { definition: define('nginx'), onFailure: 'ask' });
  await until(retried, 'waiting');
  await client.decide(retried, 'retry', 'recorder', { why: BY.why, definition: define('node-exporter') });
  await end(retried);
  await remove('control-emptied-3');

  await behave({ failures: [{ verb: 'servers.create', name: 'web-1', times: 1, error: 'user' }] });
  const skipped = await start('control-skipped', { definition: define('node-exporter'), onFailure: 'ask' });
  await until(skipped, 'waiting');
  await client.decide(skipped, 'skip', 'recorder');
  await end(skipped);
  await remove('control-emptied-4');

  await behave({ unhealthy: ['node-exporter'] });
  for (const decision of ['rollback', 'keep'] as const) {
    const answered = await start(`control-${decision}`, { definition: define('node-exporter'), onFailure: 'ask' });
    await until(answered, 'waiting');
    await client.decide(answered, decision, 'recorder');
    await end(answered);
  }
  await behave({});
  await remove('control-emptied-5');

  await behave({ latencyMs: { 'host.step': 500 } });
  const stopped = await start('control-stopped', { definition: define('nginx'), onFailure: 'rollback' });
  while ((await client.progress(stopped)).steps.executed === 0) await sleep(20);
  await client.cancel(stopped, 'recorder', BY.why);
  await end(stopped);

  const failures = [{ verb: 'servers.delete', name: 'web-2', times: 1_000, error: 'weather' as const }];
  await behave({ unhealthy: ['node-exporter'], failures });
  const forced = await start('control-forced', { definition: define('node-exporter'), onFailure: 'rollback' });
  const takesBack = ({ server, step }: { server: string; step?: string }) => server === 'web-2' && step?.startsWith('Take back');
  while (!(await client.progress(forced)).cells.some(takesBack)) await sleep(20);
  await client.force(forced, BY);
  await end(forced);
  await behave({});
  await remove('control-emptied-6');
}

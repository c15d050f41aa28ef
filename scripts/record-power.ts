import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRequest, OperationResult } from '../core/operation/operation.js';
import type { PowerVerb } from '../core/operation/power.js';
import { demoDefinition } from '../test/support/definition.js';
import { demoAccount } from '../test/support/demo.js';
import type { TestEngine } from '../test/support/engine.js';

type Keep = (name: string, workflowId: string) => Promise<void>;

/** Stops, starts and restarts servers behind a load balancer. One of these fails. `keep` saves a history. */
export async function recordPower(engine: TestEngine, keep: Keep): Promise<void> {
  const client = await engine.client();
  const { behave } = demoAccount(engine);
  const infra = 'switched';
  const definition = demoDefinition(infra, {
    servers: [{ name: 'lb' }, { name: 'web', count: 2 }],
    taskservs: [
      { name: 'haproxy', on: { server: 'lb' } },
      { name: 'nginx', on: { role: 'web' } },
    ],
  });
  const timing = { retryMs: 20, healthMs: 100, heartbeatMs: 5_000 };
  const play = async (name: string, wish: Pick<OperationRequest, 'intent'> & Partial<OperationRequest>, kept = true) => {
    await client.operations.submit({
      request: { id: name, kind: 'server', workspace: 'default', infra, actor: 'recorder', timing, ...wish },
    });
    const result: OperationResult = await client.operations.result({ operation: name });
    if (kept) await keep(name, name);
    return result;
  };
  const power = (verb: PowerVerb, ...servers: string[]) => ({ intent: { verb, servers } });

  await play('switched-apply', { kind: 'cluster', intent: { verb: 'ensure', prune: true }, definition }, false);
  await play('server-stop', power('stop', 'web-1'));
  await play('server-stop-nothing-to-do', power('stop', 'web-1'));
  await play('cluster-starts-a-stopped-server', { kind: 'cluster', intent: { verb: 'ensure', prune: true } });
  await play('server-restart', power('restart', 'web-1', 'web-2'));
  const { operation: of } = await play('server-stop-again', power('stop', 'web-2'), false);
  await play('server-stop-taken-back', { intent: { verb: 'rollback', of } });
  await behave({ failures: [{ verb: 'servers.stop', name: 'web-2', times: 1, error: 'user' }] });
  await play('server-stop-rolled-back', { ...power('stop', 'web-1', 'web-2'), onFailure: 'rollback' });
  await behave({});
  await play('server-stop-once-more', power('stop', 'web-1', 'web-2'), false);
  await play('server-start', power('start', 'web-1', 'web-2'));
  await behave({ unhealthy: ['web-1/nginx'] });
  await play('server-restart-failed', { ...power('restart', 'web-1', 'web-2'), onFailure: 'keep' });
  await behave({});
  await play('switched-delete', { kind: 'cluster', intent: { verb: 'delete' }, allowDestroy: true }, false);
  while ((await client.infras.list({ workspace: 'default' })).includes(infra)) await sleep(20);
}

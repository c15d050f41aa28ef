import { beforeEach, describe, expect, test } from 'vitest';
import type { OperationRequest } from '../../core/operation/operation.js';
import type { PowerVerb } from '../../core/operation/power.js';
import { batchOf, submitBatch } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, run, runWell, submit, untilStatus } from '../support/operations.js';

const INFRA = 'shop';
const TIMING = { heartbeatMs: 5_000, retryMs: 50, healthMs: 1_000 };
const WEBS = ['web-1', 'web-2', 'web-3'];

describe('servers that are started, stopped and restarted', { timeout: 120_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  let from = 0;
  const definition = demoDefinition(INFRA, {
    servers: [{ name: 'lb' }, { name: 'web', count: 3 }],
    taskservs: [
      { name: 'haproxy', on: { server: 'lb' } },
      { name: 'nginx', on: { role: 'web' } },
    ],
  });
  const client = () => engine.client();
  const wish = (verb: PowerVerb, servers: string[], more: Partial<OperationRequest> = {}) => ({
    infra: INFRA,
    kind: 'server' as const,
    intent: { verb, servers },
    timing: TIMING,
    ...more,
  });
  const apply = (more: Partial<OperationRequest> = {}) => ({ infra: INFRA, definition, timing: TIMING, ...more });
  /** Power actions since the test began, in order. */
  const switchedSince = async () =>
    (await account.read()).effects
      .slice(from)
      .filter(({ verb }) => /^servers\.(start|stop|restart)$/.test(verb))
      .map(({ verb, name }) => `${verb.slice(8)} ${name}`);
  const stoppedBy = async (name: string) =>
    (await (await client()).infras.inventory({ workspace: 'default', infra: INFRA }))?.servers[name]?.stopped;
  const linesOf = ({ plan }: { plan: { on: string; title: string }[] }) => plan.map(({ on, title }) => `${on}: ${title}`);
  const untilStep = (operation: string, step: string) =>
    eventually(async () => {
      const { cells } = await (await client()).operations.progress({ operation });
      expect(cells.find(({ server, taskserv }) => server === 'web-1' && !taskserv)).toMatchObject({ state: 'running', step });
    });
  const refreshed = async () => (await client()).infras.refresh({ workspace: 'default', infra: INFRA });

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing(INFRA, () => ({ engine, account }));
  beforeEach(async () => {
    await account.behave({});
    await runWell(engine, apply());
    from = (await account.read()).effects.length;
  });

  test('in a batch: in its order, and started again where the batch is rolled back', async () => {
    const plan = await batchOf('switch', {
      operations: [
        { name: 'off', kind: 'server', do: 'stop', infra: INFRA, servers: ['web-1'] },
        {
          name: 'again',
          kind: 'server',
          do: 'restart',
          infra: INFRA,
          servers: ['{each}'],
          forEach: ['web-2', 'web-3'],
          needs: ['off'],
        },
      ],
    });
    const id = await submitBatch(engine, { ...plan, timing: TIMING });
    expect((await (await client()).batches.result({ batch: id })).status).toBe('done');
    const did = await switchedSince();
    expect([did[0], [...did].sort()]).toEqual([
      'stop web-1',
      ['start web-2', 'start web-3', 'stop web-1', 'stop web-2', 'stop web-3'],
    ]);
    expect(await stoppedBy('web-1')).toBe(`${id}-1`);
    const { batch } = await (await client()).batches.rollback({ batch: id, as: `batch-undo-${id}` });
    expect((await (await client()).batches.result({ batch })).status).toBe('done');
    expect([(await switchedSince()).slice(did.length), await stoppedBy('web-1')]).toEqual([['start web-1'], undefined]);
  });

  test('a stopped one is known to be stopped, is no drift, and is started by an apply that says so', async () => {
    const preview = await runWell(engine, wish('stop', ['web-1'], { check: true }));
    expect(linesOf(preview)).toEqual([
      'lb: Take web-1-nginx out of service',
      'web-1: Stop the server web-1',
      'lb: Leave web-1 to the checks of health',
    ]);
    expect(await switchedSince()).toEqual([]);
    const stopped = await runWell(engine, wish('stop', ['web-1']));
    expect(linesOf(stopped)).toEqual(linesOf(preview));
    expect(stopped.steps).toEqual({ executed: 3, planned: 3 });
    expect(await switchedSince()).toEqual(['stop web-1']);
    expect(await stoppedBy('web-1')).toBe(stopped.operation);

    expect((await runWell(engine, wish('stop', ['web-1']))).steps).toEqual({ executed: 0, planned: 0 });
    expect(await stoppedBy('web-1')).toBe(stopped.operation);
    expect(await refreshed()).toMatchObject({ differs: [], gone: [], asRecorded: 5 });
    const refused = await run(
      engine,
      wish('stop', ['web-1'], { kind: 'taskserv', intent: { verb: 'ensure', servers: ['web-1'] } }),
    );
    expect(refused.error).toMatchObject({
      code: 'server-stopped',
      on: 'web-1',
      hint: `provisioning server start web-1 --infra ${INFRA}`,
    });

    const lines = linesOf(await runWell(engine, apply({ check: true })));
    expect(lines).toEqual([`web-1: Change the server web-1: it is started (${stopped.operation} stopped it)`]);
    await runWell(engine, apply());
    expect(await stoppedBy('web-1')).toBeUndefined();
    expect((await runWell(engine, apply())).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('a start waits for healthy services, and does nothing to one that runs', async () => {
    await runWell(engine, wish('stop', ['web-1', 'web-2']));
    const started = await runWell(engine, wish('start', WEBS));
    expect(linesOf(started)).toEqual(['web-1: Start the server web-1', 'web-2: Start the server web-2']);
    expect(started.services.map(({ server, taskserv, healthy }) => [server, taskserv, healthy])).toEqual([
      ['web-1', 'nginx', true],
      ['web-2', 'nginx', true],
    ]);
    expect((await switchedSince()).sort()).toEqual(['start web-1', 'start web-2', 'stop web-1', 'stop web-2']);
    expect(await stoppedBy('web-1')).toBeUndefined();
    expect((await runWell(engine, wish('start', WEBS))).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('what somebody else switched is seen: by refresh, and by the next operation', async () => {
    const { operation } = await runWell(engine, wish('stop', ['web-1', 'web-2']));
    await account.meddle(({ servers }) => {
      delete (servers[`default/${INFRA}/web-1`] as { stopped?: true }).stopped;
    });
    expect((await refreshed()).differs).toMatchObject([{ name: 'web-1', changes: [`it runs, and ${operation} stopped it`] }]);
    await (await client()).infras.refresh({ workspace: 'default', infra: INFRA, record: true });
    expect([await stoppedBy('web-1'), await stoppedBy('web-2')]).toEqual([undefined, operation]);
    await account.meddle(({ servers }) => {
      delete (servers[`default/${INFRA}/web-2`] as { stopped?: true }).stopped;
    });
    expect((await runWell(engine, wish('start', ['web-2']))).steps.planned).toBe(0);
    expect(await stoppedBy('web-2')).toBeUndefined();
  });

  test('several are restarted one after another, each out of service at its balancer meanwhile', async () => {
    await account.behave({ latencyMs: { 'servers.stop': 200, 'servers.start': 200 } });
    const result = await runWell(engine, wish('restart', WEBS));
    expect(await switchedSince()).toEqual(WEBS.flatMap((name) => [`stop ${name}`, `start ${name}`]));
    expect(linesOf(result).slice(0, 3)).toEqual([
      'lb: Take web-1-nginx out of service',
      'web-1: Restart the server web-1',
      'lb: Put web-1-nginx back into service',
    ]);
    expect(result.steps).toEqual({ executed: 9, planned: 9 });
    expect(result.services.filter(({ healthy }) => healthy)).toHaveLength(3);
    expect(result.compensations).toEqual([]);
  });

  test('after one that does not become healthy the others are left alone, and it stays on', async () => {
    await account.behave({ unhealthy: ['web-1/nginx'] });
    const result = await run(engine, wish('restart', WEBS, { onFailure: 'keep' }));
    expect([result.status, result.error?.code, result.error?.on]).toEqual(['failed', 'unhealthy', 'web-1/nginx']);
    expect(await switchedSince()).toEqual(['stop web-1', 'start web-1']);
    expect(await stoppedBy('web-1')).toBeUndefined();
  });

  test('asked what to do, to try again is to look again, not to restart again', async () => {
    await account.behave({ unhealthy: ['web-1/nginx'] });
    const operation = await submit(engine, wish('restart', ['web-1'], { onFailure: 'ask' }));
    await untilStatus(engine, operation, 'waiting');
    await account.behave({});
    await (await client()).operations.decide({ operation, decision: 'retry' });
    expect((await (await client()).operations.result({ operation })).status).toBe('done');
    expect(await switchedSince()).toEqual(['stop web-1', 'start web-1']);
  });

  test('a stop that fails at one is rolled back at the others by a start; one that ended by a rollback', async () => {
    await account.behave({ failures: [{ verb: 'servers.stop', name: 'web-2', times: 1, error: 'user' }] });
    const failed = await run(engine, wish('stop', ['web-1', 'web-2'], { onFailure: 'rollback' }));
    expect([failed.status, failed.error?.on, failed.left]).toEqual(['rolled-back', 'web-2', []]);
    expect(await switchedSince()).toEqual(['stop web-1', 'start web-1']);
    expect(await stoppedBy('web-1')).toBeUndefined();

    const { operation: of } = await runWell(engine, wish('stop', ['web-3']));
    const back = { verb: 'rollback' as const, of };
    const taken = await runWell(engine, { infra: INFRA, kind: 'server', intent: back, timing: TIMING });
    expect(linesOf(taken)).toEqual(['web-3: Start the server web-3']);
    expect(await stoppedBy('web-3')).toBeUndefined();
  });

  test('an apply that is rolled back leaves off what was off', async () => {
    const { operation } = await runWell(engine, wish('stop', ['web-1']));
    await account.behave({ unhealthy: ['web-1/nginx'] });
    const failed = await run(engine, apply({ onFailure: 'rollback' }));
    expect([failed.status, failed.left]).toEqual(['rolled-back', []]);
    expect((await account.read()).servers[`default/${INFRA}/web-1`]?.stopped).toBe(true);
    expect(await stoppedBy('web-1')).toBe(operation);
  });

  test('it waits for an approval where one is wanted, and has the lock of its server', async () => {
    const operation = await submit(engine, wish('stop', ['web-1'], { approve: ['before-change'] }));
    const progress = await untilStatus(engine, operation, 'waiting');
    expect(progress.question).toBe('approval');
    expect(
      (await (await client()).infras.locks({ workspace: 'default', infra: INFRA })).holders.map(({ resources }) => resources),
    ).toEqual([['server/web-1']]);
    expect(await switchedSince()).toEqual([]);
    await (await client()).operations.approve({ operation, approved: true });
    expect((await (await client()).operations.result({ operation })).status).toBe('done');
    expect(await switchedSince()).toEqual(['stop web-1']);
  });

  test('neither a pause nor a cancel leaves a server off that was only to be restarted', async () => {
    await account.behave({ latencyMs: { 'servers.stop': 1_500 } });
    const isOff = () => eventually(async () => expect(await switchedSince()).toContain('stop web-1'));
    const paused = await submit(engine, wish('restart', ['web-1', 'web-2']));
    await untilStep(paused, 'Restart the server web-1');
    await (await client()).operations.pause({ operation: paused });
    await isOff();
    await eventually(async () => expect(await switchedSince()).toEqual(['stop web-1', 'start web-1']));
    await untilStatus(engine, paused, 'paused');
    await (await client()).operations.resume({ operation: paused });
    expect((await (await client()).operations.result({ operation: paused })).status).toBe('done');

    from = (await account.read()).effects.length;
    const canceled = await submit(engine, wish('restart', ['web-1', 'web-2'], { onFailure: 'keep' }));
    await eventually(async () =>
      expect((await (await client()).operations.progress({ operation: canceled })).steps.executed).toBeGreaterThan(0),
    );
    await (await client()).operations.cancel({ operation: canceled });
    expect((await (await client()).operations.result({ operation: canceled })).status).toBe('canceled');
    expect(await switchedSince()).toEqual(['stop web-1', 'start web-1']);
    expect(await stoppedBy('web-1')).toBeUndefined();
  });

  test('canceled while it is paused before a restart, it restarts nothing', async () => {
    await account.behave({ latencyMs: { 'host.step': 1_000 } });
    const operation = await submit(engine, wish('restart', ['web-1']));
    await untilStep(operation, 'Take web-1-nginx out of service at lb');
    await (await client()).operations.pause({ operation });
    await untilStatus(engine, operation, 'paused');
    await (await client()).operations.cancel({ operation });
    const result = await (await client()).operations.result({ operation });
    expect([result.status, result.left]).toEqual(['canceled', []]);
    expect(await switchedSince()).toEqual([]);
  });

  test.each(['servers.stop', 'servers.start'])('a worker killed during %s of a restart: each once', async (verb) => {
    // The account has executed the call, and the worker dies before the answer.
    await account.behave({ failures: [{ verb, name: 'web-1', times: 1, error: 'silence' }] });
    const operation = await submit(engine, wish('restart', ['web-1']));
    await eventually(async () => expect(await switchedSince()).toContain(`${verb.slice(8)} web-1`));
    await engine.killWorker();
    await engine.up();
    expect((await (await client()).operations.result({ operation })).status).toBe('done');
    expect(await switchedSince()).toEqual(['stop web-1', 'start web-1']);
  });
});

import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../core/exit-codes.js';
import type { Progress } from '../../core/operation/operation.js';
import { principal } from '../../home/principal.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, doubled, NOTHING } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, run, runWell, submit, untilStatus, type Wish } from '../support/operations.js';

/** The actor that the transport reports. The actor in a call is ignored. */
const ME = principal();
const WHY = 'a reason';

describe('control of an operation', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  const define = (taskservs: Parameters<typeof demoDefinition>[1]['taskservs'], count = 2) =>
    demoDefinition('ctl', { servers: [{ name: 'web', count }], taskservs });
  const start = (wish: Partial<Wish>) => submit(engine, { infra: 'ctl', ...wish });
  const ended = async (operation: string) => (await client()).operations.result({ operation });
  const did = ({ control }: Pick<Progress, 'control'>) =>
    control.map(({ did, actor, on }) => [did, actor, on].filter(Boolean).join(' '));
  const refusal = async (call: Promise<unknown>) =>
    call.then(
      () => 'accepted',
      (error) => error.details?.code ?? error,
    );
  const effects = async () => (await account.read()).effects.length;

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing('ctl', () => ({ engine, account }));

  test('pause: nothing begins any more, work on a host ends between two steps; resume goes on there', async () => {
    await account.behave({ latencyMs: { 'host.step': 300 } });
    const operation = await start({ definition: define(['nginx', 'redis']) });
    await eventually(async () => expect(Object.values((await account.read()).servers).some((s) => s.services.nginx)).toBe(true));
    await (await client()).operations.pause({ operation, why: WHY });
    const paused = await untilStatus(engine, operation, 'paused');
    expect(paused.waiting).toMatch(/^paused by \S+@\S+ since \S+ \(a reason\)$/);
    expect(await refusal((await client()).operations.pause({ operation, why: WHY }))).toBe('already-paused');
    await eventually(async () => {
      // Check all running hosts, because the second host first finishes its current step.
      const atWork = (await (await client()).operations.progress({ operation })).cells.filter(({ state }) => state === 'running');
      expect(atWork).not.toEqual([]);
      for (const { step } of atWork) expect(step).toMatch(/^Paused before: /);
    });
    const before = await effects();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await effects()).toBe(before);
    expect(await (await client()).operations.list({ infra: 'ctl', limit: 1 })).toMatchObject([
      { status: 'paused', waiting: paused.waiting },
    ]);

    await account.behave({});
    await (await client()).operations.resume({ operation });
    expect(await refusal((await client()).operations.resume({ operation, why: WHY }))).toMatch(/not-(paused|running)/);
    const done = await ended(operation);
    expect([done.status, done.error, done.steps.executed]).toEqual(['done', undefined, done.steps.planned]);
    expect(did(done)).toEqual([`paused ${ME}`, `resumed ${ME}`]);
    expect(done.control[0]?.why).toBe('a reason');
    expect(doubled(await account.read())).toEqual([]);
    for (const name of ['pause', 'resume'] as const)
      expect(await refusal((await client()).operations[name]({ operation }))).toBe('not-running');
  });

  test('a cancel in its first moments, when news overtake its every turn, is heard', async () => {
    for (let delay = 20; delay < 80; delay += 2) {
      // A separate infra, whose entity starts with it, uses most of them.
      const definition = { ...define(['redis']), infra: `early-${delay}` };
      const operation = await start({ infra: definition.infra, definition, onFailure: 'rollback' });
      await new Promise((resolve) => setTimeout(resolve, delay));
      // On a busy machine it may have ended before the cancel arrived.
      const answer = await refusal((await client()).operations.cancel({ operation }));
      expect([delay, ['accepted', 'not-running']]).toEqual([delay, expect.arrayContaining([answer])]);
      const { status } = await ended(operation);
      if (answer === 'accepted') expect(['canceled', 'done']).toContain(status);
      // An operation that ended before its cancel arrived has created its servers. Delete them for the next test.
      await runWell(engine, { infra: definition.infra, intent: { verb: 'delete' }, allowDestroy: true });
    }
  });

  test('before-change: it shows the plan and waits; rejected nothing is changed', async () => {
    const before = await effects();
    const operation = await start({ definition: define(['nginx'], 1), approve: ['before-change'] });
    const waiting = await untilStatus(engine, operation, 'waiting');
    expect([waiting.question, exitCodeOf(waiting)]).toEqual(['approval', 4]);
    expect(waiting.waiting).toMatch(/^\d+ steps on ctl wait for an approval$/);
    expect(waiting.plan.map(({ title }) => title)).toContain('Create the server web-1');
    expect(await refusal((await client()).operations.decide({ operation, decision: 'retry' }))).toBe('not-waiting');
    expect(await effects()).toBe(before);
    await (await client()).operations.approve({ operation, why: WHY, approved: false });
    const rejected = await ended(operation);
    expect([rejected.status, exitCodeOf(rejected), rejected.left]).toEqual(['canceled', 5, []]);
    expect(rejected.error).toMatchObject({ code: 'rejected', why: `rejected by ${ME}: a reason` });
    expect(did(rejected)).toEqual([`rejected ${ME} ctl`]);
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });

  test('a gate of the definition holds until it is approved, and only where something is to be done', async () => {
    const definition = { ...define(['nginx'], 2), approve: ['before-destroy' as const] };
    await runWell(engine, { infra: 'ctl', definition });
    await runWell(engine, { infra: 'ctl', definition, approve: ['before-change'] });
    const fewer = await start({ definition: define(['nginx'], 1), allowDestroy: true });
    const waiting = await untilStatus(engine, fewer, 'waiting');
    expect(waiting.waiting).toMatch(/which destroy web-2 wait for an approval$/);
    // Only the approved plan is executed: if the plan has changed since, it is shown again.
    await account.behave({ unhealthy: [] });
    await (await client()).operations.approve({ operation: fewer, why: WHY, approved: true });
    const done = await ended(fewer);
    expect([done.status, did(done)]).toEqual(['done', [`approved ${ME} ctl`]]);
    expect(contentOf(await account.read()).servers).toEqual(['default/ctl/web-1']);
  });

  test('ask: retry with other input goes on with it for what is not done yet', async () => {
    await account.behave({ failures: [{ verb: 'host.step', name: 'Install the package redis-server', times: 1, error: 'user' }] });
    const operation = await start({ definition: define(['nginx', 'redis'], 1), onFailure: 'ask' });
    const waiting = await untilStatus(engine, operation, 'waiting');
    expect(waiting.question).toBe('decision');
    const other = define(['nginx', { name: 'redis', config: { port: 6390 } }], 1);
    const decide = async (definition: typeof other, decision: 'retry' | 'skip' = 'retry') =>
      (await client()).operations.decide({ operation, decision, why: 'another port', definition });
    expect(await refusal(decide({ ...other, infra: 'other' }))).toBe('other-infra');
    expect(await refusal(decide(other, 'skip'))).toBe('no-input-taken');
    await decide(other);
    const done = await ended(operation);
    expect([done.status, done.error]).toEqual(['done', undefined]);
    expect(did(done)).toEqual([`retried-with-input ${ME} web-1/redis`]);
    expect(done.steps.executed).toBe(done.steps.planned);
    const inventory = await (await client()).infras.inventory({ workspace: 'default', infra: 'ctl' });
    expect(inventory?.definition).toEqual(other);
    expect(inventory?.servers['web-1']?.services.redis?.config).toMatchObject({ port: 6390 });
    const all = (await account.read()).effects.filter(({ key }) => key.startsWith(operation));
    expect(all.filter(({ name }) => name === 'web-1/nginx: Install the package nginx')).toHaveLength(1);
    expect(all.filter(({ verb }) => verb === 'servers.create')).toHaveLength(1);
    expect((await (await client()).operations.request({ operation })).definition).toEqual(other);
  });

  test('ask: what depends on a skipped step is skipped as well, and says why', async () => {
    await account.behave({ unhealthy: ['web-2/nginx'] });
    const definition = demoDefinition('ctl', {
      servers: [{ name: 'web', count: 2 }, { name: 'lb' }],
      taskservs: [
        { name: 'nginx', on: { role: 'web' } },
        { name: 'haproxy', on: { role: 'lb' } },
      ],
    });
    const operation = await start({ definition, onFailure: 'ask' });
    await untilStatus(engine, operation, 'waiting');
    await (await client()).operations.decide({ operation, decision: 'skip', why: 'not needed' });
    const done = await ended(operation);
    const why = `nginx on web-2 was skipped by ${ME} (not needed)`;
    expect(done.skipped).toEqual([
      { on: 'web-2/nginx', why },
      { on: 'lb/haproxy', why },
    ]);
    expect(did(done)).toEqual([`skipped ${ME} web-2/nginx`]);
    const { cells } = await (await client()).operations.progress({ operation });
    expect(cells.find(({ server, taskserv }) => server === 'lb' && taskserv)).toMatchObject({ state: 'skipped', step: why });
  });

  test('ask: without its server nothing is done on it, and without its network no server is made', async () => {
    await account.behave({ failures: [{ verb: 'servers.create', name: 'web-1', times: 1, error: 'user' }] });
    const operation = await start({ definition: define(['nginx']), onFailure: 'ask' });
    await untilStatus(engine, operation, 'waiting');
    await (await client()).operations.decide({ operation, decision: 'skip' });
    const done = await ended(operation);
    const why = `server web-1 was skipped by ${ME}`;
    expect(done.skipped).toEqual([
      { on: 'web-1', why },
      { on: 'web-1/nginx', why },
    ]);
    expect(done.services.map(({ server }) => server)).toEqual(['web-2']);

    await runWell(engine, { infra: 'ctl', intent: { verb: 'delete' }, allowDestroy: true });
    await account.behave({ failures: [{ verb: 'networks.create', times: 1, error: 'user' }] });
    const alone = await start({ definition: define([], 1), onFailure: 'ask' });
    await untilStatus(engine, alone, 'waiting');
    await (await client()).operations.decide({ operation: alone, decision: 'skip' });
    expect((await ended(alone)).skipped?.map(({ on, why }) => [on, why])).toEqual([
      ['network/ctl', `network ctl was skipped by ${ME}`],
      ['web-1', `network ctl was skipped by ${ME}`],
    ]);
  });

  test('cancel says who and why', async () => {
    await account.behave({ latencyMs: { 'host.step': 500 } });
    const operation = await start({ definition: define(['nginx', 'redis']), onFailure: 'rollback' });
    await eventually(async () =>
      expect((await (await client()).operations.progress({ operation })).steps.executed).toBeGreaterThan(0),
    );
    await (await client()).operations.cancel({ operation, why: 'a reason' });
    const canceled = await ended(operation);
    expect([canceled.status, did(canceled), canceled.left]).toEqual(['canceled', [`cancel ${ME}`], []]);
    expect((await engine.temporal.workflow.getHandle(operation).describe()).status.name).toBe('CANCELLED');
    expect(contentOf(await account.read())).toEqual(NOTHING);
    expect(await refusal((await client()).operations.cancel({ operation }))).toBe('not-running');
  });

  test('a pause ends with a cancel: what was done is rolled back', async () => {
    await account.behave({ latencyMs: { 'host.step': 200 } });
    const operation = await start({ definition: define(['nginx']), onFailure: 'rollback' });
    await eventually(async () =>
      expect((await (await client()).operations.progress({ operation })).steps.executed).toBeGreaterThan(0),
    );
    await (await client()).operations.pause({ operation, why: WHY });
    await untilStatus(engine, operation, 'paused');
    await (await client()).operations.cancel({ operation });
    const canceled = await ended(operation);
    expect([canceled.status, did(canceled)]).toEqual(['canceled', [`paused ${ME}`, `cancel ${ME}`]]);
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });

  test('force gives up the current compensation, names it as left, and the others go on', async () => {
    await account.behave({
      unhealthy: ['nginx'],
      failures: [{ verb: 'servers.delete', name: 'web-2', times: 1_000, error: 'weather' }],
    });
    const operation = await start({ definition: define(['nginx']), onFailure: 'rollback' });
    await eventually(async () =>
      expect((await (await client()).operations.progress({ operation })).cells).toContainEqual(
        expect.objectContaining({ server: 'web-2', step: 'Roll back: delete the server' }),
      ),
    );
    expect(await refusal((await client()).operations.cancel({ operation }))).toBe('already-stopping');
    await engine.temporal.workflow.getHandle(operation).cancel();
    await (await client()).operations.force({ operation, why: WHY });
    const back = await ended(operation);
    expect(back.status).toBe('rolled-back');
    expect(back.left).toEqual([
      expect.stringMatching(
        /^server web-2 \(at demo: given up by \S+@\S+: a reason; provisioning workflow rollback \S+, or provisioning orphans --remove\)$/,
      ),
      expect.stringMatching(/^network ctl \(at demo: cannot delete the network: server web-2 is left in it; /),
    ]);
    expect(did(back).sort()).toEqual(['cancel unknown', `force ${ME} server web-2`]);
    expect(contentOf(await account.read()).servers).toEqual(['default/ctl/web-2']);
    await account.behave({});
    const intent = { verb: 'rollback' as const, of: operation };
    await runWell(engine, { infra: 'ctl', intent });
  });

  test('force gives up what hangs and hears of nothing; it is refused while nothing stops', async () => {
    await runWell(engine, { infra: 'ctl', definition: define(['nginx'], 1) });
    await account.behave({
      latencyMs: { 'host.step': 400 },
      unhealthy: ['redis'],
      failures: [{ verb: 'host.undo', times: 1, error: 'hang' }],
    });
    const operation = await start({ definition: define(['nginx', 'redis'], 1), onFailure: 'rollback' });
    await untilStatus(engine, operation, 'running');
    expect(await refusal((await client()).operations.force({ operation, why: WHY }))).toBe('not-stopping');
    await eventually(async () => expect((await account.read()).settings.failures).toEqual([]));
    await (await client()).operations.force({ operation, why: WHY });
    const back = await ended(operation);
    expect([back.status, did(back)]).toEqual(['rolled-back', [`force ${ME} taskserv redis on web-1`]]);
    expect(back.left).toEqual([
      `taskserv redis on web-1 (given up by ${ME}: a reason; provisioning workflow rollback ${operation})`,
    ]);
    expect((await (await client()).infras.inventory({ workspace: 'default', infra: 'ctl' }))?.definition).toEqual(
      define(['nginx'], 1),
    );
  });

  test('rolling back an ended operation waits for an approval, and a cancel names what remains', async () => {
    const done = await runWell(engine, { infra: 'ctl', definition: define(['nginx']) });
    const intent = { verb: 'rollback' as const, of: done.operation };
    const gated = await start({ intent, approve: ['before-destroy'] });
    const waiting = await untilStatus(engine, gated, 'waiting');
    expect(
      waiting.plan
        .filter(({ destructive }) => destructive)
        .map(({ on }) => on)
        .sort(),
    ).toEqual(['web-1', 'web-2']);
    await account.behave({ latencyMs: { 'servers.delete': 700 } });
    await (await client()).operations.approve({ operation: gated, why: WHY, approved: true });
    await eventually(async () => expect(contentOf(await account.read()).servers).toHaveLength(1));
    await (await client()).operations.cancel({ operation: gated });
    const canceled = await ended(gated);
    expect([canceled.status, did(canceled)]).toEqual(['canceled', [`approved ${ME} ctl`, `cancel ${ME}`]]);
    expect(canceled.left).toContain('network ctl');
    await account.behave({});
    const again = { verb: 'rollback' as const, of: gated };
    expect((await run(engine, { infra: 'ctl', intent: again })).status).toBe('done');
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });
});

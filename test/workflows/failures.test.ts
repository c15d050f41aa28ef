import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../core/exit-codes.js';
import { countEffects } from '../../providers/demo/store/account.js';
import { openStores } from '../../stores/open-stores.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, doubled, NOTHING } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { eventually, run, runWell, submit, untilStatus } from '../support/operations.js';

describe('when something fails', () => {
  let engine: TestEngine;
  let account: DemoAccount;
  const client = () => engine.client();
  const shop = (...taskservs: string[]) =>
    demoDefinition('shop', {
      servers: [{ name: 'web', count: 2, volumes: [{ name: 'data', size: '10 GiB', mount: '/data' }] }],
      taskservs,
    });
  const inventory = async () => (await client()).infras.inventory({ workspace: 'default', infra: 'shop' });
  const lines = async () =>
    Object.entries((await inventory())?.servers ?? {}).map(([name, { services }]) => `${name}: ${Object.keys(services).join()}`);

  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing('shop', () => ({ engine, account }));

  test('rollback: nothing is left', async () => {
    await account.behave({
      failures: [{ verb: 'host.step', name: 'Write /etc/nginx/sites-available/provisioning', times: 1, error: 'user' }],
      unhealthy: ['web-2/nginx'],
    });
    const failed = await run(engine, { infra: 'shop', definition: shop('nginx'), onFailure: 'rollback' });
    expect([failed.status, exitCodeOf(failed)]).toEqual(['rolled-back', 1]);
    expect(failed.error).toMatchObject({ on: 'web-2/nginx', code: 'unhealthy' });
    expect(failed.left).toEqual([]);
    expect(contentOf(await account.read())).toEqual(NOTHING);
    expect(await inventory()).toBeUndefined();
  });

  test('rollback of a later operation rolls back only its own', async () => {
    await runWell(engine, { infra: 'shop', definition: shop('nginx') });
    const before = await account.read();
    await account.behave({ unhealthy: ['redis'] });
    const failed = await run(engine, { infra: 'shop', definition: shop('nginx', 'redis'), onFailure: 'rollback' });
    expect(failed.status).toBe('rolled-back');
    const after = await account.read();
    expect(contentOf(after)).toEqual(contentOf(before));
    for (const { services } of Object.values(after.servers)) expect(services.redis?.steps).toEqual([]);
    expect((await lines()).sort()).toEqual(['web-1: nginx', 'web-2: nginx']);
    expect((await inventory())?.definition).toEqual(shop('nginx'));
  });

  test('keep: all is left and named, and can be rolled back afterwards', async () => {
    await account.behave({ unhealthy: ['web-2/nginx'] });
    const kept = await run(engine, { infra: 'shop', definition: shop('nginx'), onFailure: 'keep' });
    expect([kept.status, exitCodeOf(kept)]).toEqual(['failed', 1]);
    expect(kept.left?.sort()).toEqual([
      'network shop',
      'server web-1',
      'server web-2',
      'taskserv nginx on web-1',
      'taskserv nginx on web-2',
    ]);
    expect(contentOf(await account.read()).servers).toHaveLength(2);
    expect((await lines()).sort()).toEqual(['web-1: nginx', 'web-2: nginx']);

    const intent = { verb: 'rollback' as const, of: kept.operation };
    const back = await runWell(engine, { infra: 'shop', intent, allowDestroy: true });
    expect(back.left ?? []).toEqual([]);
    expect(contentOf(await account.read())).toEqual(NOTHING);
    expect(await inventory()).toBeUndefined();
  });

  test('keep: what was asked for and never seen is named as such', async () => {
    await account.behave({ failures: [{ verb: 'servers.create', name: 'web-2', times: 1, error: 'user' }] });
    const kept = await run(engine, { infra: 'shop', definition: shop('nginx'), onFailure: 'keep' });
    expect(kept.left).toEqual(expect.arrayContaining(['server web-1', 'server web-2, if it was made']));
  });

  test('an operation of a narrower kind is rolled back as well, and nothing else', async () => {
    await runWell(engine, { infra: 'shop', definition: shop('nginx') });
    const definition = shop('nginx', 'redis');
    const installed = await runWell(engine, {
      infra: 'shop',
      kind: 'taskserv',
      intent: { verb: 'ensure', servers: ['web-1'], taskservs: ['redis'] },
      definition,
    });
    const intent = { verb: 'rollback' as const, of: installed.operation };
    await runWell(engine, { infra: 'shop', kind: 'taskserv', intent });
    const { servers } = await account.read();
    expect(servers['default/shop/web-1']?.services.redis?.steps).toEqual([]);
    expect(servers['default/shop/web-1']?.services.nginx?.steps.length).toBeGreaterThan(0);
    expect((await lines()).sort()).toEqual(['web-1: nginx', 'web-2: nginx']);
    expect(countEffects(await account.read(), { verb: 'servers.create' })).toBeGreaterThan(0);
  });

  test('what others built upon is not rolled back', async () => {
    const first = await runWell(engine, { infra: 'shop', definition: shop('nginx') });
    await runWell(engine, { infra: 'shop', definition: shop('nginx', 'redis') });
    const intent = { verb: 'rollback' as const, of: first.operation };
    const refused = await run(engine, { infra: 'shop', intent, allowDestroy: true });
    expect([refused.error?.code, exitCodeOf(refused)]).toEqual(['changed-since', 2]);
    expect(contentOf(await account.read()).servers).toHaveLength(2);
  });

  test('what was rolled back, and made again by another operation, is not rolled back again', async () => {
    const first = await runWell(engine, { infra: 'shop', definition: shop('nginx') });
    const intent = { verb: 'rollback' as const, of: first.operation };
    await runWell(engine, { infra: 'shop', intent, allowDestroy: true });
    await runWell(engine, { infra: 'shop', kind: 'server', definition: shop('nginx') });
    const nothing = await runWell(engine, { infra: 'shop', intent, allowDestroy: true });
    expect([nothing.steps.planned, contentOf(await account.read()).servers]).toEqual([0, expect.objectContaining({ length: 2 })]);
    // For a roll-back by a former release, only its result records what it undid.
    const { rollbacks } = await openStores(engine.home, engine.env);
    await rollbacks.drop({ workspace: 'default', infra: 'shop', operation: first.operation });
    const refused = await run(engine, { infra: 'shop', intent, allowDestroy: true });
    expect([refused.error?.code, exitCodeOf(refused)]).toEqual(['changed-since', 2]);
    expect(contentOf(await account.read()).servers).toHaveLength(2);
  });

  test('ask: it waits and says for what; retry does the step again', async () => {
    await account.behave({ failures: [{ verb: 'host.step', name: 'Install the package nginx', times: 1, error: 'user' }] });
    const operation = await submit(engine, { infra: 'shop', definition: shop('nginx'), onFailure: 'ask' });
    const waiting = await untilStatus(engine, operation, 'waiting');
    expect(waiting.waiting).toMatch(/^Install nginx failed on .*nginx: .*Retry, skip, keep or roll back\?$/);
    expect(exitCodeOf(waiting)).toBe(4);
    // Lists come from an index that is updated a moment later.
    await eventually(async () =>
      expect(await (await client()).operations.list({ infra: 'shop', limit: 1 })).toMatchObject([
        { operation, status: 'waiting', waiting: waiting.waiting },
      ]),
    );
    await (await client()).operations.decide({ operation, decision: 'retry' });
    const done = await (await client()).operations.result({ operation });
    expect([done.status, done.error]).toEqual(['done', undefined]);
    expect(doubled(await account.read())).toEqual([]);
  });

  test('ask: skip leaves the step out, and the rest goes on', async () => {
    await account.behave({ unhealthy: ['web-1/nginx'] });
    const operation = await submit(engine, { infra: 'shop', definition: shop('nginx', 'node-exporter'), onFailure: 'ask' });
    await untilStatus(engine, operation, 'waiting');
    await (await client()).operations.decide({ operation, decision: 'skip' });
    const done = await (await client()).operations.result({ operation });
    expect(done.services.filter(({ healthy }) => healthy).map(({ server, taskserv }) => `${server}/${taskserv}`)).toEqual([
      'web-1/node-exporter',
      'web-2/nginx',
      'web-2/node-exporter',
    ]);
    const skipped = (await (await client()).operations.progress({ operation })).cells.find(
      ({ server, taskserv }) => server === 'web-1' && taskserv === 'nginx',
    );
    expect(skipped?.state).toBe('skipped');
  });

  test('ask: keep and rollback, asked once for several failures at a time', async () => {
    for (const [decision, status, servers] of [
      ['keep', 'failed', 2],
      ['rollback', 'rolled-back', 0],
    ] as const) {
      await account.behave({ unhealthy: ['nginx'] });
      const operation = await submit(engine, { infra: 'shop', definition: shop('nginx'), onFailure: 'ask' });
      await untilStatus(engine, operation, 'waiting');
      await (await client()).operations.decide({ operation, decision });
      const ended = await (await client()).operations.result({ operation });
      expect([decision, ended.status, contentOf(await account.read()).servers.length]).toEqual([decision, status, servers]);
      await account.behave({});
      await runWell(engine, { infra: 'shop', intent: { verb: 'delete' }, allowDestroy: true });
    }
  });

  test('an answer is refused where no question stands', async () => {
    const { operation } = await runWell(engine, { infra: 'shop', definition: shop('nginx') });
    await expect((await client()).operations.decide({ operation, decision: 'retry' })).rejects.toMatchObject({
      details: { code: 'not-waiting', blame: 'user' },
    });
    await expect((await client()).operations.decide({ operation: 'no-such', decision: 'retry' })).rejects.toMatchObject({
      details: { code: 'unknown-operation' },
    });
  });

  test('a lost answer makes nothing twice', async () => {
    await account.behave({
      failures: (['networks.create', 'servers.create', 'host.step', 'servers.ready'] as const).map((verb) => ({
        verb,
        times: 2,
        error: 'after-effect' as const,
      })),
    });
    const done = await runWell(engine, { infra: 'shop', definition: shop('nginx') });
    const state = await account.read();
    expect(state.settings.failures).toEqual([]);
    expect(countEffects(state, { key: `${done.operation}/network/shop/1` })).toBe(1);
    expect(countEffects(state, { key: `${done.operation}/server/web-1/1`, verb: 'servers.create' })).toBe(1);
    expect(doubled(state)).toEqual([]);
  });

  test('transient errors and rate limits are waited out, a quota and a refusal are not', async () => {
    await account.behave({ failures: [{ verb: 'servers.create', times: 4, error: 'weather' }], limits: { callsPerSecond: 20 } });
    await runWell(engine, { infra: 'shop', definition: shop('nginx') });
    expect((await account.read()).settings.failures).toEqual([]);
    await runWell(engine, { infra: 'shop', intent: { verb: 'delete' }, allowDestroy: true });

    await account.behave({ limits: { servers: 1 } });
    const quota = await run(engine, { infra: 'shop', definition: shop('nginx'), onFailure: 'rollback' });
    expect(quota).toMatchObject({
      status: 'rolled-back',
      error: { code: 'quota-exceeded', on: expect.stringMatching(/^web-\d$/) },
    });
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });

  test('a compensation that finally fails is named, and can be run again', async () => {
    await account.behave({
      unhealthy: ['nginx'],
      failures: [{ verb: 'servers.delete', name: 'web-2', times: 1, error: 'user' }],
    });
    const failed = await run(engine, { infra: 'shop', definition: shop('nginx'), onFailure: 'rollback' });
    expect(failed.status).toBe('rolled-back');
    expect(failed.left?.map((text) => text.split(' (')[0])).toEqual(['server web-2', 'network shop']);
    expect(failed.left?.[0]).toContain(`provisioning workflow rollback ${failed.operation}`);
    expect(contentOf(await account.read()).servers).toEqual(['default/shop/web-2']);
    expect(Object.keys((await inventory())?.servers ?? {})).toEqual(['web-2']);

    const intent = { verb: 'rollback' as const, of: failed.operation };
    await runWell(engine, { infra: 'shop', intent, allowDestroy: true });
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });

  test('cancel in the middle: the policy decides what becomes of what was done', async () => {
    for (const [onFailure, servers] of [
      ['keep', 2],
      ['rollback', 0],
    ] as const) {
      await account.behave({ latencyMs: { 'host.step': 700 } });
      const operation = await submit(engine, { infra: 'shop', definition: shop('nginx', 'redis'), onFailure });
      await eventually(async () =>
        expect(
          (await (await client()).operations.progress({ operation })).cells.some(
            ({ taskserv, state }) => taskserv && state === 'running',
          ),
        ).toBe(true),
      );
      await (await client()).operations.cancel({ operation });
      const ended = await (await client()).operations.result({ operation });
      expect([onFailure, ended.status, exitCodeOf(ended), ended.error]).toEqual([onFailure, 'canceled', 5, undefined]);
      expect(contentOf(await account.read()).servers).toHaveLength(servers);
      expect(await (await client()).infras.locks({ workspace: 'default', infra: 'shop' })).toEqual({ holders: [], waiters: [] });
      await account.behave({});
      await runWell(engine, { infra: 'shop', intent: { verb: 'delete' }, allowDestroy: true });
    }
  });

  test('a cancel while machines are made leaves none behind', async () => {
    await account.behave({ latencyMs: { 'servers.create': 1_500, boot: 2_000 } });
    const operation = await submit(engine, { infra: 'shop', definition: shop('nginx'), onFailure: 'rollback' });
    await eventually(async () => expect((await (await client()).operations.progress({ operation })).cells.length).toBe(2));
    await (await client()).operations.cancel({ operation });
    const ended = await (await client()).operations.result({ operation });
    expect([ended.status, ended.left]).toEqual(['canceled', []]);
    expect(contentOf(await account.read())).toEqual(NOTHING);
  });
});

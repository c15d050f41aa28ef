import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../core/exit-codes.js';
import { pathOf } from '../../providers/demo/config.js';
import { countEffects, readDemo } from '../../providers/demo/store/account.js';
import { demoDefinition } from '../support/definition.js';
import { demoAccount } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { eventually, requestOf, run, runWell, submit, untilStatus } from '../support/operations.js';

describe('apply', () => {
  let engine: TestEngine;
  const account = () => readDemo(pathOf({ account: 'default' }, engine.env));
  const client = () => engine.client();

  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterAll(() => engine?.stop());

  const shop = (count: number, more: string[] = []) =>
    demoDefinition('shop', { servers: [{ name: 'web', count }], taskservs: ['nginx', ...more] });

  test('makes what the definition says, as previewed; the second run does nothing', async () => {
    const wish = { infra: 'shop', definition: shop(2) };
    const preview = await runWell(engine, { ...wish, check: true });
    expect((await account()).effects).toEqual([]);
    expect(await (await client()).infras.inventory({ workspace: 'default', infra: 'shop' })).toBeUndefined();

    const first = await runWell(engine, wish);
    const lines = ({ plan }: typeof first) => plan.map(({ on, taskserv, title }) => [on, taskserv, title]);
    expect(lines(first)).toEqual(lines(preview));
    expect(first.steps).toEqual({ executed: first.plan.length, planned: first.plan.length });
    expect(first.services.map(({ server, taskserv, healthy }) => [server, taskserv, healthy])).toEqual([
      ['web-1', 'nginx', true],
      ['web-2', 'nginx', true],
    ]);
    const after = await account();
    expect(countEffects(after, { verb: 'servers.create' })).toBe(2);
    expect(countEffects(after, { verb: 'host.step' })).toBe(first.plan.filter(({ taskserv }) => taskserv).length);

    const second = await runWell(engine, wish);
    expect(second.steps).toEqual({ executed: 0, planned: 0 });
    expect(second.services).toEqual(first.services);
    expect((await account()).effects).toEqual(after.effects);
  });

  test('the inventory says what exists, and nothing is locked', async () => {
    const inventory = await (await client()).infras.inventory({ workspace: 'default', infra: 'shop' });
    expect(Object.keys(inventory?.servers ?? {}).sort()).toEqual(['web-1', 'web-2']);
    expect(inventory?.servers['web-1']?.services.nginx).toMatchObject({ healthy: true });
    expect(inventory?.definition).toEqual(shop(2));
    expect(await (await client()).infras.list({ workspace: 'default' })).toEqual(['shop']);
    expect(await (await client()).infras.locks({ workspace: 'default', infra: 'shop' })).toEqual({ holders: [], waiters: [] });
  });

  test('a server operation touches the servers it names, a taskserv operation the taskservs', async () => {
    const definition = shop(4, ['redis']);
    await runWell(engine, { infra: 'shop', definition: shop(2) });
    const made = await runWell(engine, {
      infra: 'shop',
      kind: 'server',
      intent: { verb: 'ensure', servers: ['web-3'] },
      definition,
    });
    expect(made.plan.map(({ on, taskserv }) => [on, taskserv])).toEqual([['web-3', undefined]]);

    const before = (await account()).effects.length;
    const installed = await runWell(engine, {
      infra: 'shop',
      kind: 'taskserv',
      intent: { verb: 'ensure', servers: ['web-1'], taskservs: ['redis'] },
    });
    expect(installed.plan.length).toBeGreaterThan(0);
    expect(installed.plan.every(({ on, taskserv }) => on === 'web-1' && taskserv === 'redis')).toBe(true);
    const fresh = (await account()).effects.slice(before);
    expect(fresh.map(({ name }) => name.split(':')[0])).toEqual(fresh.map(() => 'web-1/redis'));

    const removed = await runWell(engine, {
      infra: 'shop',
      kind: 'taskserv',
      intent: { verb: 'delete', servers: ['web-1'], taskservs: ['redis'] },
    });
    expect(removed.plan.every(({ on, taskserv }) => on === 'web-1' && taskserv === 'redis')).toBe(true);
    expect(
      Object.keys(
        (await (await client()).infras.inventory({ workspace: 'default', infra: 'shop' }))?.servers['web-1']?.services ?? {},
      ),
    ).toEqual(['nginx']);

    const unknown = await run(engine, { infra: 'shop', kind: 'server', intent: { verb: 'ensure', servers: ['web-9'] } });
    expect([unknown.status, exitCodeOf(unknown), unknown.error?.code]).toEqual(['failed', 2, 'unknown-server']);
  });

  test('a count that shrinks takes the highest first, and only where that is allowed', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(11) });
    const effects = (await account()).effects.length;

    const refused = await run(engine, { infra: 'shop', definition: shop(8) });
    expect([refused.status, exitCodeOf(refused), refused.error?.code]).toEqual(['failed', 2, 'destruction-not-allowed']);
    expect(refused.error?.why).toContain('web-11');
    expect((await account()).effects).toHaveLength(effects);

    const unseen = await run(engine, { infra: 'shop', definition: shop(8), allowDestroy: ['web-11', 'web-10'] });
    expect(unseen.error).toMatchObject({ code: 'destruction-not-allowed', on: 'web-9' });

    const shrunk = await runWell(engine, { infra: 'shop', definition: shop(8), allowDestroy: ['web-11', 'web-10', 'web-9'] });
    expect(shrunk.plan.map(({ on, destructive }) => [on, destructive])).toEqual([
      ['web-11', true],
      ['web-10', true],
      ['web-9', true],
    ]);
    const gone = (await account()).effects.filter(({ verb }) => verb === 'servers.delete').map(({ name }) => name);
    expect(gone.sort()).toEqual(['web-10', 'web-11', 'web-9']);
  });

  test('an id is used once', async () => {
    const definition = shop(8);
    const done = await runWell(engine, { infra: 'shop', id: 'once', definition });
    expect(done.operation).toBe('once');
    const again = run(engine, { infra: 'shop', id: 'once', definition });
    await expect(again).rejects.toMatchObject({ details: { code: 'operation-exists', blame: 'user' } });
  });

  test('an id of previews is for previews: lists would leave what changes something out', async () => {
    const wants = { infra: 'shop', id: 'cluster-check-hidden', definition: shop(8) };
    await expect(run(engine, wants)).rejects.toMatchObject({ details: { code: 'preview-id', on: 'cluster-check-hidden' } });
    expect((await run(engine, { ...wants, check: true })).status).toBe('done');
  });

  test('another infra of the same server names stands beside it', async () => {
    const definition = demoDefinition('other', { servers: [{ name: 'web', count: 1 }], taskservs: ['nginx'] });
    await runWell(engine, { infra: 'other', definition });
    await runWell(engine, { infra: 'other', intent: { verb: 'delete' }, allowDestroy: true });
    expect(await (await client()).infras.inventory({ workspace: 'default', infra: 'other' })).toBeUndefined();
    expect(Object.keys((await account()).servers).filter((id) => id.startsWith('default/shop/'))).toHaveLength(8);
  });

  test('delete leaves nothing, and the entity ends', async () => {
    const gone = await runWell(engine, { infra: 'shop', intent: { verb: 'delete' }, allowDestroy: true });
    expect(gone.steps.executed).toBeGreaterThanOrEqual(8);
    const { servers, networks, volumes } = await account();
    expect({ servers, networks, volumes }).toEqual({ servers: {}, networks: {}, volumes: {} });
    await eventually(async () => expect(await (await client()).infras.list({ workspace: 'default' })).toEqual([]));
    expect(await (await client()).infras.inventory({ workspace: 'default', infra: 'shop' })).toBeUndefined();
  });

  test('previews are listed only for who asks for them', async () => {
    const { operations, plans } = await client();
    const wish = requestOf({ infra: 'looked-at', definition: demoDefinition('looked-at', { servers: [{ name: 'web' }] }) });
    const { operation } = await plans.preview({ request: wish });
    await operations.result({ operation });
    const listed = async (checks?: boolean) =>
      (await operations.list({ infra: 'looked-at', ...(checks && { checks }) })).map((row) => row.operation);
    await eventually(async () => expect(await listed(true)).toEqual([operation]));
    expect(await listed()).toEqual([]);
  });

  test('the inventory has a service while the operation that installed it is still at work', async () => {
    const definition = demoDefinition('told', { servers: [{ name: 'web' }], taskservs: ['nginx', 'redis'] });
    await demoAccount(engine).behave({ unhealthy: ['redis'] });
    const operation = await submit(engine, { infra: 'told', definition, onFailure: 'ask' });
    await untilStatus(engine, operation, 'waiting');
    await eventually(async () => {
      const inventory = await (await client()).infras.inventory({ workspace: 'default', infra: 'told' });
      expect(inventory?.servers.web?.services.nginx).toMatchObject({ healthy: true });
    });
    expect((await (await client()).operations.progress({ operation })).status).toBe('waiting');
    await demoAccount(engine).behave({});
    await (await client()).operations.decide({ operation, decision: 'retry' });
    expect((await (await client()).operations.result({ operation })).status).toBe('done');
    await runWell(engine, { infra: 'told', intent: { verb: 'delete' }, allowDestroy: true, approve: undefined });
  });
});

import { describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import { demoDefinition, type Written } from '../support/definition.js';
import { type DemoAccount, serversIn } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { requestOf, run, runWell, submit, untilStatus } from '../support/operations.js';

/** A roll-back undoes only the purpose of an operation. Repairs of drift on the way stay. */
describe('repairs', { timeout: 180_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing('shop', () => ({ engine, account }));

  const shop = (port: number, servers: Written['servers'] = [{ name: 'web' }]) =>
    demoDefinition('shop', { servers, taskservs: [{ name: 'nginx', config: { port } }, 'redis'] });
  const stepsOf = async (taskserv: string, server = 'web') =>
    (Object.values((await account.read()).servers).find(({ name }) => name === server)?.services[taskserv]?.steps ?? []).map(
      ({ title, fingerprint }) => `${title} ${fingerprint}`,
    );
  /** Removes the effects of a service's first steps. */
  const drift = (taskserv: string, count = 2) =>
    account.meddle(({ servers }) => {
      for (const { services } of Object.values(servers)) services[taskserv]?.steps.splice(0, count);
    });
  const rollBack = (of: string, more: object = {}) =>
    run(engine, { ...requestOf({ infra: 'shop', intent: { verb: 'rollback', of, ...more } }), allowDestroy: true });

  test('stay when the operation is rolled back, unless they are asked for', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(8080) });
    const [nginx, redis] = [await stepsOf('nginx'), await stepsOf('redis')];
    await drift('redis');
    const drifted = await stepsOf('redis');
    expect(drifted).not.toEqual(redis);
    const wanted = await runWell(engine, { infra: 'shop', definition: shop(8081), check: true });
    expect(new Set(wanted.plan.map(({ taskserv, repair = false }) => `${taskserv}: ${repair}`))).toEqual(
      new Set(['nginx: false', 'redis: true']),
    );
    const { operation } = await runWell(engine, { infra: 'shop', definition: shop(8081) });
    expect(await stepsOf('nginx')).not.toEqual(nginx);

    const preview = await run(engine, requestOf({ infra: 'shop', check: true, intent: { verb: 'rollback', of: operation } }));
    expect(new Set(preview.plan.map(({ taskserv }) => taskserv))).toEqual(new Set([undefined, 'nginx']));
    expect(preview.plan.every(({ title, on }) => on === 'definition' || title.startsWith('Undo: '))).toBe(true);
    expect(preview.notes?.map(({ text }) => text).join()).toMatch(/repairs stay.*taskserv redis on web/);
    expect((await stepsOf('nginx')).length).toBeGreaterThan(0);

    const back = await rollBack(operation);
    expect([back.status, back.steps.executed]).toEqual(['done', preview.plan.length]);
    expect(back.outcomes).toContainEqual({ on: 'taskserv redis on web', outcome: 'stays', why: 'a repair' });
    expect((await stepsOf('nginx')).sort()).toEqual([...nginx].sort());
    expect((await stepsOf('redis')).sort()).toEqual([...redis].sort());

    const again = await provisioning(engine, ['workflow', 'rollback', operation, '--yes']);
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining(`${operation} was rolled back by ${back.operation}, at 20`),
    ]);
    expect(again.stdout).toContain('1 repair stays');
    const all = await provisioning(engine, ['workflow', 'rollback', operation, '--repairs', '--yes']);
    expect([all.code, all.stderr]).toEqual([0, expect.anything()]);
    expect(await stepsOf('redis')).toEqual(drifted);
    const last = await provisioning(engine, ['workflow', 'rollback', operation, '--repairs', '--yes', '--json']);
    expect([last.code, JSON.parse(last.stdout)]).toMatchObject([0, { operation, status: 'rolled-back', repairs: 0 }]);
  });

  test('within a changed service stay as well, where nothing that was changed came before them', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(8080) });
    const nginx = await stepsOf('nginx');
    await drift('nginx', 1);
    const { operation } = await runWell(engine, { infra: 'shop', definition: shop(8081) });
    expect((await rollBack(operation)).status).toBe('done');
    expect((await stepsOf('nginx')).sort()).toEqual([...nginx].sort());
  });

  test('are undone where the operation did nothing else', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(8080) });
    await drift('redis');
    const drifted = await stepsOf('redis');
    const { operation } = await runWell(engine, { infra: 'shop', definition: shop(8080) });
    expect((await stepsOf('redis')).length).toBeGreaterThan(drifted.length);
    expect((await rollBack(operation)).status).toBe('done');
    expect(await stepsOf('redis')).toEqual(drifted);
  });

  test('that are done stay when something else fails; the service that failed is as it was', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(8080) });
    const [nginx, redis] = [await stepsOf('nginx'), await stepsOf('redis')];
    await drift('nginx');
    await drift('redis');
    const drifted = await stepsOf('redis');
    await account.behave({ unhealthy: ['redis'] });
    const failed = await run(engine, { infra: 'shop', definition: shop(8080), onFailure: 'rollback' });
    expect(failed).toMatchObject({ status: 'rolled-back', left: [] });
    expect((await stepsOf('nginx')).sort()).toEqual([...nginx].sort());
    expect(await stepsOf('redis')).toEqual(drifted);
    expect(redis).not.toEqual(drifted);
  });

  test('of a machine that was gone stay, with what was installed on it', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(8080, [{ name: 'web' }, { name: 'db' }]) });
    await account.meddle(({ servers }) => void delete servers['default/shop/db']);
    const { operation } = await runWell(engine, { infra: 'shop', definition: shop(8081, [{ name: 'web' }, { name: 'db' }]) });
    expect(serversIn(await account.read(), 'shop').sort()).toEqual(['db', 'web']);
    const back = await rollBack(operation);
    expect([back.status, back.error?.why]).toEqual(['done', undefined]);
    expect(serversIn(await account.read(), 'shop').sort()).toEqual(['db', 'web']);
    expect(await stepsOf('redis', 'db')).not.toEqual([]);
  });

  test('rollback-service: what failed is as it was, and what was done stays', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(8080) });
    const [nginx, redis] = [await stepsOf('nginx'), await stepsOf('redis')];
    await account.behave({ unhealthy: ['redis'] });
    await drift('redis');
    const drifted = await stepsOf('redis');
    const failed = await run(engine, { infra: 'shop', definition: shop(8081), onFailure: 'rollback-service' });
    expect([failed.status, failed.error?.on]).toEqual(['failed', 'web/redis']);
    expect(failed.left).toEqual(['taskserv nginx on web']);
    expect(failed.outcomes).toEqual([{ on: 'taskserv redis on web', outcome: 'undone' }]);
    expect(await stepsOf('nginx')).not.toEqual(nginx);
    expect(await stepsOf('redis')).toEqual(drifted);

    // The next operation continues from there.
    await account.behave({});
    const next = await runWell(engine, { infra: 'shop', definition: shop(8081) });
    expect(new Set(next.plan.map(({ taskserv }) => taskserv))).toEqual(new Set(['redis']));
    expect((await stepsOf('redis')).sort()).toEqual([...redis].sort());
  });

  test('who is asked is told what rolling back would undo', async () => {
    await runWell(engine, { infra: 'shop', definition: shop(8080) });
    await account.behave({ unhealthy: ['redis'] });
    await drift('redis');
    const operation = await submit(engine, requestOf({ infra: 'shop', definition: shop(8081), onFailure: 'ask' }));
    const { undoes } = await untilStatus(engine, operation, 'waiting');
    expect(undoes?.map((name) => name.replace(/\d+ step.*/, 'N'))).toEqual([
      'taskserv redis on web: N',
      'taskserv nginx on web: N',
      'the definition',
    ]);
    const shown = await provisioning(engine, ['workflow', 'follow', operation]);
    expect(shown.stdout).toMatch(/rolling back undoes:\n {2}taskserv redis on web: \d+ steps?\n/);
    await account.behave({});
    expect((await provisioning(engine, ['workflow', 'rollback', operation])).code).toBe(1);
  });
});

import { describe, expect, test } from 'vitest';
import { demoDefinition } from '../support/definition.js';
import type { DemoAccount } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { requestOf, run, runWell } from '../support/operations.js';

/**
 * A stateful service that moves to another server starts there without its data. For its clients this destroys the
 * data.
 */
describe('a service that holds data', { timeout: 180_000 }, () => {
  let engine: TestEngine;
  let account: DemoAccount;
  withDemoEngine((...started) => {
    [engine, account] = started;
  });
  leavingNothing('shop', () => ({ engine, account }));

  const on = (server: string, ...names: string[]) =>
    demoDefinition('shop', {
      servers: [{ name: 'db' }, { name: 'ops' }],
      taskservs: [...names.map((name) => ({ name, on: { server } })), { name: 'nginx', on: { server: 'db' } }],
    });
  const move = { infra: 'shop', definition: on('ops', 'postgres', 'redis', 'memcached') };

  test('is moved without its data only where that is allowed; the preview says what stays and what begins empty', async () => {
    await runWell(engine, { infra: 'shop', definition: on('db', 'postgres', 'redis', 'memcached') });
    const before = await account.read();

    const { plan } = await runWell(engine, { ...move, check: true });
    const said = plan.flatMap(({ on, taskserv, destructive, data }) => (data ? [{ on, taskserv, destructive, ...data }] : []));
    expect(said).toEqual(
      expect.arrayContaining([
        { on: 'ops', taskserv: 'postgres', destructive: true, is: 'begins', paths: ['/var/lib/postgresql'], leftOn: ['db'] },
        { on: 'ops', taskserv: 'redis', destructive: true, is: 'begins', paths: ['/var/lib/redis'], leftOn: ['db'] },
        { on: 'db', taskserv: 'postgres', is: 'stays', paths: ['/var/lib/postgresql'] },
      ]),
    );
    // Data that exists only in memory is not reported as a loss.
    expect(said.map(({ taskserv }) => taskserv)).not.toContain('memcached');

    for (const more of [{}, { approve: ['before-destroy' as const] }, { allowDestroy: ['db'] }]) {
      const refused = await run(engine, { ...requestOf(move), allowDestroy: undefined, ...more });
      expect([refused.status, refused.error?.code]).toEqual(['failed', 'destruction-not-allowed']);
      expect(refused.error?.why).toContain('leave the data of postgres on db, and ops begins without it');
    }
    expect((await account.read()).servers).toEqual(before.servers);
    expect((await runWell(engine, { ...move, allowDestroy: true })).status).toBe('done');

    // If the service is already there, no move begins.
    expect((await runWell(engine, { ...move, check: true })).plan).toEqual([]);
  });

  test('begins empty on a server that was lost and is made again, which the preview says', async () => {
    await runWell(engine, { infra: 'shop', definition: on('db', 'postgres') });
    await account.meddle(({ servers }) => {
      delete servers['default/shop/db'];
    });
    const { plan } = await runWell(engine, { infra: 'shop', definition: on('db', 'postgres'), check: true });
    expect(plan.flatMap(({ on, taskserv, data, destructive }) => (data ? [[on, taskserv, data.is, destructive]] : []))).toEqual([
      ['db', 'postgres', 'lost', undefined],
    ]);
  });

  test('stays on the disk where it is removed for good, which needs no permission', async () => {
    await runWell(engine, { infra: 'shop', definition: on('db', 'redis') });
    const without = { infra: 'shop', definition: on('db'), intent: { verb: 'ensure' as const, prune: true } };
    const { plan } = await runWell(engine, { ...without, check: true });
    expect(plan.find(({ data }) => data)).toMatchObject({ on: 'db', taskserv: 'redis', data: { is: 'stays' } });
    expect(plan.some(({ destructive }) => destructive)).toBe(false);
    expect((await run(engine, { ...requestOf(without), allowDestroy: undefined })).status).toBe('done');
  });
});

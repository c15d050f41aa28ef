import { afterAll, describe, expect, test } from 'vitest';
import { actAsAccount } from '../../app/access/act-as-account.js';
import type { Role } from '../../app/access/roles.js';
import { bindRole, createAccount, deleteAccount, unbindRole } from '../../app/access/service-accounts.js';
import { createDispatcher } from '../../app/dispatch.js';
import { createEngine } from '../../app/engine.js';
import { type Client, clientOver } from '../../client/client.js';
import { openStores } from '../../stores/open-stores.js';
import type { ServiceAccount } from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';
import type { Stores } from '../../stores/stores.js';
import { batchOf, farm, recordOf, server } from '../support/batches.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, NOTHING } from '../support/demo.js';
import { leavingNothing, withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { requestOf, untilStatus, type Wish } from '../support/operations.js';

const BY = { by: 'ann@desk' };
const DEPLOYER = { workspace: 'default', role: 'deployer' as Role };
const INFRA = 'mine';

describe('what waits in the name of a service account', () => {
  let engine: TestEngine;
  let demo: DemoAccount;
  let stores: Stores;
  let rows: Rows;
  let count = 0;

  withDemoEngine(async (...started) => {
    [engine, demo] = started;
    stores = await openStores(engine.home, engine.env);
    rows = await stores.rows();
  });
  afterAll(() => stores?.close());
  leavingNothing(INFRA, () => ({ engine, account: demo }));

  /** A service account that deploys, and a client that acts as it. */
  async function deployer(): Promise<{ account: ServiceAccount; as: Client }> {
    const account = await createAccount(rows, { tenant: '', name: `ci${++count}` }, BY);
    await bindRole(rows, account, DEPLOYER, BY);
    const { temporal, taskQueue } = engine;
    const platform = createEngine({ temporal, taskQueue, stores });
    const dispatcher = createDispatcher({ engine: platform, principal: await actAsAccount(stores, account.name) });
    return { account, as: clientOver({ ...dispatcher, close: async () => {} }) };
  }

  const definition = demoDefinition(INFRA, { servers: [{ name: 'web' }], taskservs: ['nginx'] });
  const wish = (more: Partial<Wish> = {}) => {
    const { actor: _, ...request } = requestOf({ infra: INFRA, definition, ...more });
    return request;
  };
  const submitted = async (as: Client, more: Partial<Wish> = {}) => (await as.operations.submit({ request: wish(more) })).operation;
  const waiting = async (as: Client, more: Partial<Wish> = {}) => {
    const operation = await submitted(as, { approve: ['before-change'], ...more });
    await untilStatus(engine, operation, 'waiting');
    return operation;
  };
  const ended = async (operation: string) => (await engine.client()).operations.result({ operation });
  const approve = async (operation: string) => (await engine.client()).operations.approve({ operation, approved: true });
  /** How often an operation asked for its authority: within its own task, or by the queue. */
  const decisionsOf = async (operation: string) => {
    const { events } = await engine.temporal.workflow.getHandle(operation).fetchHistory();
    const asked = (events ?? []).flatMap(({ markerRecordedEventAttributes: near, activityTaskScheduledEventAttributes: far }) => {
      if (far) return [far.activityType?.name];
      const [activity] = (near?.markerName === 'core_local_activity' && near.details?.data?.payloads) || [];
      return activity ? [JSON.parse(Buffer.from(activity.data ?? []).toString()).activity_type] : [];
    });
    return asked.filter((name) => name === 'decideAuthority').length;
  };

  test('an approved operation of an account that is unchanged runs, and has decided its authority again once', async () => {
    const { as } = await deployer();
    const operation = await waiting(as);
    // One that took longer than a decision counts until it began has decided before, too.
    const before = await decisionsOf(operation);
    await approve(operation);
    expect(await ended(operation)).toMatchObject({ status: 'done' });
    expect((await decisionsOf(operation)) - before).toBe(1);
    expect((await (await engine.client()).operations.list({ infra: INFRA, limit: 1 }))[0]?.actor).toMatch(/^service-account:ci/);
  });

  test.each<[string, (account: ServiceAccount) => Promise<unknown>, string]>([
    ['was deleted', (account) => deleteAccount(rows, account), 'the service account was deleted'],
    ['lost its role', (account) => unbindRole(rows, account, DEPLOYER), 'no role of the service account allows it'],
  ])('an approved operation whose account %s is refused, and touches nothing', async (_, lose, why) => {
    const { account, as } = await deployer();
    const operation = await waiting(as, { onFailure: 'ask' });
    await lose(account);
    await approve(operation);
    const result = await ended(operation);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'authority-lost', exitCode: 2, on: INFRA } });
    expect(result.error?.why).toBe(`service-account:${account.name} may not do "operation:apply" any more: ${why}`);
    expect(contentOf(await demo.read())).toEqual(NOTHING);
    const [record] = await (await engine.client()).audit.list({ limit: 20, filter: { resource: `Infra default/${INFRA}` } });
    expect(record).toMatchObject({ method: 'operations.begin', outcome: 'refused', code: 'authority-lost', operation });
    expect(record?.actor).toBe(`service-account:${account.name}`);
  });

  test('an operation that waits in the queue, or is paused, decides again when its turn comes', async () => {
    const { account, as } = await deployer();
    const client = await engine.client();
    const first = await waiting(as);
    const second = await submitted(as, { id: `${first}-behind` });
    await untilStatus(engine, second, 'queued');
    await deleteAccount(rows, account);
    await client.operations.cancel({ operation: first });
    expect(await ended(second)).toMatchObject({ status: 'failed', error: { code: 'authority-lost' } });

    const other = await deployer();
    const third = await waiting(other.as, { id: `${first}-paused` });
    await client.operations.pause({ operation: third });
    await approve(third);
    await deleteAccount(rows, other.account);
    await client.operations.resume({ operation: third });
    expect(await ended(third)).toMatchObject({ status: 'failed', error: { code: 'authority-lost' } });
    expect(contentOf(await demo.read())).toEqual(NOTHING);
  });

  test('a batch begins nothing more once its account is gone, and what follows is not left with locks', async () => {
    const { account, as } = await deployer();
    const plan = await batchOf(
      'shop',
      { approve: 'per-batch-stage', onFailure: 'rollback', operations: [server('a'), server('b', { needs: ['a'] })] },
      { 'farm.json': farm(INFRA, ['a', 'b']) },
    );
    const id = `batch-shop-${process.pid}-authority`;
    const { batch } = await as.batches.submit({ ...plan, id, workspace: 'default' });
    const client = await engine.client();
    await expect.poll(async () => (await client.batches.state({ batch })).waiting, { timeout: 60_000 }).toBeDefined();
    await deleteAccount(rows, account);
    await client.batches.approve({ batch });
    expect(await client.batches.result({ batch })).toMatchObject({ status: expect.stringMatching(/failed|rolled-back/) });
    expect(await recordOf(engine, batch)).toMatchObject({ b: expect.stringContaining('the service account was deleted') });
    expect(contentOf(await demo.read())).toEqual(NOTHING);
  });

  test('an operation of the owner decides nothing again', async () => {
    const client = await engine.client();
    const { operation } = await client.operations.submit({
      request: requestOf({ infra: INFRA, definition, approve: ['before-change'] }),
    });
    await untilStatus(engine, operation, 'waiting');
    await approve(operation);
    expect(await ended(operation)).toMatchObject({ status: 'done' });
    expect(await decisionsOf(operation)).toBe(0);
  });
});

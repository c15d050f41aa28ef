import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { translateWorkspace } from '../../core/tenant-names.js';
import { quotas } from '../../stores/rows/quotas.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { demoDefinition } from '../../test/support/definition.js';
import { failure } from '../../test/support/secret-client.js';
import { authenticate } from '../access/authenticate.js';
import type { Role } from '../access/roles.js';
import { readTenant } from '../access/tenants.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import type { AnyMethod, Call } from '../method.js';
import { METHODS } from '../methods.generated.js';
import { createOwner, type Principal } from '../principal.js';
import { recordEnvironment } from './environments/record-environment.js';
import { readFreezes } from './freezes.js';
import { limitCalls } from './limit-calls.js';
import { claimQuotas, type QuotaTools } from './quota/claim-quota.js';

let fixture: AccessFixture;
/** The id of the tenant `acme`. */
let acme: string;
let member: Principal;
beforeEach(async () => {
  fixture = await openFixture();
  for (const tenant of ['acme', 'other']) await fixture.as().tenants.create({ tenant, providers: ['demo'] });
  acme = (await readTenant(await fixture.stores.rows(), 'acme')).id;
  member = await account('admin', 'admin', 'acme');
});
afterEach(() => fixture.remove());

const OWNER = createOwner('ann@desk');
const rows = () => fixture.stores.rows();

async function account(name: string, role: Role, tenant?: string): Promise<Principal> {
  const owner = fixture.as();
  const place = { account: name, ...(tenant !== undefined && { tenant }) };
  await owner.serviceAccounts.create(place);
  await owner.serviceAccounts.bind({ ...place, role, workspace: '*' });
  return (await authenticate(fixture.stores, (await owner.tokens.create(place)).token)) as Principal;
}

/** Servers by `WORKSPACE/INFRA`, with the names inside the platform. */
let inventories: Record<string, number> = {};
const tools: QuotaTools = {
  ended: async () => new Set(),
  reader: () => ({
    infras: async () =>
      Object.keys(inventories).map((key) => ({ workspace: key.split('/')[0] ?? '', infra: key.split('/')[1] ?? '' })),
    inventory: async ({ workspace, infra }) => ({
      servers: Object.fromEntries(
        Array.from({ length: inventories[`${workspace}/${infra}`] ?? 0 }, (_, at) => [`s${at}`, { name: `s${at}` }]),
      ) as never,
    }),
    prices: async () => () => undefined as never,
  }),
};

/** Calls methods that have no effect but for the platform's own records. */
function door(principal: Principal, more: Partial<Call> = {}) {
  const kept = /^(quotas|freezes)\./;
  const methods = Object.fromEntries(
    Object.entries(METHODS).map(([name, method]) => [
      name,
      (kept.test(name) ? method : { ...method, run: async () => undefined }) as AnyMethod,
    ]),
  );
  const temporal = {
    options: { namespace: 'n' },
    workflow: { async *list() {}, getHandle: () => ({ query: async () => [] }) },
    workflowService: { listWorkflowExecutions: async () => ({ executions: [], nextPageToken: new Uint8Array() }) },
  };
  const engine = { stores: fixture.stores, temporal } as unknown as Engine;
  const limits = { ...limitCalls(fixture.stores), quota: claimQuotas(rows, tools) };
  return createDispatcher({ engine, principal, ...limits, ...more }, methods);
}

let count = 0;
const submit = (principal: Principal, { workspace = 'default', infra = 'shop', servers = 1, ...more } = {}) =>
  door(principal).call('operations.submit', {
    request: {
      ...{ id: `op-${count++}`, kind: 'cluster', workspace, infra, intent: { verb: 'ensure' }, ...more },
      definition: {
        ...demoDefinition(infra, { servers: Array.from({ length: servers }, (_, at) => ({ name: `s${at}`, plan: 'small' })) }),
        workspace,
      },
    },
  });

describe('a quota of a tenant', () => {
  test('counts all of its workspaces together, and none of others', async () => {
    await door(OWNER).call('quotas.set', { tenant: 'acme', workspace: '*', operations: 2 });
    await submit(member);
    await submit(member, { workspace: 'blog' });
    await expect(submit(member)).rejects.toMatchObject({
      details: {
        code: 'quota-exceeded',
        why: expect.stringContaining('all workspaces together'),
        hint: expect.stringContaining('administrators'),
      },
    });
    await submit(await account('admin', 'admin', 'other'));
    await submit(OWNER);
  });

  test('is for one workspace by the name that the tenant knows', async () => {
    await door(OWNER).call('quotas.set', { tenant: 'acme', workspace: 'default', operations: 0 });
    await expect(submit(member)).rejects.toMatchObject({
      details: { code: 'quota-exceeded', why: expect.stringContaining('the workspace "default" may have') },
    });
    await submit(member, { workspace: 'blog' });
    await submit(OWNER);
    // The owner uses the internal name, and takes of the same quota.
    await expect(submit(OWNER, { workspace: translateWorkspace(acme, 'default') })).rejects.toMatchObject(
      failure('quota-exceeded'),
    );
  });

  test('counts its servers, and not those of the home', async () => {
    inventories = { 'default/shop': 50, [`${translateWorkspace(acme, 'blog')}/blog`]: 2 };
    await door(OWNER).call('quotas.set', { tenant: 'acme', workspace: '*', servers: 3 });
    await door(OWNER).call('quotas.set', { workspace: '*', servers: 51 });
    await submit(member);
    await expect(submit(member, { workspace: 'more', servers: 1 })).rejects.toMatchObject(failure('quota-exceeded'));
    // Servers of the tenant do not count for the home.
    await submit(OWNER, { workspace: 'more', servers: 1 });
    await expect(submit(OWNER, { workspace: 'next', servers: 1 })).rejects.toMatchObject(failure('quota-exceeded'));
  });

  test('is listed and removed by its tenant alone', async () => {
    const { call } = door(OWNER);
    await call('quotas.set', { tenant: 'acme', workspace: 'default', operations: 1 });
    await call('quotas.set', { workspace: 'default', operations: 9 });
    expect(await call('quotas.list', { tenant: 'acme' })).toMatchObject({ items: [{ workspace: 'default', operations: 1 }] });
    expect(await call('quotas.list', {})).toMatchObject({ items: [{ workspace: 'default', operations: 9 }] });
    await call('quotas.remove', { tenant: 'acme', workspace: 'default' });
    expect(await call('quotas.list', { tenant: 'acme' })).toMatchObject({ items: [] });
    await expect(call('quotas.remove', { tenant: 'acme', workspace: 'default' })).rejects.toMatchObject(failure('unknown-quota'));
    expect((await (await rows()).table(quotas).list()).rows).toHaveLength(1);
  });
});

describe('a freeze of a tenant', () => {
  const freeze = (place: object) => door(OWNER).call('freezes.create', { ...place, reason: 'incident 42' });

  test('refuses changes of its members, and of others in its workspaces', async () => {
    expect(await freeze({ tenant: 'acme', workspace: '*' })).toMatchObject({ place: '*', isNew: true });
    await expect(submit(member)).rejects.toMatchObject({
      details: { code: 'frozen', why: expect.stringContaining('incident 42') },
    });
    await expect(submit(OWNER, { workspace: translateWorkspace(acme, 'default') })).rejects.toMatchObject(failure('frozen'));
    await submit(await account('admin', 'admin', 'other'));
    await submit(OWNER);
    await door(OWNER).call('freezes.delete', { tenant: 'acme', workspace: '*' });
    await submit(member);
  });

  test('is for one workspace or infra by the name that the tenant knows', async () => {
    expect(await freeze({ tenant: 'acme', workspace: 'default', infra: 'shop' })).toMatchObject({ place: 'default/shop' });
    await expect(submit(member)).rejects.toMatchObject({ details: { code: 'frozen', on: 'default/shop' } });
    await submit(member, { workspace: 'blog' });
    await submit(OWNER);
    expect(await door(OWNER).call('freezes.list', { tenant: 'acme' })).toMatchObject({ items: [{ place: 'default/shop' }] });
    expect(await door(OWNER).call('freezes.list', {})).toMatchObject({ items: [] });
  });

  test.each([{ tenant: 'acme', workspace: '*' }, { workspace: '*' }])('is for an environment, named with %o', async (place) => {
    const inEnvironment = (infra: string, environment?: string, by = member) =>
      submit(by, { infra, ...(environment !== undefined && { environment }) });
    await recordEnvironment(await rows(), { workspace: translateWorkspace(acme, 'default'), infra: 'shop' }, 'prod');
    await freeze({ ...place, environment: 'prod' });
    // Neither without its environment nor by another one does an infra leave it.
    for (const environment of [undefined, 'prod', 'dev'])
      await expect(inEnvironment('shop', environment)).rejects.toMatchObject({ details: { code: 'frozen' } });
    await expect(inEnvironment('new', 'prod')).rejects.toMatchObject(failure('frozen'));
    await inEnvironment('new', 'dev');
    await inEnvironment('new');
    await door(OWNER).call('freezes.delete', { ...place, environment: 'prod' });
    await inEnvironment('shop', 'prod');
  });

  test('ends with its tenant', async () => {
    await freeze({ tenant: 'acme', workspace: '*' });
    await door(OWNER).call('quotas.set', { tenant: 'acme', workspace: '*', operations: 2 });
    await freeze({ workspace: 'blog' });
    const { deleteTenant } = await import('../access/tenants.js');
    await deleteTenant(await rows(), 'acme', async () => []);
    expect((await readFreezes(await rows())).map(({ row }) => row.workspace)).toEqual(['blog']);
    expect((await (await rows()).table(quotas).list()).rows).toEqual([]);
  });
});

test('only administrators of all workspaces of the home limit a tenant', async () => {
  const limits: [string, object][] = [
    ['quotas.set', { tenant: 'acme', workspace: 'default', operations: 1 }],
    ['quotas.remove', { tenant: 'acme', workspace: 'default' }],
    ['freezes.create', { tenant: 'acme', workspace: 'default', reason: 'x' }],
    ['freezes.delete', { tenant: 'acme', workspace: 'default' }],
  ];
  const admin = door(await account('boss', 'admin'));
  const viewer = door(await account('guest', 'viewer'));
  await fixture.as().serviceAccounts.create({ account: 'default/boss' });
  await fixture.as().serviceAccounts.bind({ account: 'default/boss', role: 'admin', workspace: 'default' });
  const { token } = await fixture.as().tokens.create({ account: 'default/boss' });
  const local = door((await authenticate(fixture.stores, token)) as Principal);
  const foreign = door(member);
  for (const [name, input] of limits) {
    await expect(viewer.call(name, input), name).rejects.toMatchObject(failure('forbidden'));
    await expect(local.call(name, input), name).rejects.toThrow();
    await expect(foreign.call(name, input), name).rejects.toMatchObject(failure('not-for-tenants'));
    await expect(admin.call(name, { ...input, tenant: 'missing' }), name).rejects.toMatchObject(failure('unknown-tenant'));
  }
  await admin.call('quotas.set', { tenant: 'acme', workspace: 'default', operations: 1 });
  await admin.call('quotas.remove', { tenant: 'acme', workspace: 'default' });
  await admin.call('freezes.create', { tenant: 'acme', workspace: 'default', reason: 'x' });
  await admin.call('freezes.delete', { tenant: 'acme', workspace: 'default' });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../../client/client.js';
import { translateWorkspace } from '../../core/tenant-names.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import { tenants } from '../../stores/rows/tenants.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { demoDefinition } from '../../test/support/definition.js';
import { requestOf } from '../../test/support/operations.js';
import type { Principal } from '../principal.js';
import { authenticate } from './authenticate.js';
import type { Role } from './roles.js';

let fixture: AccessFixture;
let owner: Client;
beforeEach(async () => {
  fixture = await openFixture();
  owner = fixture.as();
});
afterEach(() => fixture.remove());

interface Made {
  client: Client;
  principal: Principal;
  token: string;
}

async function caller(account: string, role: Role, workspace: string, tenant?: string): Promise<Made> {
  const asked = { account, ...(tenant !== undefined && { tenant }) };
  await owner.serviceAccounts.create(asked);
  await owner.serviceAccounts.bind({ ...asked, role, workspace });
  const { token } = await owner.tokens.create(asked);
  const principal = (await authenticate(fixture.stores, token)) as Principal;
  return { client: fixture.as(principal), principal, token };
}

const refusal = (code: string) => ({ details: { code } });

test('tenants are managed by administrators of the home alone', async () => {
  const made = await owner.tenants.create({ tenant: 'acme', about: 'A customer', providers: ['demo'] });
  expect(made).toMatchObject({ name: 'acme', state: 'active', about: 'A customer', providers: ['demo'], by: 'ann@desk' });
  await expect(owner.tenants.create({ tenant: 'acme' })).rejects.toMatchObject(refusal('exists'));
  const boss = await caller('boss', 'admin', '*');
  expect((await boss.client.tenants.list({})).map(({ name }) => name)).toEqual(['acme']);
  await boss.client.tenants.create({ tenant: 'brown' });
  for (const { client, code } of [
    { client: (await caller('shop/boss', 'admin', 'shop')).client, code: 'forbidden' },
    { client: (await caller('deployer', 'deployer', '*')).client, code: 'forbidden' },
    { client: (await caller('admin', 'admin', '*', 'acme')).client, code: 'not-for-tenants' },
  ])
    for (const call of [
      () => client.tenants.create({ tenant: 'more' }),
      () => client.tenants.list({}),
      () => client.tenants.get({ tenant: 'acme' }),
      () => client.tenants.get({ tenant: 'none' }),
      () => client.tenants.delete({ tenant: 'acme' }),
    ])
      await expect(call()).rejects.toMatchObject(refusal(code));
});

test('an administrator of a tenant manages its accounts, and has a name that says its tenant', async () => {
  for (const tenant of ['acme', 'brown']) await owner.tenants.create({ tenant });
  const [acme, brown] = [await caller('admin', 'admin', '*', 'acme'), await caller('admin', 'admin', '*', 'brown')];
  expect(acme.principal.actor).toBe('service-account:admin@acme');
  await acme.client.serviceAccounts.create({ account: 'shop/ci' });
  await acme.client.serviceAccounts.bind({ account: 'shop/ci', role: 'deployer', workspace: 'shop' });
  const { id } = await acme.client.tokens.create({ account: 'shop/ci' });
  expect((await acme.client.serviceAccounts.list({ workspace: 'shop' })).map(({ account }) => account)).toEqual(['shop/ci']);
  expect((await brown.client.serviceAccounts.list({})).map(({ account }) => account)).toEqual(['admin']);
  expect(await owner.serviceAccounts.list({})).toEqual([]);
  expect((await owner.serviceAccounts.list({ tenant: 'acme' })).map(({ account }) => account)).toEqual(['admin', 'shop/ci']);
  const unknown = refusal('unknown-service-account');
  await expect(brown.client.tokens.list({ account: 'shop/ci' })).rejects.toMatchObject(unknown);
  await expect(brown.client.serviceAccounts.delete({ account: 'shop/ci' })).rejects.toMatchObject(unknown);
  await expect(brown.client.tokens.revoke({ token: id })).rejects.toMatchObject(refusal('unknown-token'));
  await expect(brown.client.serviceAccounts.list({ tenant: 'acme' })).rejects.toMatchObject(refusal('not-for-tenants'));
  await expect(owner.tokens.list({ account: 'admin', tenant: 'none' })).rejects.toMatchObject(refusal('unknown-tenant'));
  expect(await acme.client.tokens.revoke({ token: id })).toMatchObject({ state: 'revoked' });
});

test('an administrator of the home makes the first account of a tenant, and gives at most the own rights', async () => {
  await owner.tenants.create({ tenant: 'acme' });
  const boss = await caller('boss', 'admin', '*');
  await boss.client.serviceAccounts.create({ account: 'admin', tenant: 'acme' });
  await boss.client.serviceAccounts.bind({ account: 'admin', tenant: 'acme', role: 'admin', workspace: '*' });
  const { id } = await boss.client.tokens.create({ account: 'admin', tenant: 'acme' });
  await boss.client.tokens.revoke({ token: id });
  const small = await caller('shop/boss', 'admin', 'shop');
  for (const call of [
    () => small.client.serviceAccounts.create({ account: 'x', tenant: 'acme' }),
    () => small.client.tokens.list({ account: 'admin', tenant: 'acme' }),
    () => small.client.tokens.list({ account: 'admin', tenant: 'none' }),
  ])
    await expect(call()).rejects.toMatchObject(refusal('unknown-service-account'));
});

test('a role in a workspace of a tenant is none in the workspace of this name elsewhere', async () => {
  const { id: acme } = await owner.tenants.create({ tenant: 'acme' });
  const { id: brown } = await owner.tenants.create({ tenant: 'brown' });
  const [own, home] = [await caller('ci', 'deployer', 'shop', 'acme'), await caller('ci', 'deployer', 'shop')];
  const inside = (tenant: string, name = 'shop') => {
    const workspace = translateWorkspace(tenant, name);
    return { type: 'Workspace', id: workspace, workspace, tenant } as const;
  };
  const may = ({ principal }: Made, resource: ReturnType<typeof inside>) => principal.may('operation:apply', resource);
  expect(await may(own, inside(acme))).toBe(true);
  expect(await may(own, inside(acme, 'test-environments-of-shop'))).toBe(true);
  for (const other of [inside(acme, 'other'), inside(brown), inside('')]) expect(await may(own, other)).toBe(false);
  expect(await may(home, inside(''))).toBe(true);
  for (const other of [inside(acme), inside(brown)]) expect(await may(home, other)).toBe(false);
});

test('what is shared among the workspaces of the home is not shared with a tenant', async () => {
  await owner.tenants.create({ tenant: 'acme' });
  const { client, principal } = await caller('admin', 'admin', '*', 'acme');
  await owner.secrets.set({ workspace: 'default', name: 'wide', value: 'of-the-home', shared: true });
  await owner.secrets.set({ workspace: 'default', name: 'own', value: 'of-default' });
  await client.secrets.set({ workspace: 'default', name: 'own', value: 'of-acme' });
  expect(await client.secrets.list({ workspace: 'default' })).toEqual([{ name: 'own', scope: 'workspace' }]);
  expect(await client.secrets.get({ workspace: 'default', name: 'own', reveal: true })).toMatchObject({ value: 'of-acme' });
  expect(await owner.secrets.get({ workspace: 'default', name: 'own', reveal: true })).toMatchObject({ value: 'of-default' });
  await expect(client.secrets.get({ workspace: 'default', name: 'wide' })).rejects.toMatchObject(refusal('unknown-secret'));
  await expect(client.secrets.get({ workspace: 'default', name: 'wide', shared: true })).rejects.toMatchObject(
    refusal('not-for-tenants'),
  );
  const credential = { workspace: 'default', name: 'hetzner/prod/token' };
  await expect(client.secrets.set({ ...credential, value: 'x' })).rejects.toMatchObject(refusal('unknown-secret'));

  const reader = () => ({ operation: 'op', host: 'web' });
  const read = (workspace: string, name: string) =>
    infraSecrets(fixture.stores.secrets, { workspace, infra: 'shop' }, {}, reader).get(name);
  const inside = translateWorkspace(principal.tenant ?? '', 'default');
  expect([await read(inside, 'wide'), await read(inside, 'own'), await read('default', 'wide')]).toEqual([
    undefined,
    'of-acme',
    'of-the-home',
  ]);
});

test('a definition of a tenant uses only accounts of providers that it was given, and no machines that are there', async () => {
  await owner.tenants.create({ tenant: 'acme', providers: ['demo', 'hetzner/acme'] });
  const { client } = await caller('admin', 'admin', '*', 'acme');
  const { servers, ...definition } = demoDefinition('shop', {
    servers: [{ name: 'web' }],
    taskservs: [{ name: 'nginx', on: 'all' }],
  });
  const { actor: _, ...request } = requestOf({ infra: 'shop' });
  const asking = (more: object) =>
    client.operations.submit({
      request: { ...request, definition: { ...definition, servers: servers.map((server) => ({ ...server, ...more })) } } as never,
    });
  for (const more of [{ provider: 'hetzner' }, { provider: 'hetzner/prod' }, { provider: 'local' }])
    await expect(asking(more)).rejects.toMatchObject({
      details: { code: 'not-for-tenants', hint: 'use demo or hetzner/acme' },
    });
  const taskservs = servers[0]?.taskservs.map((taskserv) => ({ ...taskserv, module: 'a'.repeat(64) }));
  const mirrored = servers[0]?.taskservs.map((taskserv) => ({ ...taskserv, mirrors: [] }));
  for (const more of [{ host: { kind: 'this' } }, { taskservs }, { taskservs: mirrored }])
    await expect(asking(more)).rejects.toMatchObject({
      details: { code: 'not-for-tenants', why: expect.stringContaining('"web"') },
    });
});

test('the accounts of a tenant that is deleted may not call', async () => {
  const { id } = await owner.tenants.create({ tenant: 'acme' });
  const { token } = await caller('admin', 'admin', '*', 'acme');
  const rows = await fixture.stores.rows();
  const found = await rows.table(tenants).get({ name: 'acme' });
  await rows.table(tenants).put({ ...(found?.row as never as object), state: 'deleting' } as never);
  // As another process, which has not read the token before.
  const fresh = { rows: fixture.stores.rows } as typeof fixture.stores;
  expect(await authenticate(fresh, token)).toBeUndefined();
  await rows.table(tenants).delete({ name: 'acme' });
  expect(await authenticate({ rows: fixture.stores.rows } as typeof fixture.stores, token)).toBeUndefined();
  expect((await owner.tenants.create({ tenant: 'acme' })).id).not.toBe(id);
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../client/client.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { createGroupMember, type Principal } from '../principal.js';
import { authenticate } from './authenticate.js';
import { ROLES, type Role } from './roles.js';

let fixture: AccessFixture;
let owner: Client;
beforeEach(async () => {
  fixture = await openFixture();
  owner = fixture.as();
});
afterEach(() => fixture.remove());

/** An account with roles, and a client that calls with its token. */
async function caller(account: string, ...roles: [Role, string][]): Promise<Client> {
  await owner.serviceAccounts.create({ account });
  for (const [role, workspace] of roles) await owner.serviceAccounts.bind({ account, role, workspace });
  const { token } = await owner.tokens.create({ account });
  return fixture.as((await authenticate(fixture.stores, token)) as Principal);
}

const refusal = (code: string) => ({ details: { code } });

test('an account gets roles and a token, which is shown once', async () => {
  const made = await owner.serviceAccounts.create({ account: 'ci', about: 'Deploys from CI' });
  expect(made).toEqual({ account: 'ci', about: 'Deploys from CI', created: expect.any(String), by: 'ann@desk', roles: [] });
  expect(await owner.serviceAccounts.bind({ account: 'ci', role: 'deployer', workspace: 'default' })).toEqual({ added: true });
  expect(await owner.serviceAccounts.bind({ account: 'ci', role: 'deployer', workspace: 'default' })).toEqual({ added: false });
  const created = await owner.tokens.create({ account: 'ci', hours: 48, about: 'runner 1' });
  const { token, ...listed } = created;
  expect(listed).toMatchObject({ account: 'ci', state: 'active', about: 'runner 1', by: 'ann@desk' });
  expect(Date.parse(created.expires) - Date.parse(created.created)).toBe(48 * 3_600_000);
  const tokens = await owner.tokens.list({ account: 'ci' });
  expect(tokens).toEqual([listed]);
  expect(JSON.stringify(tokens)).not.toContain(token.split('_')[2]);
  expect(await owner.serviceAccounts.list({})).toEqual([{ ...made, roles: [{ role: 'deployer', workspace: 'default' }] }]);
  expect(await owner.tokens.revoke({ token: created.id })).toMatchObject({ state: 'revoked', revokedBy: 'ann@desk' });
  expect(await owner.serviceAccounts.unbind({ account: 'ci', role: 'deployer', workspace: 'default' })).toEqual({ removed: true });
  expect(await owner.serviceAccounts.delete({ account: 'ci' })).toEqual({ tokens: 1 });
  expect(await owner.serviceAccounts.list({})).toEqual([]);
});

test('a token lasts 90 days unless another time is asked, and at most a year', async () => {
  await owner.serviceAccounts.create({ account: 'ci' });
  const { created, expires } = await owner.tokens.create({ account: 'ci' });
  expect(Date.parse(expires) - Date.parse(created)).toBe(90 * 86_400_000);
  await owner.tokens.create({ account: 'ci', hours: 365 * 24 });
  for (const hours of [0, -1, 1.5, 365 * 24 + 1])
    await expect(owner.tokens.create({ account: 'ci', hours })).rejects.toMatchObject(refusal('bad-request'));
});

test('an account has at most 100 valid tokens', async () => {
  await owner.serviceAccounts.create({ account: 'ci' });
  const first = await owner.tokens.create({ account: 'ci' });
  for (let at = 1; at < 100; at++) await owner.tokens.create({ account: 'ci' });
  await expect(owner.tokens.create({ account: 'ci' })).rejects.toMatchObject(refusal('quota-exceeded'));
  await owner.tokens.revoke({ token: first.id });
  await owner.tokens.create({ account: 'ci' });
});

test('names that exist, are unknown or no names are refused', async () => {
  await owner.serviceAccounts.create({ account: 'ci' });
  await expect(owner.serviceAccounts.create({ account: 'ci' })).rejects.toMatchObject(refusal('exists'));
  const unknown = refusal('unknown-service-account');
  await expect(owner.serviceAccounts.delete({ account: 'cd' })).rejects.toMatchObject(unknown);
  await expect(owner.serviceAccounts.bind({ account: 'cd', role: 'admin', workspace: '*' })).rejects.toMatchObject(unknown);
  await expect(owner.tokens.create({ account: 'cd' })).rejects.toMatchObject(unknown);
  await expect(owner.tokens.revoke({ token: 'none' })).rejects.toMatchObject(refusal('unknown-token'));
  for (const account of ['', 'CI', '../ci', 'a/b/c', '*', '*/ci', '/ci', 'a/', 'ci\n', '__proto__', 'x'.repeat(41)])
    await expect(owner.serviceAccounts.create({ account })).rejects.toMatchObject(refusal('bad-request'));
  for (const workspace of ['', '**', 'a/b', 'A', '* '])
    await expect(owner.serviceAccounts.bind({ account: 'ci', role: 'viewer', workspace })).rejects.toMatchObject(
      refusal('bad-request'),
    );
});

describe('nobody gives more rights than their own', () => {
  test.each(ROLES.filter((role) => role !== 'admin'))('a %s of everything manages no accounts', async (role) => {
    const client = await caller('someone', [role, '*']);
    await owner.serviceAccounts.create({ account: 'ci' });
    const { id: token } = await owner.tokens.create({ account: 'ci' });
    const refused = role === 'auditor' ? 'forbidden' : 'unknown-service-account';
    for (const [call, code] of [
      [() => client.serviceAccounts.create({ account: 'more' }), refused],
      [() => client.serviceAccounts.delete({ account: 'ci' }), refused],
      [() => client.serviceAccounts.bind({ account: 'ci', role, workspace: 'default' }), refused],
      [() => client.serviceAccounts.bind({ account: 'someone', role: 'admin', workspace: '*' }), refused],
      [() => client.serviceAccounts.unbind({ account: 'ci', role, workspace: 'default' }), refused],
      [() => client.tokens.create({ account: 'ci' }), refused],
      [() => client.tokens.create({ account: 'someone' }), refused],
      [() => client.tokens.revoke({ token }), role === 'auditor' ? 'forbidden' : 'unknown-token'],
    ] as const)
      await expect(call()).rejects.toMatchObject(refusal(code));
  });

  test('an admin of one workspace manages its accounts, and none outside', async () => {
    const admin = await caller('shop/boss', ['admin', 'shop']);
    await admin.serviceAccounts.create({ account: 'shop/ci' });
    for (const role of ROLES)
      expect(await admin.serviceAccounts.bind({ account: 'shop/ci', role, workspace: 'shop' })).toEqual({ added: true });
    const { id } = await admin.tokens.create({ account: 'shop/ci' });
    await admin.tokens.revoke({ token: id });
    expect((await admin.serviceAccounts.list({ workspace: 'shop' })).map(({ account }) => account)).toEqual([
      'shop/boss',
      'shop/ci',
    ]);

    await owner.serviceAccounts.create({ account: 'ci' });
    await owner.serviceAccounts.create({ account: 'other/ci' });
    const { id: token } = await owner.tokens.create({ account: 'other/ci' });
    const unknown = 'unknown-service-account';
    // Each begins when it is expected: one that is refused before that would be an unhandled rejection.
    for (const [call, code] of [
      [() => admin.serviceAccounts.bind({ account: 'shop/ci', role: 'viewer', workspace: '*' }), 'forbidden'],
      [() => admin.serviceAccounts.bind({ account: 'shop/ci', role: 'viewer', workspace: 'other' }), 'forbidden'],
      [() => admin.serviceAccounts.bind({ account: 'ci', role: 'viewer', workspace: 'shop' }), unknown],
      [() => admin.serviceAccounts.bind({ account: 'other/ci', role: 'viewer', workspace: 'shop' }), unknown],
      [() => admin.serviceAccounts.create({ account: 'more' }), unknown],
      [() => admin.serviceAccounts.create({ account: 'other/more' }), unknown],
      [() => admin.serviceAccounts.delete({ account: 'other/ci' }), unknown],
      [() => admin.tokens.create({ account: 'ci' }), unknown],
      [() => admin.tokens.list({ account: 'other/ci' }), unknown],
      [() => admin.tokens.revoke({ token }), 'unknown-token'],
      [() => admin.serviceAccounts.list({}), 'forbidden'],
    ] as const)
      await expect(call()).rejects.toMatchObject(refusal(code));
  });

  test('an account of a workspace gets no role outside of it, not even from the owner', async () => {
    await owner.serviceAccounts.create({ account: 'shop/ci' });
    for (const workspace of ['*', 'other'])
      await expect(owner.serviceAccounts.bind({ account: 'shop/ci', role: 'viewer', workspace })).rejects.toMatchObject(
        refusal('bad-request'),
      );
  });

  test('who may grant roles and create tokens, but lacks a right of the role, is refused', async () => {
    const most: Principal = { actor: 'most@desk', may: (action) => action !== 'secret:reveal' };
    const client = fixture.as(most);
    await owner.serviceAccounts.create({ account: 'ci' });
    await client.serviceAccounts.bind({ account: 'ci', role: 'deployer', workspace: '*' });
    await client.tokens.create({ account: 'ci' });
    await expect(client.serviceAccounts.bind({ account: 'ci', role: 'admin', workspace: 'shop' })).rejects.toMatchObject(
      refusal('forbidden'),
    );
    await owner.serviceAccounts.bind({ account: 'ci', role: 'admin', workspace: 'shop' });
    await expect(client.tokens.create({ account: 'ci' })).rejects.toMatchObject(refusal('forbidden'));
  });

  test('a member of the group makes administrators, who like the member use no paths of the machine', async () => {
    const client = fixture.as(createGroupMember('gid-7@desk'));
    await client.serviceAccounts.create({ account: 'boss' });
    await client.serviceAccounts.bind({ account: 'boss', role: 'admin', workspace: '*' });
    const { token } = await client.tokens.create({ account: 'boss' });
    const boss = (await authenticate(fixture.stores, token)) as Principal;
    expect(await boss.may('backup:use-path', { type: 'Tenant', id: '*', tenant: '' })).toBe(false);
  });
});

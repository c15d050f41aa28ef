import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Client } from '../../client/client.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { createGroupMember, type Principal } from '../principal.js';
import { authenticate } from './authenticate.js';
import { createFirstAdministrator, redeemCode } from './first-administrator.js';

let fixture: AccessFixture;
let owner: Client;
beforeEach(async () => {
  fixture = await openFixture();
  owner = fixture.as();
});
afterEach(async () => {
  vi.useRealTimers();
  await fixture.remove();
});

const LAST = { details: { code: 'last-administrator', hint: expect.stringContaining('create another administrator') } };

/** Creates an administrator, with a client that calls with its token. */
async function administrator(account: string, { tenant, hours }: { tenant?: string; hours?: number } = {}) {
  const place = { account, ...(tenant !== undefined && { tenant }) };
  await owner.serviceAccounts.create(place);
  await owner.serviceAccounts.bind({ ...place, role: 'admin', workspace: '*' });
  const { token, id } = await owner.tokens.create({ ...place, ...(hours !== undefined && { hours }) });
  return { id, client: fixture.as((await authenticate(fixture.stores, token)) as Principal) };
}

/** Every call that takes the rights of an administrator. */
const REMOVALS: [string, (client: Client, account: string, token: string) => Promise<unknown>][] = [
  ['the deletion of the account', (client, account) => client.serviceAccounts.delete({ account })],
  ['the revocation of its role', (client, account) => client.serviceAccounts.unbind({ account, role: 'admin', workspace: '*' })],
  ['the revocation of its last token', (client, _, token) => client.tokens.revoke({ token })],
];

describe.each(REMOVALS)('%s', (_, remove) => {
  test('is refused for the last administrator, and changes nothing', async () => {
    const { client, id } = await administrator('boss');
    await expect(remove(client, 'boss', id)).rejects.toMatchObject(LAST);
    expect(await owner.serviceAccounts.list({})).toMatchObject([{ account: 'boss', roles: [{ role: 'admin', workspace: '*' }] }]);
    expect(await owner.tokens.list({ account: 'boss' })).toMatchObject([{ state: 'active' }]);
  });

  test('is done if another administrator stays, and not if that one has no valid token', async () => {
    const { client, id } = await administrator('boss');
    const other = await administrator('other');
    await owner.tokens.revoke({ token: other.id });
    await expect(remove(client, 'boss', id)).rejects.toMatchObject(LAST);
    await owner.tokens.create({ account: 'other' });
    await remove(client, 'boss', id);
  });

  test('does not count a token that has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    await administrator('other', { hours: 1 });
    const { client, id } = await administrator('boss', { hours: 48 });
    vi.advanceTimersByTime(3_600_000);
    await expect(remove(client, 'boss', id)).rejects.toMatchObject(LAST);
  });

  test('of two that remove each other, one stays', async () => {
    const [one, two] = [await administrator('one'), await administrator('two')];
    const ends = await Promise.allSettled([remove(one.client, 'two', two.id), remove(two.client, 'one', one.id)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: LAST });
    expect(await createFirstAdministrator(fixture.stores)).toBeUndefined();
  });

  test('is allowed to the owner and its group, who administer without an account', async () => {
    for (const client of [owner, fixture.as(createGroupMember('gid-7@desk'))]) {
      const { id } = await administrator('boss');
      await remove(client, 'boss', id);
      expect(await createFirstAdministrator(fixture.stores)).toMatch(/^[A-Z0-9-]{24}$/);
      await owner.serviceAccounts.delete({ account: 'boss' }).catch(() => {});
    }
  });
});

test('other accounts, roles and tokens are not counted as an administrator', async () => {
  const { client } = await administrator('boss');
  await owner.serviceAccounts.create({ account: 'default/ci' });
  await owner.serviceAccounts.bind({ account: 'default/ci', role: 'admin', workspace: 'default' });
  await owner.serviceAccounts.bind({ account: 'boss', role: 'viewer', workspace: '*' });
  const { id: more } = await owner.tokens.create({ account: 'boss' });
  await owner.tokens.create({ account: 'default/ci' });
  await client.tokens.revoke({ token: more });
  await client.serviceAccounts.unbind({ account: 'boss', role: 'viewer', workspace: '*' });
  await expect(client.serviceAccounts.delete({ account: 'boss' })).rejects.toMatchObject(LAST);
  await client.serviceAccounts.delete({ account: 'default/ci' });
});

test('a tenant keeps its last administrator too, unless one of the home removes it', async () => {
  const home = await administrator('boss');
  await owner.tenants.create({ tenant: 'acme' });
  const { client } = await administrator('admin', { tenant: 'acme' });
  await expect(client.serviceAccounts.delete({ account: 'admin' })).rejects.toMatchObject({
    details: { code: 'last-administrator', hint: expect.stringContaining('an administrator of the home') },
  });
  await home.client.serviceAccounts.delete({ account: 'admin', tenant: 'acme' });
  await expect(home.client.serviceAccounts.delete({ account: 'boss' })).rejects.toMatchObject(LAST);
});

test('once the tokens of all administrators have expired, a code makes another one', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const { stores } = fixture;
  await redeemCode(stores, (await createFirstAdministrator(stores)) as string);
  expect(await createFirstAdministrator(stores)).toBeUndefined();
  vi.advanceTimersByTime(91 * 86_400_000);
  expect(await redeemCode(stores, (await createFirstAdministrator(stores)) as string)).toMatchObject({ account: 'admin-2' });
});

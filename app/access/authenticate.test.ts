import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AccessToken, accessTokens, roleBindings, serviceAccounts } from '../../stores/rows/service-accounts.js';
import { tenants } from '../../stores/rows/tenants.js';
import type { Rows } from '../../stores/rows.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import type { RowStores } from '../open-rows.js';
import { createToken, revokeToken } from './access-tokens.js';
import { authenticate, type RefusedToken } from './authenticate.js';
import type { Role } from './roles.js';
import { bindRole, createAccount, deleteAccount, unbindRole } from './service-accounts.js';
import { createTenant } from './tenants.js';
import { createTokenText } from './token-text.js';

const BY = { by: 'ann@desk' };
const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-29T10:00:00.000Z');
const shop = { type: 'Infra', id: 'default/shop', tenant: '', workspace: 'default', infra: 'shop' } as const;

let fixture: AccessFixture;
let rows: Rows;
/** Another object for each test: nothing is in its memory. */
let stores: RowStores;
beforeAll(async () => {
  fixture = await openFixture();
  rows = await fixture.stores.rows();
});
afterAll(() => fixture.remove());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: START });
  stores = { rows: fixture.stores.rows };
});
afterEach(async () => {
  vi.useRealTimers();
  for (const { row } of (await rows.table(serviceAccounts).list()).rows) await deleteAccount(rows, row);
  for (const { row } of (await rows.table(accessTokens).list()).rows) await rows.table(accessTokens).delete(row);
  for (const { row } of (await rows.table(roleBindings).list()).rows) await rows.table(roleBindings).delete(row);
});

/** An account with roles and a token. */
async function account(name = 'ci', roles: { role: Role; workspace: string }[] = [{ role: 'viewer', workspace: 'default' }]) {
  const created = await createAccount(rows, { tenant: '', name }, BY);
  for (const role of roles) await bindRole(rows, created, role, BY);
  return { account: created, ...(await createToken(rows, created, { hours: 24 }, BY)) };
}

const pass = (ms: number) => vi.advanceTimersByTime(ms);
const kept = async (id: string): Promise<AccessToken | undefined> => (await rows.table(accessTokens).get({ id }))?.row;

test('a token is its account, which may do what its roles allow, in its tenant', async () => {
  const { text, token } = await account();
  const principal = await authenticate(stores, text);
  expect(principal).toMatchObject({ actor: 'service-account:ci', account: 'ci', token: token.id, tenant: '' });
  expect(principal).not.toHaveProperty('owner');
  const may = [
    await principal?.may('infra:read', shop),
    await principal?.may('operation:apply', shop),
    await principal?.may('infra:read', { ...shop, workspace: 'other' }),
    await principal?.may('infra:read', { ...shop, tenant: 'other' }),
  ];
  expect(may).toEqual([true, false, false, false]);
});

test('the secret of a token is stored nowhere', async () => {
  const { text } = await account();
  await authenticate(stores, text);
  const secret = text.split('_')[2] as string;
  for await (const { bytes } of rows.read()) expect(bytes.toString()).not.toContain(secret.slice(0, 20));
});

test('tokens that are malformed, unknown, of another secret, revoked, expired or of a deleted account are no one', async () => {
  const [revoked, expired, deleted, good] = [await account('a'), await account('b'), await account('c'), await account('d')];
  await revokeToken(rows, revoked.token, BY);
  await rows.table(accessTokens).put({ ...expired.token, expiresAt: new Date(START).toISOString() });
  await rows.table(serviceAccounts).delete({ tenant: '', name: 'c' });
  expect(await authenticate(stores, good.text)).toBeDefined();
  const other = createTokenText().text;
  // Its secret is another one, while the token is in memory.
  await rows.table(accessTokens).put({ ...good.token, hash: createTokenText().hash });
  const fresh = { rows: fixture.stores.rows };
  for (const text of ['', 'x', `Bearer ${good.text}`, good.text.slice(0, -1), other, revoked.text, expired.text, deleted.text])
    expect([text, await authenticate(stores, text)]).toEqual([text, undefined]);
  expect(await authenticate(fresh, good.text)).toBeUndefined();
});

test('every refusal reads one row, whatever its reason, even if the token of this id is in memory', async () => {
  const [good, revoked] = [await account('a'), await account('b')];
  await revokeToken(rows, revoked.token, BY);
  await authenticate(stores, good.text);
  const reads: string[] = [];
  const watched: RowStores = {
    rows: async () => ({
      ...rows,
      table: (collection) => {
        const table = rows.table(collection);
        const get: typeof table.get = (key) => {
          reads.push(collection.name);
          return table.get(key);
        };
        return { ...table, get };
      },
    }),
  };
  await authenticate(watched, good.text);
  for (const text of ['', 'prov_x_y', createTokenText().text, revoked.text]) {
    reads.length = 0;
    expect(await authenticate(watched, text)).toBeUndefined();
    expect(reads).toEqual(['access_tokens']);
  }
});

describe('what changes is felt within five seconds, and not looked up before', () => {
  test('a revocation', async () => {
    const { text, token } = await account();
    const principal = await authenticate(stores, text);
    await revokeToken(rows, token, BY);
    pass(1_000);
    expect(await principal?.may('infra:read', shop)).toBe(true);
    pass(4_000);
    expect(await principal?.may('infra:read', shop)).toBe(false);
    expect(await principal?.isCurrent()).toBe(false);
    expect(await authenticate(stores, text)).toBeUndefined();
  });

  test('a deleted account, even if one of its name is created again', async () => {
    const { text, account: first } = await account();
    const principal = await authenticate(stores, text);
    await deleteAccount(rows, first);
    await account('ci', [{ role: 'admin', workspace: '*' }]);
    pass(5_000);
    expect([await authenticate(stores, text), await principal?.isCurrent()]).toEqual([undefined, false]);
  });

  test('a token whose row is left behind by a deleted account', async () => {
    const { text, token, account: first } = await account();
    await deleteAccount(rows, first);
    await account('ci', [{ role: 'admin', workspace: '*' }]);
    await rows.table(accessTokens).put(token);
    expect(await authenticate(stores, text)).toBeUndefined();
  });

  test('a role, given and taken', async () => {
    const { text, account: of } = await account();
    const principal = await authenticate(stores, text);
    const role = { role: 'deployer', workspace: 'default' } as const;
    for (const [change, before, after] of [
      [() => bindRole(rows, of, role, BY), false, true],
      [() => unbindRole(rows, of, role), true, false],
    ] as const) {
      expect(await principal?.may('operation:apply', shop)).toBe(before);
      await change();
      pass(5_000);
      expect(await principal?.may('operation:apply', shop)).toBe(after);
    }
  });
});

test('a token ends when it expires, also one that is in memory', async () => {
  const { text, token } = await account();
  pass(DAY_MS - 1_000);
  const principal = await authenticate(stores, text);
  expect(await principal?.isCurrent()).toBe(true);
  pass(1_000);
  expect([await principal?.isCurrent(), await authenticate(stores, text)]).toEqual([false, undefined]);
  expect(Date.parse(token.expiresAt) - START).toBe(DAY_MS);
});

test('the last use is written at most once a minute', async () => {
  const { text, token } = await account();
  const uses: (string | undefined)[] = [];
  for (const ms of [0, 10_000, 40_000, 5_000, 5_000, 5_000]) {
    pass(ms);
    await authenticate(stores, text);
    uses.push((await kept(token.id))?.usedAt);
  }
  const at = (ms: number) => new Date(START + ms).toISOString();
  expect(uses).toEqual([at(0), at(0), at(0), at(0), at(60_000), at(60_000)]);
});

test('a use does not undo a revocation that is written at the same time', async () => {
  const { text, token } = await account();
  const racing: RowStores = {
    rows: async () => ({
      ...rows,
      table: (collection) => {
        const table = rows.table(collection);
        const compareAndSet: typeof table.compareAndSet = async (row, expected) => {
          await revokeToken(rows, token, BY);
          return table.compareAndSet(row, expected);
        };
        return { ...table, compareAndSet };
      },
    }),
  };
  await authenticate(racing, text);
  expect((await kept(token.id))?.revokedAt).toBeDefined();
  expect(await authenticate(stores, text)).toBeUndefined();
});

test('a use that cannot be written refuses nobody', async () => {
  const { text } = await account();
  const full: RowStores = {
    rows: async () => ({
      ...rows,
      table: (collection) => ({ ...rows.table(collection), compareAndSet: () => Promise.reject(new Error('the disk is full')) }),
    }),
  };
  expect(await authenticate(full, text)).toBeDefined();
});

test('a store that fails is no refusal, and without a worker there is none', async () => {
  const { text } = await account();
  const broken: RowStores = { rows: () => Promise.reject(new Error('no database')) };
  await expect(authenticate(broken, text)).rejects.toThrow('no database');
  await expect(authenticate({}, text)).rejects.toMatchObject({ details: { code: 'no-worker' } });
});

test('the owner of a refused token has the name of its tenant, also when the tenant is gone', async () => {
  const acme = await createTenant(rows, { name: 'acme' }, BY);
  const owner = await createAccount(rows, { tenant: acme.id, name: 'ci' }, BY);
  const { text, token } = await createToken(rows, owner, { hours: 24 }, BY);
  await revokeToken(rows, token, BY);
  const refused: RefusedToken[] = [];
  const ask = () => authenticate(stores, text, async (one) => void refused.push(one));
  await ask();
  await rows.table(tenants).delete({ name: 'acme' });
  await ask();
  expect(refused).toEqual(
    ['acme', acme.id].map((name) => ({ reason: 'revoked', token: token.id, actor: `service-account:ci@${name}` })),
  );
});

test('a role is kept once, and its row names the account by its id', async () => {
  const { account: of } = await account();
  expect(await bindRole(rows, of, { role: 'viewer', workspace: 'default' }, BY)).toBe(false);
  expect((await rows.table(roleBindings).list()).rows.map(({ row }) => row.account)).toEqual([of.id]);
});

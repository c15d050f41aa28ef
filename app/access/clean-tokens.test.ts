import { afterEach, beforeEach, expect, test } from 'vitest';
import { accessTokens, serviceAccounts } from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { type AuditNote, recordCalls } from '../record-calls.js';
import { createToken, revokeToken } from './access-tokens.js';
import { cleanTokens } from './clean-tokens.js';
import { createAccount } from './service-accounts.js';
import { createTenant } from './tenants.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-29T10:00:00.000Z');
const BY = { by: 'ann@desk', at: new Date(START).toISOString() };

let fixture: AccessFixture;
let rows: Rows;
let noted: AuditNote[];
beforeEach(async () => {
  fixture = await openFixture();
  rows = await fixture.stores.rows();
  noted = [];
});
afterEach(() => fixture.remove());

async function token(name: string, hours: number, tenant = '') {
  const account = await createAccount(rows, { tenant, name }, BY);
  return (await createToken(rows, account, { hours }, BY)).token;
}

/** Cleans up so many days after the start. */
const clean = (days: number, holder = 'one') =>
  cleanTokens(rows, async (event) => void noted.push(event), { holder, now: START + days * DAY_MS });
const left = async () => (await rows.table(accessTokens).list()).rows.map(({ row }) => row.id).sort();
const recorded = () => noted.splice(0).map(({ method, actor, resource, reason }) => [method, actor, resource, reason]);

test('each expiry is one record, whichever process cleans up, and has the account with its tenant', async () => {
  const { id } = await createTenant(rows, { name: 'acme' }, BY);
  const [first, second] = [await token('ci', 24), await token('ci', 48, id)];
  await token('later', 2_000);
  expect(await clean(0.5)).toEqual({ expired: 0, deleted: 0 });
  expect(await clean(1)).toEqual({ expired: 1, deleted: 0 });
  expect(recorded()).toEqual([['token.expire', 'service-account:ci', `Token ${first.id}`, 'expired']]);
  expect(await clean(3, 'two')).toEqual({ expired: 1, deleted: 0 });
  expect(await clean(4)).toEqual({ expired: 0, deleted: 0 });
  expect(recorded()).toEqual([['token.expire', 'service-account:ci@acme', `Token ${second.id}`, 'expired']]);
});

test('a revoked token does not expire a second time', async () => {
  const made = await token('ci', 24);
  await revokeToken(rows, made, BY);
  expect(await clean(2)).toEqual({ expired: 0, deleted: 0 });
  expect(recorded()).toEqual([]);
});

test('old tokens are deleted 30 days after they were of no more use, each after its record', async () => {
  const [expired, revoked, valid] = [await token('a', 24), await token('b', 2_000), await token('c', 2_000)];
  await revokeToken(rows, revoked, BY);
  expect((await clean(30 - 0.001))?.deleted).toBe(0);
  recorded();
  expect((await clean(30))?.deleted).toBe(1);
  expect(recorded()).toEqual([['token.clean-up', 'service-account:b', `Token ${revoked.id}`, 'revoked']]);
  expect(await left()).toEqual([expired.id, valid.id].sort());
  expect((await clean(31))?.deleted).toBe(1);
  expect(recorded()).toEqual([['token.clean-up', 'service-account:a', `Token ${expired.id}`, 'expired']]);
  expect(await left()).toEqual([valid.id]);
});

test('so are tokens that a deleted account left behind', async () => {
  const made = await token('ci', 24);
  await rows.table(serviceAccounts).delete({ tenant: '', name: 'ci' });
  expect(await clean(0)).toEqual({ expired: 0, deleted: 1 });
  expect(recorded()).toEqual([['token.clean-up', 'service-account:ci', `Token ${made.id}`, 'no-account']]);
});

test('what cannot be recorded stays, and is recorded by the next pass', async () => {
  await token('ci', 24);
  const broken = cleanTokens(rows, () => Promise.reject(new Error('the disk is full')), {
    holder: 'one',
    now: START + 40 * DAY_MS,
  });
  await expect(broken).rejects.toThrow('the disk is full');
  expect(await left()).toHaveLength(1);
  // The other process waits until the first one may be dead.
  expect(await clean(40, 'two')).toBeUndefined();
  expect(await clean(40)).toEqual({ expired: 1, deleted: 1 });
  expect(recorded().map(([method]) => method)).toEqual(['token.expire', 'token.clean-up']);
});

test('the audit lists an expiry as what the platform did', async () => {
  const records = recordCalls(fixture.stores.rows);
  const { id } = await token('ci', 24);
  await cleanTokens(rows, records.note, { holder: 'one', now: START + DAY_MS });
  const listed = await fixture.as().audit.list({ filter: { class: 'access' } });
  expect(listed).toEqual([
    expect.objectContaining({ actor: 'service-account:ci', method: 'token.expire', door: 'platform', resource: `Token ${id}` }),
  ]);
  await records.close();
});

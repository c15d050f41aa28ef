import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { listRecords } from '../audit/list-records.js';
import { recordCalls } from '../record-calls.js';
import { authenticate } from './authenticate.js';
import { createFirstAdministrator, redeemCode } from './first-administrator.js';
import { createAccount, deleteAccount, findAccount } from './service-accounts.js';

let fixture: AccessFixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(async () => {
  vi.useRealTimers();
  await fixture.remove();
});

const REFUSED = { details: { code: 'code-refused' } };
const code = async (): Promise<string> => (await createFirstAdministrator(fixture.stores)) as string;

test('a code makes one administrator of everything, whose token works; then there are no more codes', async () => {
  const { stores } = fixture;
  const { account, token } = await redeemCode(stores, ` ${(await code()).toLowerCase()}\n`);
  expect(account).toBe('admin');
  const principal = await authenticate(stores, token);
  expect(principal?.actor).toBe('service-account:admin');
  expect(await principal?.may('encryption:rotate', { type: 'Tenant', id: '*', tenant: '' })).toBe(true);
  expect(await principal?.may('backup:use-path', { type: 'Tenant', id: '*', tenant: '' })).toBe(false);
  expect(await createFirstAdministrator(stores)).toBeUndefined();
});

test('a code is stored as a hash', async () => {
  const text = await code();
  for await (const { bytes } of (await fixture.stores.rows()).read()) expect(bytes.toString()).not.toContain(text.slice(0, 9));
});

test('codes that are wrong, used or expired are refused in the same words', async () => {
  const { stores } = fixture;
  const why = (text: string) => redeemCode(stores, text).then(() => 'redeemed', String);
  const reasons = [await why('AAAA-BBBB-CCCC-DDDD-EEEE')];
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const late = await code();
  vi.advanceTimersByTime(3_600_000);
  reasons.push(await why(late), await why(''));
  const used = await code();
  await redeemCode(stores, used);
  reasons.push(await why(used));
  expect(new Set(reasons)).toEqual(new Set([expect.stringContaining('the code is not valid') as unknown as string]));
  expect(new Set(reasons).size).toBe(1);
});

test('of several codes one is redeemed, even at the same moment', async () => {
  const { stores } = fixture;
  const codes = await Promise.all([code(), code(), code()]);
  const ends = await Promise.allSettled(codes.map((one) => redeemCode(stores, one)));
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  for (const one of codes) await expect(redeemCode(stores, one)).rejects.toMatchObject(REFUSED);
});

test('redemptions are recorded: what is refused, and what takes effect', async () => {
  const { stores } = fixture;
  const records = recordCalls(stores.rows);
  await expect(redeemCode(stores, 'AAAA-BBBB-CCCC-DDDD-EEEE', { records })).rejects.toMatchObject(REFUSED);
  const text = await code();
  await redeemCode(stores, text, { records });
  await expect(redeemCode(stores, text, { records })).rejects.toMatchObject(REFUSED);
  await records.close();
  const { items: rows } = await listRecords(await stores.rows(), { filter: {}, order: 'oldest', limit: 10 });
  expect(rows.map(({ outcome, code: why, resource }) => [outcome, why, resource])).toEqual([
    ['refused', 'code-refused', undefined],
    ['asked', undefined, undefined],
    ['done', undefined, 'ServiceAccount admin'],
    ['refused', 'code-refused', undefined],
  ]);
  expect(rows[2]?.call).toBe(rows[1]?.call);
  expect(JSON.stringify(rows)).not.toContain(text.slice(0, 9));
});

test('a right code has no effect if it cannot be recorded', async () => {
  const { stores } = fixture;
  const note = () => Promise.reject(new Error('the disk is full'));
  const text = await code();
  await expect(redeemCode(stores, text, { records: { note, noteOften: note } })).rejects.toThrow('the disk is full');
  expect(await redeemCode(stores, text)).toMatchObject({ account: 'admin' });
});

test('an account that is there already becomes no administrator; a new code is there once the last one is gone', async () => {
  const { stores } = fixture;
  const rows = await stores.rows();
  await createAccount(rows, { tenant: '', name: 'admin' }, { by: 'eve@desk' });
  const { account } = await redeemCode(stores, await code());
  expect(account).toBe('admin-2');
  await deleteAccount(rows, await findAccount(rows, { tenant: '', name: account }));
  expect((await redeemCode(stores, await code())).account).toBe('admin-2');
});

test('an administrator of one workspace is none of everything', async () => {
  const client = fixture.as();
  await client.serviceAccounts.create({ account: 'default/boss' });
  await client.serviceAccounts.bind({ account: 'default/boss', role: 'admin', workspace: 'default' });
  expect(await createFirstAdministrator(fixture.stores)).toBeDefined();
});

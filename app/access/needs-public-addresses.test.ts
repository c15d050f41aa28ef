import { afterAll, beforeAll, expect, test } from 'vitest';
import { translateWorkspace } from '../../core/tenant-names.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import { needsPublicAddresses } from './needs-public-addresses.js';
import { createAccount, deleteAccount } from './service-accounts.js';

let fixture: AccessFixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.remove());

test('only the owner reaches private addresses; with accounts, and for tenants, all are public', async () => {
  const needs = needsPublicAddresses(fixture.stores.rows);
  expect(await needs('default')).toBe(false);
  expect(await needs(translateWorkspace('abcd1234', 'default'))).toBe(true);
  const rows = await fixture.stores.rows();
  const account = await createAccount(rows, { tenant: '', name: 'ci' }, { by: 'ann@desk' });
  expect(await needs('default')).toBe(true);
  await deleteAccount(rows, account);
  expect(await needs('default')).toBe(false);
});

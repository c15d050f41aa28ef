import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AuthorityQuestion } from '../../core/access/recorded-principal.js';
import { translateWorkspace } from '../../core/tenant-names.js';
import { type ServiceAccount, serviceAccounts } from '../../stores/rows/service-accounts.js';
import { tenants } from '../../stores/rows/tenants.js';
import type { Rows } from '../../stores/rows.js';
import { type AccessFixture, openFixture } from '../../test/support/access-fixture.js';
import type { AuditNote } from '../record-calls.js';
import { decideAgain } from './decide-again.js';
import type { Role } from './roles.js';
import { bindRole, createAccount, deleteAccount, unbindRole } from './service-accounts.js';

const BY = { by: 'ann@desk' };
let fixture: AccessFixture;
let rows: Rows;
const notes: AuditNote[] = [];
beforeAll(async () => {
  fixture = await openFixture();
  rows = await fixture.stores.rows();
});
afterAll(() => fixture.remove());
beforeEach(async () => {
  notes.length = 0;
  for (const { row } of (await rows.table(serviceAccounts).list()).rows) await deleteAccount(rows, row);
});

const decide = (question: AuthorityQuestion) =>
  decideAgain(fixture.stores.rows, async (note) => {
    notes.push(note);
  })(question);
const ask = ({ tenant, id, name }: ServiceAccount, more: Partial<AuthorityQuestion> = {}): AuthorityQuestion => ({
  ...{ principal: { tenant, account: id, name }, actor: `service-account:${name}`, operation: 'cluster-ensure-shop-1' },
  ...{ action: 'operation:apply', workspace: 'default', infra: 'shop' },
  ...more,
});
const role = (name: Role, workspace = 'default') => ({ role: name, workspace });

async function account(tenant = '', name = 'ci'): Promise<ServiceAccount> {
  const created = await createAccount(rows, { tenant, name }, BY);
  await bindRole(rows, created, role('deployer'), BY);
  return created;
}

test('an account that still has its role may go on, and nothing is recorded', async () => {
  expect(await decide(ask(await account()))).toEqual({});
  expect(notes).toEqual([]);
});

test('an account without the role may not, nor one whose role is for another workspace', async () => {
  const owner = await account();
  await unbindRole(rows, owner, role('deployer'));
  await bindRole(rows, owner, role('viewer'), BY);
  await bindRole(rows, owner, role('admin', 'other'), BY);
  expect(await decide(ask(owner))).toEqual({ refused: 'no role of the service account allows it' });
  expect(await decide(ask(owner, { workspace: 'other' }))).toEqual({});
});

test('an account that was deleted may not, nor another one under its name', async () => {
  const owner = await account();
  await deleteAccount(rows, owner);
  expect(await decide(ask(owner))).toEqual({ refused: 'the service account was deleted' });
  await account();
  expect(await decide(ask(owner))).toEqual({ refused: 'the service account was deleted' });
});

test('an account of a tenant may go on in workspaces of its tenant, as long as there is the tenant', async () => {
  const tenant = { id: 'abcd1234', name: 'acme', state: 'active', providers: [], createdAt: new Date().toISOString() } as const;
  await rows.table(tenants).put({ ...tenant, providers: [], createdBy: 'ann@desk' });
  const owner = await account(tenant.id);
  const workspace = translateWorkspace(tenant.id, 'default');
  expect(await decide(ask(owner, { workspace }))).toEqual({});
  expect(await decide(ask(owner))).toEqual({ refused: 'no role of the service account allows it' });
  await rows.table(tenants).put({ ...tenant, providers: [], createdBy: 'ann@desk', state: 'deleting' });
  expect(await decide(ask(owner, { workspace }))).toEqual({ refused: 'its tenant was deleted' });
});

test('a refusal is recorded with the operation, the account and the reason', async () => {
  const owner = await account();
  await deleteAccount(rows, owner);
  await decide(ask(owner));
  expect(notes).toEqual([
    {
      ...{ class: 'access', method: 'operations.begin', door: 'platform', outcome: 'refused', decision: 'denied' },
      ...{ actor: 'service-account:ci', action: 'operation:apply', operation: 'cluster-ensure-shop-1' },
      ...{ resource: 'Infra default/shop', reason: 'authority-lost', code: 'authority-lost' },
    },
  ]);
});

test('a refusal that cannot be recorded is no answer', async () => {
  const owner = await account();
  await deleteAccount(rows, owner);
  const broken = decideAgain(fixture.stores.rows, async () => Promise.reject(new Error('disk full')));
  await expect(broken(ask(owner))).rejects.toThrow('disk full');
});

test('a refusal is recorded once, however often its question is attempted, and again for another question', async () => {
  const owner = await account();
  await unbindRole(rows, owner, role('deployer'));
  let fails = true;
  const again = decideAgain(fixture.stores.rows, async (event) => {
    if (fails) throw new Error('the store is gone');
    await new Promise((resolve) => setTimeout(resolve, 5));
    notes.push(event);
  });
  const asked = { asked: '2026-01-01T00:00:00.000Z' };
  // A record that failed is no record.
  await expect(again(ask(owner, asked))).rejects.toThrow('the store is gone');
  fails = false;
  const answers = await Promise.all([again(ask(owner, asked)), again(ask(owner, asked))]);
  expect(answers).toEqual(Array(2).fill({ refused: 'no role of the service account allows it' }));
  await again(ask(owner, asked));
  expect(notes).toHaveLength(1);
  await again(ask(owner, { asked: '2026-01-01T00:01:00.000Z' }));
  await again(ask(owner));
  await again(ask(owner));
  expect(notes).toHaveLength(4);
});

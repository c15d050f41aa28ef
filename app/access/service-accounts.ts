import { randomUUID } from 'node:crypto';
import { inputError } from '../../core/errors.js';
import {
  type AccessToken,
  accessTokens,
  type RoleBinding,
  roleBindings,
  type ServiceAccount,
  serviceAccounts,
} from '../../stores/rows/service-accounts.js';
import type { Page, RevisedRow, Rows, RowTable } from '../../stores/rows.js';
import { EVERYWHERE, type Role } from './roles.js';

/** The one tenant of a home. */
export const HOME_TENANT = '';

/** Rows of one query, at most. */
const QUERY = 1_000;
/** Role bindings of an account, at most: every decision reads them. */
const MOST_ROLES = 200;

/** Actor and time of an action. */
export interface Signature {
  by: string;
  /** ISO 8601; absent: now. */
  at?: string;
}

/** `default`, of `default/ci`; `*` for an account of all workspaces. */
export const accountScope = (name: string): string => (name.includes('/') ? (name.split('/')[0] as string) : EVERYWHERE);

/** @throws inputError `exists` */
export async function createAccount(
  rows: Rows,
  { tenant, name, about }: Pick<ServiceAccount, 'tenant' | 'name'> & { about?: string | undefined },
  { by, at = new Date().toISOString() }: Signature,
): Promise<ServiceAccount> {
  const row: ServiceAccount = {
    ...{ tenant, name, id: randomUUID(), scope: accountScope(name), createdAt: at, createdBy: by },
    ...(about !== undefined && { about }),
  };
  if (await rows.table(serviceAccounts).compareAndSet(row, undefined)) return row;
  const why = 'a service account has this name';
  const hint = 'use another name, or delete the account first';
  throw inputError({ code: 'exists', what: 'create the service account', on: name, why, hint });
}

/** @throws inputError `unknown-service-account` */
export async function findAccount(
  rows: Rows,
  { tenant, name }: Pick<ServiceAccount, 'tenant' | 'name'>,
  what = 'find the service account',
): Promise<ServiceAccount> {
  const found = await rows.table(serviceAccounts).get({ tenant, name });
  if (found) return found.row;
  const why = 'no service account has this name';
  throw inputError({ code: 'unknown-service-account', what, on: name, why, hint: 'provisioning service-account list' });
}

/** The service accounts of a tenant, with their roles. @param scope only accounts of this workspace */
export async function listAccounts(
  rows: Rows,
  tenant: string,
  scope?: string,
): Promise<{ account: ServiceAccount; bindings: RoleBinding[] }[]> {
  const found = await readAll(rows.table(serviceAccounts), scope === undefined ? {} : { scope });
  const own = found.map(({ row }) => row).filter((account) => account.tenant === tenant);
  return Promise.all(own.map(async (account) => ({ account, bindings: await listBindings(rows, account) })));
}

export const listBindings = async (rows: Rows, { id }: Pick<ServiceAccount, 'id'>): Promise<RoleBinding[]> =>
  (await readAll(rows.table(roleBindings), { account: id })).map(({ row }) => row);

export const readTokens = async (rows: Rows, { id }: Pick<ServiceAccount, 'id'>): Promise<RevisedRow<AccessToken>[]> =>
  readAll(rows.table(accessTokens), { account: id });

/**
 * Deletes an account with its tokens and roles. Once the account is gone its tokens are refused, even a token that is
 * created at the same time.
 *
 * @returns the number of its tokens
 */
export async function deleteAccount(rows: Rows, account: ServiceAccount): Promise<number> {
  const tokens = await deleteBelongings(rows, account);
  await rows.table(serviceAccounts).delete({ tenant: account.tenant, name: account.name });
  return tokens + (await deleteBelongings(rows, account));
}

async function deleteBelongings(rows: Rows, account: ServiceAccount): Promise<number> {
  const tokens = await readTokens(rows, account);
  for (const { row } of tokens) await rows.table(accessTokens).delete({ id: row.id });
  for (const binding of await listBindings(rows, account)) await rows.table(roleBindings).delete(binding);
  return tokens.length;
}

/**
 * Gives an account a role in a workspace, or in all workspaces (`*`).
 *
 * @returns whether it did not have the role
 * @throws inputError `bad-request` for a workspace outside of the account's scope, `quota-exceeded`
 */
export async function bindRole(
  rows: Rows,
  { id, name, scope }: ServiceAccount,
  { workspace, role }: { workspace: string; role: Role },
  { by, at = new Date().toISOString() }: Signature,
): Promise<boolean> {
  const what = 'grant the role';
  if (scope !== EVERYWHERE && workspace !== scope) {
    const why = `the account "${name}" can have roles only in the workspace "${scope}"`;
    throw inputError({ code: 'bad-request', what, on: role, why, hint: 'create an account without a workspace in its name' });
  }
  if ((await listBindings(rows, { id })).length >= MOST_ROLES) {
    const why = `the account "${name}" has ${MOST_ROLES} roles, the maximum`;
    throw inputError({ code: 'quota-exceeded', what, on: role, why, hint: 'grant a role in all workspaces' });
  }
  const row: RoleBinding = { account: id, workspace, role, createdAt: at, createdBy: by };
  return (await rows.table(roleBindings).compareAndSet(row, undefined)) !== undefined;
}

/** @returns whether the account had the role */
export const unbindRole = (rows: Rows, { id }: ServiceAccount, { workspace, role }: { workspace: string; role: Role }) =>
  rows.table(roleBindings).delete({ account: id, workspace, role });

/** All rows that a condition selects. */
export async function readAll<Row, Key extends string>(
  table: RowTable<Row, Key>,
  where: NonNullable<Page['where']>,
): Promise<RevisedRow<Row>[]> {
  const all: RevisedRow<Row>[] = [];
  for (let after: string | undefined; ; ) {
    const { rows, next } = await table.list({ limit: QUERY, where, ...(after !== undefined && { after }) });
    all.push(...rows);
    if (next === undefined) return all;
    after = next;
  }
}

import { randomInt } from 'node:crypto';
import { inputError } from '../../core/errors.js';
import { freezes } from '../../stores/rows/freezes.js';
import { claimsOfQuotas, quotas } from '../../stores/rows/quotas.js';
import { serviceAccounts } from '../../stores/rows/service-accounts.js';
import { type Tenant, tenants } from '../../stores/rows/tenants.js';
import { infraEnvironments } from '../../stores/rows/workspaces/infra-environments.js';
import type { Rows } from '../../stores/rows.js';
import { openRows, type RowStores } from '../open-rows.js';
import type { Principal } from '../principal.js';
import { deleteAccount, HOME_TENANT, listAccounts, readAll, type Signature } from './service-accounts.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const createId = (): string => Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** @throws inputError `exists` */
export async function createTenant(
  rows: Rows,
  { name, about, providers = [] }: { name: string; about?: string | undefined; providers?: readonly string[] | undefined },
  { by, at = new Date().toISOString() }: Signature,
): Promise<Tenant> {
  const row: Tenant = {
    ...{ name, id: createId(), state: 'active', providers: [...providers], createdAt: at, createdBy: by },
    ...(about !== undefined && { about }),
  };
  if (await rows.table(tenants).compareAndSet(row, undefined)) return row;
  const why = 'a tenant has this name';
  throw inputError({ code: 'exists', what: 'create the tenant', on: name, why, hint: 'provisioning tenant list' });
}

/** @throws inputError `unknown-tenant` */
export async function readTenant(rows: Rows, name: string, what = 'find the tenant'): Promise<Tenant> {
  const found = await rows.table(tenants).get({ name });
  if (found) return found.row;
  throw inputError({ code: 'unknown-tenant', what, on: name, why: 'no tenant has this name', hint: 'provisioning tenant list' });
}

/** The tenant with this id; undefined if it was deleted. */
export const readTenantById = async (rows: Rows, id: string): Promise<Tenant | undefined> =>
  (await readAll(rows.table(tenants), { id }))[0]?.row;

export const listTenants = async (rows: Rows): Promise<Tenant[]> => (await readAll(rows.table(tenants), {})).map(({ row }) => row);

/** The service accounts of a tenant. */
export const countAccounts = async (rows: Rows, tenant: string): Promise<number> =>
  (await readAll(rows.table(serviceAccounts), {})).filter(({ row }) => row.tenant === tenant).length;

/**
 * Deletes a tenant with its accounts, quotas and freezes. Its accounts are disabled first, so that they start nothing during the deletion.
 *
 * @param findWorkspaces returns the workspaces of the tenant with this id that have infras
 * @returns the number of deleted accounts
 * @throws inputError `unknown-tenant`, `tenant-in-use`
 */
export async function deleteTenant(rows: Rows, name: string, findWorkspaces: (id: string) => Promise<string[]>): Promise<number> {
  const what = 'delete the tenant';
  const table = rows.table(tenants);
  const before = await readTenant(rows, name, what);
  await table.put({ ...before, state: 'deleting' });
  const workspaces = await findWorkspaces(before.id).catch(async (error: unknown) => {
    await table.put({ ...before, state: 'active' });
    throw error;
  });
  if (workspaces.length > 0) {
    await table.put({ ...before, state: 'active' });
    const why = `it has infras in the workspaces ${workspaces.join(', ')}`;
    throw inputError({ code: 'tenant-in-use', what, on: name, why, hint: 'delete the infras first' });
  }
  const accounts = await listAccounts(rows, before.id);
  for (const { account } of accounts) await deleteAccount(rows, account);
  await deleteLimits(rows, before.id);
  await table.delete({ name });
  return accounts.length;
}

/** Deletes what limits a tenant: its rows would stay forever, and workers read all freezes. */
async function deleteLimits(rows: Rows, tenant: string): Promise<void> {
  const isIts = ({ row }: { row: { tenant: string } }) => row.tenant === tenant;
  for (const { row } of (await readAll(rows.table(quotas), {})).filter(isIts)) await rows.table(quotas).delete(row);
  for (const { row } of (await readAll(rows.table(claimsOfQuotas), {})).filter(isIts)) await rows.table(claimsOfQuotas).delete(row);
  for (const { row } of (await readAll(rows.table(freezes), {})).filter(isIts)) await rows.table(freezes).delete(row);
  const places = rows.table(infraEnvironments);
  for (const { row } of (await readAll(places, {})).filter(isIts)) await places.delete(row);
}

/**
 * Returns the tenant whose accounts a call is about: the caller's own, or the tenant that an administrator of the home
 * names.
 *
 * @throws inputError `unknown-tenant`
 */
export async function chooseTenant(rows: Rows, { tenant = HOME_TENANT }: Principal, named: string | undefined): Promise<string> {
  if (tenant !== HOME_TENANT || named === undefined) return tenant;
  return (await readTenant(rows, named)).id;
}

/** Returns the id of the tenant with this name, to authorize a call; undefined for an unknown tenant. */
export async function findTenantByName(stores: RowStores, name: string): Promise<string | undefined> {
  const rows = await openRows(stores, 'find the tenant');
  return (await rows.table(tenants).get({ name }))?.row.id;
}

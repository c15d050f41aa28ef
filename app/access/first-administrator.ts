import { inputError, type ProvisioningError } from '../../core/errors.js';
import { firstAdministrators, type ServiceAccount, serviceAccounts } from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';
import { openRows, type RowStores } from '../open-rows.js';
import { createToken, HOUR_MS } from './access-tokens.js';
import { EVERYWHERE } from './roles.js';
import { bindRole, createAccount, HOME_TENANT, hasAdministrator } from './service-accounts.js';
import { createCode, equalHashes, hashSecret } from './token-text.js';

/** How long a code is valid, in milliseconds. */
const CODE_MS = HOUR_MS;
/** Valid codes, at most: several servers may start at once. */
const MOST_CODES = 10;
const BY = 'first administrator';

interface Options {
  /** Default: the one tenant of a home. */
  tenant?: string;
}

/**
 * Creates a code for the first administrator, good once and within an hour. Only its hash is stored.
 *
 * @returns undefined if there is an administrator
 * @throws the errors of the store, and unreachableError `no-worker`
 */
export async function createFirstAdministrator(
  stores: RowStores,
  { tenant = HOME_TENANT }: Options = {},
): Promise<string | undefined> {
  const rows = await openRows(stores, 'create the first administrator');
  const table = rows.table(firstAdministrators);
  const code = createCode();
  for (;;) {
    const found = await table.get({ tenant });
    if (await hasAdministrator(rows, tenant)) return undefined;
    const valid = (found?.row.codes ?? []).filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now());
    const added = { hash: hashSecret(code), expiresAt: new Date(Date.now() + CODE_MS).toISOString() };
    const codes = [...valid, added].slice(-MOST_CODES);
    if (await table.compareAndSet({ tenant, codes }, found?.revision)) return code;
  }
}

export interface FirstAdministrator {
  /** The name of the new service account. */
  account: string;
  /** A token of it: shown once, and not stored. */
  token: string;
  /** ISO 8601. */
  expiresAt: string;
}

/**
 * Makes a service account with the role admin everywhere, and a token of it. All codes are used up by it.
 *
 * @throws inputError `code-refused` for a code that is unknown, used or expired, and if there is an administrator
 */
export async function redeemCode(
  stores: RowStores,
  code: string,
  { tenant = HOME_TENANT }: Options = {},
): Promise<FirstAdministrator> {
  const rows = await openRows(stores, 'create the first administrator');
  const table = rows.table(firstAdministrators);
  const found = await table.get({ tenant });
  const hash = hashSecret(code.trim().toUpperCase());
  const isRight = (found?.row.codes ?? [])
    .filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now())
    // Each is compared, whichever is right.
    .map((one) => equalHashes(one.hash, hash))
    .includes(true);
  if (!found || !isRight || (await hasAdministrator(rows, tenant))) throw refuseCode();
  // Of several that redeem codes at once, one changes the row.
  if (!(await table.compareAndSet({ tenant, codes: [] }, found.revision))) throw refuseCode();
  const account = await createAdministrator(rows, tenant);
  await bindRole(rows, account, { workspace: EVERYWHERE, role: 'admin' }, { by: BY });
  const { text, token } = await createToken(rows, account, {}, { by: BY });
  return { account: account.name, token: text, expiresAt: token.expiresAt };
}

/** An account of its own: one that is there already may have tokens of others. */
async function createAdministrator(rows: Rows, tenant: string): Promise<ServiceAccount> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'admin' : `admin-${number}`;
    if (await rows.table(serviceAccounts).get({ tenant, name })) continue;
    return createAccount(rows, { tenant, name, about: 'First administrator' }, { by: BY });
  }
}

/** The same for each reason. */
const refuseCode = (): ProvisioningError =>
  inputError({
    code: 'code-refused',
    what: 'create the first administrator',
    why: 'the code is not valid: it is wrong, was used, or is older than an hour',
    hint: 'restart the server: it prints a new code as long as there is no administrator',
  });

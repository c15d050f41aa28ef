import { randomUUID } from 'node:crypto';
import { inputError, messageOf, ProvisioningError } from '../../core/errors.js';
import { firstAdministrators, type ServiceAccount, serviceAccounts } from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';
import { openRows, type RowStores } from '../open-rows.js';
import type { CallRecords } from '../record-calls.js';
import { createToken, HOUR_MS } from './access-tokens.js';
import { hasAdministrator } from './last-administrator.js';
import { EVERYWHERE } from './roles.js';
import { bindRole, createAccount, HOME_TENANT } from './service-accounts.js';
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

interface RedeemOptions extends Options {
  /** Records the redemption. Default: it is not recorded. */
  records?: Pick<CallRecords, 'note' | 'noteOften'>;
}

/** Audit record of a redemption. */
const NOTE = { class: 'access', method: 'first-administrator.redeem', action: 'service-account:create', actor: BY } as const;

/**
 * Creates a code for the first administrator, which is valid once and for an hour. Only its hash is stored.
 *
 * @returns undefined if there is an administrator with a valid token
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
 * Creates a service account with the role admin everywhere, and its token. This uses up all codes. A correct code
 * takes effect once its use is recorded.
 *
 * @throws inputError `code-refused` for a code that is unknown, used or expired, and if there is an administrator
 */
export async function redeemCode(
  stores: RowStores,
  code: string,
  { tenant = HOME_TENANT, records }: RedeemOptions = {},
): Promise<FirstAdministrator> {
  const rows = await openRows(stores, 'create the first administrator');
  const found = await rows.table(firstAdministrators).get({ tenant });
  const hash = hashSecret(code.trim().toUpperCase());
  const isRight = (found?.row.codes ?? [])
    .filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now())
    // Each is compared, whichever is right.
    .map((one) => equalHashes(one.hash, hash))
    .includes(true);
  if (!found || !isRight || (await hasAdministrator(rows, tenant))) {
    await records?.noteOften({ ...NOTE, outcome: 'refused', code: 'code-refused' }).catch(reportUnrecorded);
    throw refuseCode();
  }
  const note = { ...NOTE, call: randomUUID() };
  await records?.note({ ...note, outcome: 'asked' });
  try {
    const administrator = await createFirst(rows, tenant, found.revision);
    await records?.note({ ...note, outcome: 'done', resource: `ServiceAccount ${administrator.account}` });
    return administrator;
  } catch (error) {
    const failed = error instanceof ProvisioningError ? error.details.code : 'unexpected';
    await records?.note({ ...note, outcome: 'failed', code: failed }).catch(reportUnrecorded);
    throw error;
  }
}

/** The caller gets the reason of the refusal, whether it could be recorded or not. */
const reportUnrecorded = (failure: unknown) => console.error(`a redemption of a code was not recorded: ${messageOf(failure)}`);

async function createFirst(rows: Rows, tenant: string, revision: string): Promise<FirstAdministrator> {
  // If several calls redeem codes at the same time, only one changes the row.
  if (!(await rows.table(firstAdministrators).compareAndSet({ tenant, codes: [] }, revision))) throw refuseCode();
  const account = await createAdministrator(rows, tenant);
  await bindRole(rows, account, { workspace: EVERYWHERE, role: 'admin' }, { by: BY });
  const { text, token } = await createToken(rows, account, {}, { by: BY });
  return { account: account.name, token: text, expiresAt: token.expiresAt };
}

/** Creates a separate account: an existing one may have tokens of others. */
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

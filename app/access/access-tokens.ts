import { inputError } from '../../core/errors.js';
import { type AccessToken, accessTokens, type ServiceAccount } from '../../stores/rows/service-accounts.js';
import type { RevisedRow, Rows } from '../../stores/rows.js';
import type { RowStores } from '../open-rows.js';
import { readTokens, type Signature } from './service-accounts.js';
import { createTokenText } from './token-text.js';

export const HOUR_MS = 3_600_000;
/** Validity of a token: the default, and the maximum. */
export const DEFAULT_HOURS = 90 * 24;
export const MOST_HOURS = 365 * 24;
/** How long an expired or revoked token stays in the list. */
const KEPT_MS = 30 * 24 * HOUR_MS;
/** Valid tokens of an account, at most. */
const MOST_TOKENS = 100;

export type TokenState = 'active' | 'expired' | 'revoked';

export function tokenState({ revokedAt, expiresAt }: AccessToken, now = Date.now()): TokenState {
  if (revokedAt !== undefined) return 'revoked';
  return Date.parse(expiresAt) <= now ? 'expired' : 'active';
}

/** Returns whether a token expired or was revoked so long ago that it is deleted. */
export const isStale = ({ revokedAt, expiresAt }: AccessToken, now: number): boolean =>
  Date.parse(revokedAt === undefined || revokedAt > expiresAt ? expiresAt : revokedAt) + KEPT_MS <= now;

/**
 * Creates a token of an account. Its text is not stored.
 *
 * @throws inputError `quota-exceeded`
 */
export async function createToken(
  rows: Rows,
  { tenant, name, id: account }: ServiceAccount,
  { hours = DEFAULT_HOURS, about }: { hours?: number | undefined; about?: string | undefined },
  { by, at = new Date().toISOString() }: Signature,
): Promise<{ text: string; token: AccessToken }> {
  const kept = await readTokens(rows, { id: account });
  if (kept.filter(({ row }) => tokenState(row) === 'active').length >= MOST_TOKENS) {
    const why = `the account has ${MOST_TOKENS} valid tokens, the maximum`;
    throw inputError({ code: 'quota-exceeded', what: 'create the token', on: name, why, hint: 'revoke tokens that are not used' });
  }
  const { id, hash, text } = createTokenText();
  const token: AccessToken = {
    ...{ id, tenant, name, account, hash, createdAt: at, createdBy: by },
    expiresAt: new Date(Date.parse(at) + hours * HOUR_MS).toISOString(),
    ...(about !== undefined && { about }),
  };
  await rows.table(accessTokens).put(token);
  return { text, token };
}

/** The account that a token belongs to; undefined for a token that does not exist, and without a worker. */
export async function readTokenAccount({ rows }: RowStores, id: string): Promise<Pick<AccessToken, 'tenant' | 'name'> | undefined> {
  return rows && (await (await rows()).table(accessTokens).get({ id }))?.row;
}

/** Lists the tokens of an account, without stale ones. */
export async function listTokens(rows: Rows, account: ServiceAccount): Promise<AccessToken[]> {
  const now = Date.now();
  return (await readTokens(rows, account)).map(({ row }) => row).filter((token) => !isStale(token, now));
}

/** A token by its id. */
interface TokenKey extends Pick<AccessToken, 'id'> {
  /** Absent: the token of any tenant. */
  tenant?: string | undefined;
}

async function readToken(rows: Rows, { tenant, id }: TokenKey): Promise<RevisedRow<AccessToken>> {
  const found = await rows.table(accessTokens).get({ id });
  if (found && (tenant === undefined || found.row.tenant === tenant)) return found;
  const why = 'no token has this id';
  throw inputError({ code: 'unknown-token', what: 'find the token', on: id, why, hint: 'provisioning token list' });
}

/** @throws inputError `unknown-token` */
export const findToken = async (rows: Rows, key: TokenKey): Promise<AccessToken> => (await readToken(rows, key)).row;

/**
 * Revokes a token; a revoked token stays unchanged.
 *
 * @throws inputError `unknown-token`
 */
export async function revokeToken(
  rows: Rows,
  key: TokenKey,
  { by, at = new Date().toISOString() }: Signature,
): Promise<AccessToken> {
  const table = rows.table(accessTokens);
  for (;;) {
    const found = await readToken(rows, key);
    if (found.row.revokedAt !== undefined) return found.row;
    const revoked = { ...found.row, revokedAt: at, revokedBy: by };
    // Its last use may be written at the same time.
    if (await table.compareAndSet(revoked, found.revision)) return revoked;
  }
}

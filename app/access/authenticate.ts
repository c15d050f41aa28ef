import { showWorkspace } from '../../core/tenant-names.js';
import { type AccessToken, accessTokens, type RoleBinding, serviceAccounts } from '../../stores/rows/service-accounts.js';
import type { Tenant } from '../../stores/rows/tenants.js';
import type { Rows } from '../../stores/rows.js';
import { openRows, type RowStores } from '../open-rows.js';
import type { LocatedResource, Principal } from '../principal.js';
import { tokenState } from './access-tokens.js';
import { nameCaller } from './name-caller.js';
import { MANAGES_TENANTS, rolesAllow, SHARED_WITH_TENANTS } from './roles.js';
import { HOME_TENANT, listBindings } from './service-accounts.js';
import { readTenantById } from './tenants.js';
import { equalHashes, hashSecret, parseToken } from './token-text.js';

/**
 * Time that a read token is cached, in milliseconds. A revocation and a change of roles take effect within five
 * seconds.
 */
const FRESH_MS = 4_000;
/** Tokens that are kept in memory, at most. */
const MOST_KEPT = 10_000;
/** The last use of a token is written at most this often, in milliseconds. */
const USE_MS = 60_000;

/** Replaces a malformed token, so that it is looked up and compared like any other. */
const NO_TOKEN = { id: '', hash: hashSecret('') };

/** A service account that called with a token. */
export interface TokenPrincipal extends Principal {
  tenant: string;
  /** The name of the account: `ci`, `default/ci`. */
  account: string;
  /** The id of the token, which is not secret. */
  token: string;
  /** Whether the token is still valid: a stream that was opened with it ends once it is not. */
  isCurrent(): Promise<boolean>;
}

/** Reason why a token was refused, which the caller does not learn. */
export interface RefusedToken {
  reason: 'malformed' | 'unknown' | 'wrong-secret' | 'revoked' | 'expired' | 'no-account';
  /** The id of the token, which is not secret. */
  token?: string;
  /** The account, if the secret of the token was right. */
  actor?: string;
}

/** A valid token with the permissions of its account. */
interface Session {
  token: AccessToken;
  revision: string;
  bindings: readonly RoleBinding[];
  /** Absent: the tenant of the home. */
  tenant?: Tenant;
  /** By `performance.now`. */
  readAt: number;
}

const kept = new WeakMap<object, Map<string, Session>>();

/**
 * Finds the service account of a token. Returns undefined for a malformed, unknown, revoked or expired token, and for
 * a token of a deleted account. Each case is looked up and compared, so that the response time does not distinguish
 * them.
 *
 * @param bearer the token of an `Authorization: Bearer` header, without that word
 * @param onRefused records a token that is refused
 * @throws the errors of the store, and unreachableError `no-worker`
 */
export async function authenticate(
  stores: RowStores,
  bearer: string,
  onRefused: (refused: RefusedToken) => Promise<void> = async () => {},
): Promise<TokenPrincipal | undefined> {
  const asked = parseToken(bearer);
  const recalled = asked && recall(stores, asked.id);
  // A wrong secret gets no quicker answer if the token of this id is in use.
  if (recalled && equalHashes(recalled.token.hash, asked.hash) && isValid(recalled)) return principalOf(stores, recalled);
  const rows = await openRows(stores, 'check the token');
  const { id, hash } = asked ?? NO_TOKEN;
  const found = await rows.table(accessTokens).get({ id });
  const isRight = equalHashes(found?.row.hash ?? NO_TOKEN.hash, hash);
  const session = asked && found && isRight ? await readSession(rows, found.row, found.revision) : undefined;
  if (!session) {
    await onRefused(await describeRefused(rows, asked?.id, found?.row, isRight));
    return undefined;
  }
  keep(stores, session);
  return principalOf(stores, await noteUse(rows, session));
}

function principalOf(
  stores: RowStores,
  { token: { id, tenant, name, account, expiresAt }, tenant: belongs }: Session,
): TokenPrincipal {
  /** Reads what the token allows now, not at the start of the call. */
  async function current(): Promise<Session | undefined> {
    const recalled = recall(stores, id);
    if (recalled) return isValid(recalled) ? recalled : undefined;
    const rows = await openRows(stores, 'check the token');
    const found = await rows.table(accessTokens).get({ id });
    const session = found && (await readSession(rows, found.row, found.revision));
    if (session) keep(stores, session);
    return session;
  }
  return {
    actor: nameCaller(name, belongs?.name),
    ...(belongs && { providers: belongs.providers }),
    ...{ tenant, account: name, token: id, recorded: { tenant, account, name } },
    isCurrent: async () => (await current()) !== undefined,
    async identify() {
      const session = await current();
      const roles = session?.bindings.map(({ role, workspace }) => ({ role, workspace })) ?? [];
      return { tenant, account: name, roles, token: { id, expires: expiresAt } };
    },
    async may(action, resource) {
      const session = await current();
      return session !== undefined && accountMay(session.token.tenant, session.bindings, action, resource);
    },
  };
}

/** Whether the roles of an account allow an action. They have names of workspaces as their tenant knows them. */
export function accountMay(
  tenant: string,
  bindings: readonly RoleBinding[],
  action: string,
  resource: Omit<LocatedResource, 'id' | 'type'>,
): boolean {
  const { workspace } = resource;
  if (resource.tenant === tenant) return rolesAllow(bindings, action, workspace ? { workspace: showWorkspace(workspace) } : {});
  // In another tenant, or in the home, only resources without a workspace are allowed.
  if (tenant === HOME_TENANT) return MANAGES_TENANTS.has(action) && rolesAllow(bindings, action, {});
  return resource.tenant === HOME_TENANT && SHARED_WITH_TENANTS.has(action) && rolesAllow(bindings, action, {});
}

/** Undefined if the token is not valid, or its account was deleted. */
async function readSession(rows: Rows, token: AccessToken, revision: string): Promise<Session | undefined> {
  const readAt = performance.now();
  if (tokenState(token) !== 'active') return undefined;
  const { tenant, name, account } = token;
  const [owner, bindings, belongs] = await Promise.all([
    rows.table(serviceAccounts).get({ tenant, name }),
    listBindings(rows, { id: account }),
    tenant === HOME_TENANT ? undefined : readTenantById(rows, tenant),
  ]);
  if (tenant !== HOME_TENANT && belongs?.state !== 'active') return undefined;
  // An account that was created again under the name of a deleted one has another id.
  return owner?.row.id === account ? { token, revision, bindings, ...(belongs && { tenant: belongs }), readAt } : undefined;
}

async function describeRefused(
  rows: Rows,
  id: string | undefined,
  found: AccessToken | undefined,
  isRight: boolean,
): Promise<RefusedToken> {
  if (id === undefined) return { reason: 'malformed' };
  if (!found) return { reason: 'unknown' };
  if (!isRight) return { reason: 'wrong-secret', token: id };
  const state = tokenState(found);
  return { reason: state === 'active' ? 'no-account' : state, token: id, actor: await nameOwner(rows, found) };
}

/** Only for the right secret: the time of the answer tells others nothing of the tenant. */
async function nameOwner(rows: Rows, { tenant, name }: AccessToken): Promise<string> {
  if (tenant === HOME_TENANT) return nameCaller(name);
  return nameCaller(name, (await readTenantById(rows, tenant))?.name ?? tenant);
}

const isValid = ({ token }: Session): boolean => tokenState(token) === 'active';

function recall(stores: RowStores, id: string): Session | undefined {
  const session = kept.get(stores)?.get(id);
  return session && performance.now() - session.readAt < FRESH_MS ? session : undefined;
}

function keep(stores: RowStores, session: Session): void {
  const sessions = kept.get(stores) ?? new Map<string, Session>();
  kept.set(stores, sessions);
  // The oldest is the first.
  sessions.delete(session.token.id);
  if (sessions.size >= MOST_KEPT) sessions.delete(sessions.keys().next().value as string);
  sessions.set(session.token.id, session);
}

/** Records that the token was used now. If the write fails, the call is still accepted. */
async function noteUse(rows: Rows, session: Session): Promise<Session> {
  const { usedAt } = session.token;
  if (usedAt !== undefined && Date.now() - Date.parse(usedAt) < USE_MS) return session;
  const token = { ...session.token, usedAt: new Date().toISOString() };
  // A revocation is not overwritten: the first change of the row wins.
  await rows
    .table(accessTokens)
    .compareAndSet(token, session.revision)
    .catch(() => undefined);
  return session;
}

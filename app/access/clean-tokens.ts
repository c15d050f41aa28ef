import { type ProjectionMark, projectionMarks } from '../../stores/rows/projections/projection-marks.js';
import { type AccessToken, accessTokens, serviceAccounts } from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';
import type { CallRecords } from '../record-calls.js';
import { isStale, tokenState } from './access-tokens.js';
import { nameCaller } from './name-caller.js';
import { HOME_TENANT, readAll } from './service-accounts.js';
import { listTenants } from './tenants.js';

/** Row with the time up to which expiries are recorded. */
const EXPIRIES = 'token-expiries';
/** Duration for which one process has the exclusive right to clean up, in milliseconds. */
const HOLD_MS = 5 * 60_000;

interface Options {
  /** Names this process. */
  holder: string;
  /** In milliseconds since 1970. */
  now?: number;
}

/**
 * Records each token that has expired since the last pass. Deletes tokens that expired or were revoked 30 days ago, and
 * tokens of deleted accounts, each after its record.
 *
 * @param note records an event; a token whose record fails stays for the next pass
 * @returns how many expired and were deleted; undefined if another process does this
 */
export async function cleanTokens(
  rows: Rows,
  note: CallRecords['note'],
  { holder, now = Date.now() }: Options,
): Promise<{ expired: number; deleted: number } | undefined> {
  const marks = rows.table(projectionMarks);
  const found = await marks.get({ projection: EXPIRIES });
  if (found && found.row.holder !== holder && Date.parse(found.row.until) > now) return undefined;
  const from = found?.row.through;
  const held: ProjectionMark = {
    ...{ projection: EXPIRIES, holder, until: new Date(now + HOLD_MS).toISOString() },
    ...(from !== undefined && { through: from }),
  };
  const revision = await marks.compareAndSet(held, found?.revision);
  if (revision === undefined) return undefined;

  const all = await readAll(rows.table(accessTokens), {});
  // Read after the tokens, so that the account of each token exists, unless it was deleted.
  const accounts = new Set((await readAll(rows.table(serviceAccounts), {})).map(({ row }) => row.id));
  const tenants = new Map((await listTenants(rows)).map(({ id, name }) => [id, name]));
  const record = (token: AccessToken, method: string, reason: string) =>
    note({
      ...{ class: 'access', call: `${method} ${token.id}`, door: 'platform', method, outcome: 'done', reason },
      actor: nameCaller(token.name, token.tenant === HOME_TENANT ? undefined : (tenants.get(token.tenant) ?? token.tenant)),
      resource: `Token ${token.id}`,
    });

  const through = new Date(now).toISOString();
  const expired = all.filter(({ row }) => row.expiresAt <= through && (from === undefined || row.expiresAt > from));
  const ended = expired.filter(({ row }) => tokenState(row, now) === 'expired' && accounts.has(row.account));
  for (const { row } of ended) await record(row, 'token.expire', 'expired');
  let deleted = 0;
  for (const { row, revision: seen } of all) {
    const isOrphan = !accounts.has(row.account);
    if (!isOrphan && !isStale(row, now)) continue;
    await record(row, 'token.clean-up', isOrphan ? 'no-account' : tokenState(row, now));
    deleted += (await rows.table(accessTokens).delete({ id: row.id }, seen)) ? 1 : 0;
  }
  await marks.compareAndSet({ ...held, through, until: through }, revision);
  return { expired: ended.length, deleted };
}

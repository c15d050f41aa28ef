import { randomUUID } from 'node:crypto';
import { inputError } from '../../core/errors.js';
import { type Freeze, freezes } from '../../stores/rows/freezes.js';
import type { RevisedRow, Rows } from '../../stores/rows.js';
import { EVERYWHERE } from '../access/roles.js';
import { HOME_TENANT, readAll } from '../access/service-accounts.js';
import type { Principal } from '../principal.js';
import { markEnvironment, readFrozenEnvironment } from './environments/frozen-environment.js';
import { findLimitedPlace } from './limited-place.js';

/** Place of a freeze: an infra, a workspace with all of its infras, all workspaces of a tenant, or an environment in these. */
export interface FreezePlace {
  tenant: string;
  /** `*` for all workspaces. */
  workspace: string;
  /** `*` for all infras, `@prod` for those in an environment. */
  infra: string;
}

/** `default/shop`, `default`, `all workspaces`, or `environment prod of default`. */
export function describePlace({ workspace, infra }: Pick<FreezePlace, 'workspace' | 'infra'>): string {
  const environment = readFrozenEnvironment({ infra });
  const whole = workspace === EVERYWHERE ? 'all workspaces' : workspace;
  if (environment !== undefined) return `environment ${environment} of ${whole}`;
  return workspace === EVERYWHERE || infra === EVERYWHERE ? whole : `${workspace}/${infra}`;
}

/**
 * Returns whether a freeze covers this place.
 *
 * @param place `infra` is absent for a whole workspace; `environments` are those of the infra
 */
export function covers(
  freeze: Pick<Freeze, 'tenant' | 'workspace' | 'infra'>,
  place: { tenant: string; workspace: string; infra?: string | undefined; environments?: readonly string[] },
): boolean {
  const environment = readFrozenEnvironment(freeze);
  if (environment !== undefined)
    return place.environments?.includes(environment) === true && covers({ ...freeze, infra: EVERYWHERE }, place);
  const isWhole = freeze.workspace === EVERYWHERE;
  // The owner of the home freezes the platform, with the workspaces of all tenants.
  if (freeze.tenant !== place.tenant) return isWhole && freeze.tenant === HOME_TENANT;
  if (isWhole) return true;
  return freeze.workspace === place.workspace && (freeze.infra === EVERYWHERE || freeze.infra === place.infra);
}

/** Returns whether a freeze covers this place, or a part of it: an infra, or the infras of an environment. */
export const coversPart = (
  freeze: Pick<Freeze, 'tenant' | 'workspace' | 'infra'>,
  place: { tenant: string; workspace: string; infra?: string | undefined },
): boolean => {
  const isNarrow = readFrozenEnvironment(freeze) !== undefined || place.infra === undefined;
  return covers(isNarrow ? { ...freeze, infra: EVERYWHERE } : freeze, place);
};

interface NamedPlace {
  workspace: string;
  infra?: string | undefined;
  environment?: string | undefined;
  tenant?: string | undefined;
}

/** Returns all freezes, including ended ones whose operations are being resumed. */
export const readFreezes = (rows: Rows): Promise<RevisedRow<Freeze>[]> => readAll(rows.table(freezes), {});

/**
 * Freezes a place. An existing freeze stays unchanged.
 *
 * @param id default: random
 * @returns the freeze, and whether it is new
 */
export async function createFreeze(
  rows: Rows,
  place: FreezePlace,
  { reason, by, id = randomUUID() }: { reason: string; by: string; id?: string },
): Promise<{ freeze: Freeze; isNew: boolean }> {
  const table = rows.table(freezes);
  for (;;) {
    const found = await table.get(place);
    if (found && found.row.endedAt === undefined) return { freeze: found.row, isNew: false };
    const row: Freeze = { ...place, id, reason, createdAt: new Date().toISOString(), createdBy: by };
    if (await table.compareAndSet(row, found?.revision)) return { freeze: row, isNew: true };
  }
}

/** Ends a freeze. Its row stays until its operations have been resumed. @throws inputError `not-frozen` */
export async function endFreeze(rows: Rows, place: FreezePlace, by: string): Promise<Freeze> {
  const table = rows.table(freezes);
  for (;;) {
    const found = await table.get(place);
    if (!found || found.row.endedAt !== undefined) {
      const on = describePlace(place);
      throw inputError({ code: 'not-frozen', what: 'unfreeze', on, why: 'it is not frozen', hint: 'provisioning freeze list' });
    }
    const row: Freeze = { ...found.row, endedAt: new Date().toISOString(), endedBy: by };
    if (await table.compareAndSet(row, found.revision)) return row;
  }
}

/**
 * Ends a freeze that the platform made for its own work. A newer one that a person made
 * in the same place stays. Does nothing if the freeze has ended.
 */
export async function endOwnFreeze(rows: Rows, { id, ...row }: Freeze, by: string): Promise<void> {
  const table = rows.table(freezes);
  for (;;) {
    const found = await table.get(row);
    if (!found || found.row.id !== id || found.row.endedAt !== undefined) return;
    if (await table.compareAndSet({ ...found.row, endedAt: new Date().toISOString(), endedBy: by }, found.revision)) return;
  }
}

/**
 * The place that a workspace, and an infra or an environment, name.
 *
 * @throws inputError `unknown-tenant`, `bad-request` for an environment of one infra
 */
export async function freezePlace(
  rows: Rows,
  principal: Principal,
  { infra, environment, ...named }: NamedPlace,
): Promise<FreezePlace> {
  if (infra !== undefined && environment !== undefined) {
    const why = 'an infra and an environment are given';
    throw inputError({ code: 'bad-request', what: 'read the place of the freeze', why, hint: 'name one of them' });
  }
  const part = environment === undefined ? (infra ?? EVERYWHERE) : markEnvironment(environment);
  return { ...(await findLimitedPlace(rows, principal, named)), infra: part };
}

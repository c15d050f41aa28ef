import { ProvisioningError } from '../../core/errors.js';
import { findTenant } from '../../core/tenant-names.js';
import { type Freeze, freezes } from '../../stores/rows/freezes.js';
import type { Rows } from '../../stores/rows.js';
import { EVERYWHERE } from '../access/roles.js';
import type { Engine } from '../engine.js';
import { sendToOperation } from '../operation/control.js';
import { operationsWhere } from '../operation/list.js';
import { attributeOf, LATEST_RUN_CONDITION, listWorkflows, OPEN } from '../temporal/visibility.js';
import { findEnvironments } from './environments/find-environments.js';
import { readFrozenEnvironment } from './environments/frozen-environment.js';
import { covers, coversPart, type FreezePlace, readFreezes } from './freezes.js';

/** An ended freeze is kept for this long, in milliseconds: another process may still pause an operation for it. */
const LINGER_MS = 15_000;
/** Operations that are updated at a time. */
const AT_ONCE = 10;
/** Errors of an operation that is already in the wanted state, or has ended. */
const NOTHING_TO_DO: ReadonlySet<string> = new Set(['already-paused', 'not-paused', 'not-running', 'unknown-operation']);

type Teller = Pick<Engine, 'temporal' | 'stores'>;

/** Pauses the operations of a place before their next step. @returns the ids of newly paused ones */
export const holdOperations = (
  engine: Teller,
  rows: Rows,
  { id, createdBy, reason, ...place }: Freeze,
  told?: Set<string>,
): Promise<string[]> => tell({ engine, rows }, place, 'pause', { actor: createdBy, why: reason, freeze: id }, { told });

/** Resumes the operations that a freeze paused, but for those in places that are still frozen. @returns their ids */
export const releaseOperations = (
  engine: Teller,
  rows: Rows,
  { id, endedBy = '', ...place }: Freeze,
  active: readonly Freeze[],
): Promise<string[]> => tell({ engine, rows }, place, 'resume', { actor: endedBy, freeze: id }, { active });

async function tell(
  { engine, rows }: { engine: Teller; rows: Rows },
  place: Pick<Freeze, 'tenant' | 'workspace' | 'infra'>,
  name: 'pause' | 'resume',
  by: { actor: string; why?: string; freeze: string },
  { active = [], told }: { active?: readonly Freeze[]; told?: Set<string> | undefined },
): Promise<string[]> {
  const { temporal } = engine;
  const { workspace, infra } = place;
  const where = operationsWhere({
    ...(workspace !== EVERYWHERE && { workspace }),
    ...(infra !== EVERYWHERE && readFrozenEnvironment(place) === undefined && { infra }),
  });
  const done: string[] = [];
  const ask = async (operation: string, at: { workspace: string; infra: string }): Promise<void> => {
    const isMeant = await decideByPlace(at, { place, active }, () => findEnvironments(engine, rows, at));
    if (!isMeant) return;
    try {
      await sendToOperation(temporal, operation, name, `${name} the operation`, by);
      done.push(operation);
    } catch (error) {
      if (!(error instanceof ProvisioningError) || !NOTHING_TO_DO.has(error.details.code)) throw error;
    }
    told?.add(`${by.freeze} ${operation}`);
  };
  const failures: unknown[] = [];
  let asking: Promise<void>[] = [];
  const settle = async () => {
    for (const one of await Promise.allSettled(asking)) if (one.status === 'rejected') failures.push(one.reason);
    asking = [];
  };
  try {
    for await (const found of listWorkflows(temporal, [where, OPEN, LATEST_RUN_CONDITION].join(' AND '))) {
      const at = { workspace: attributeOf(found, 'workspace'), infra: attributeOf(found, 'infra') };
      if (told?.has(`${by.freeze} ${found.workflowId}`)) continue;
      asking.push(ask(found.workflowId, at));
      if (asking.length >= AT_ONCE) await settle();
    }
  } finally {
    await settle();
  }
  // An operation that does not answer does not keep others from the update.
  if (failures.length > 0) throw failures[0];
  return done;
}

/**
 * Returns whether an operation is to be told of a freeze: the freeze covers it, and no active one does. Its environments
 * are asked for only if a freeze of an environment decides.
 */
async function decideByPlace(
  at: { workspace: string; infra: string },
  { place, active }: { place: FreezePlace; active: readonly Freeze[] },
  find: () => Promise<readonly string[]>,
): Promise<boolean> {
  const whole = { tenant: findTenant(at.workspace), ...at };
  const mayCover = (one: FreezePlace) => coversPart(one, whole);
  if (!mayCover(place) || active.some((one) => covers(one, whole))) return false;
  const isAsked = [place, ...active].some((one) => readFrozenEnvironment(one) !== undefined && mayCover(one));
  const known = { ...whole, environments: isAsked ? await find() : [] };
  return covers(place, known) && !active.some((one) => covers(one, known));
}

/**
 * Aligns operations with the freezes: pauses operations that started since, and resumes operations whose freeze has
 * ended. A worker calls this every two seconds, so that an interrupted pass has no lasting effect.
 *
 * @param told operations that were paused before, by freeze
 */
export async function followFreezes(engine: Teller, rows: Rows, told: Set<string>, now = Date.now()): Promise<void> {
  const all = await readFreezes(rows);
  const active = all.map(({ row }) => row).filter(({ endedAt }) => endedAt === undefined);
  if (active.length === 0) told.clear();
  const failures: unknown[] = [];
  const follow = async ({ row, revision }: (typeof all)[number]): Promise<void> => {
    if (row.endedAt === undefined) {
      await holdOperations(engine, rows, row, told);
      return;
    }
    await releaseOperations(engine, rows, row, active);
    if (now - Date.parse(row.endedAt) > LINGER_MS) await rows.table(freezes).delete(row, revision);
  };
  for (const one of all) await follow(one).catch((error: unknown) => failures.push(error));
  // A freeze with an operation that does not answer does not keep others from theirs.
  if (failures.length > 0) throw failures[0];
}

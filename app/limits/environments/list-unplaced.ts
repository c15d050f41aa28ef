import { findTenant, showWorkspace } from '../../../core/tenant-names.js';
import type { Rows } from '../../../stores/rows.js';
import { EVERYWHERE } from '../../access/roles.js';
import type { Engine } from '../../engine.js';
import { queryInventory, queryLocks } from '../../infra/entity.js';
import { translateFault } from '../../temporal/fault.js';
import { attributeOf, formatCondition, listWorkflows, OPEN } from '../../temporal/visibility.js';
import { covers, type FreezePlace } from '../freezes.js';
import { findEnvironments } from './find-environments.js';
import { readFrozenEnvironment } from './frozen-environment.js';

/** Infras that are named at most: an answer is for a person. */
export const MOST_INFRAS = 1_000;
/** Infras that are asked at a time. */
const AT_ONCE = 10;

/**
 * Returns the existing infras of a frozen place that have no known environment, as `WORKSPACE/INFRA`: a freeze of an
 * environment does not hold them. Infras that do not answer are among them.
 *
 * @returns at most `MOST_INFRAS`; undefined if the freeze is not of an environment
 * @throws unreachableError `engine-not-answering`
 */
export async function listUnplaced(
  engine: Pick<Engine, 'temporal' | 'stores'>,
  rows: Rows,
  place: FreezePlace,
): Promise<string[] | undefined> {
  if (readFrozenEnvironment(place) === undefined) return undefined;
  const waiting = await listInfras(engine, place);
  const found: string[] = [];
  const ask = async () => {
    for (let next = waiting.pop(); next && found.length < MOST_INFRAS; next = waiting.pop()) {
      const environments = await findEnvironments(engine, rows, next).catch(() => []);
      // Workspaces of tenants can have equal names: only the tenant of the freeze is known from its place.
      const isOwn = findTenant(next.workspace) === place.tenant;
      if (environments.length > 0 || !(await exists(engine, next))) continue;
      found.push(`${isOwn ? showWorkspace(next.workspace) : next.workspace}/${next.infra}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return found.sort().slice(0, MOST_INFRAS);
}

/**
 * Whether an infra has anything, or an operation that works on it or waits. The entity of a deleted one is listed for a
 * moment longer, and longer still if the store does not take its last changes.
 */
async function exists(engine: Pick<Engine, 'temporal' | 'stores'>, place: { workspace: string; infra: string }): Promise<boolean> {
  try {
    if ((await queryInventory(engine as Engine, place)) !== undefined) return true;
    const { holders, waiters } = await queryLocks(engine as Engine, place);
    return holders.length + waiters.length > 0;
  } catch {
    return true;
  }
}

async function listInfras({ temporal }: Pick<Engine, 'temporal'>, place: FreezePlace) {
  const within = place.workspace === EVERYWHERE ? [] : [formatCondition('workspace', place.workspace)];
  const infras: { workspace: string; infra: string }[] = [];
  try {
    for await (const info of listWorkflows(temporal, [formatCondition('kind', 'infra'), ...within, OPEN].join(' AND '))) {
      const one = { workspace: attributeOf(info, 'workspace'), infra: attributeOf(info, 'infra') };
      const whole = { ...place, infra: EVERYWHERE };
      if (covers(whole, { tenant: findTenant(one.workspace), ...one })) infras.push(one);
    }
  } catch (error) {
    throw translateFault(error, 'the list of infras');
  }
  return infras;
}

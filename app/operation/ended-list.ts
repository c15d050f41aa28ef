import { messageOf } from '../../core/errors.js';
import { testWorkspaceOf } from '../../core/names.js';
import { findTenant, TENANT_PREFIX } from '../../core/tenant-names.js';
import { type ListedOperation, listedOperations } from '../../stores/rows/projections/listed-operations.js';
import { projectionMarks } from '../../stores/rows/projections/projection-marks.js';
import type { SortedPosition, SortedRange } from '../../stores/rows.js';
import { openRows, type RowStores } from '../open-rows.js';
import type { OperationFilter } from './operation-filter.js';

/** The name of the ended operations projection. */
export const OPERATIONS = 'operations';

/** An object with the stores of the platform. */
interface Kept {
  stores: RowStores;
}

/**
 * Returns the time before which all ends of operations are in the store. Empty if this process has no rows, or they do
 * not answer: Temporal then lists all operations that it still has.
 */
export async function readThrough({ stores }: Kept): Promise<{ through?: string }> {
  try {
    const rows = await stores.rows?.();
    const mark = await rows?.table(projectionMarks).get({ projection: OPERATIONS });
    return mark?.row.through === undefined ? {} : { through: mark.row.through };
  } catch (error) {
    console.error(`ended operations are listed as far as Temporal has them: ${messageOf(error)}`);
    return {};
  }
}

/** Ended operations of the store, the last end first. Those are left out that ended at `through` or later. */
export async function listEnded(
  { stores }: Kept,
  filter: OperationFilter,
  { through, after, limit }: { through: string; after?: SortedPosition | undefined; limit: number },
): Promise<{ rows: ListedOperation[]; more: boolean }> {
  const table = (await openRows(stores, 'list operations')).table(listedOperations);
  const pages = await Promise.all(rangesOf(filter, through).map((range) => table.listNewest({ ...range, after, limit })));
  const rows = pages.flatMap((page) => page.rows).sort((a, b) => compare(placeOf(b), placeOf(a)));
  return { rows: rows.slice(0, limit), more: rows.length > limit || pages.some(({ more }) => more) };
}

/** Counts operations in the store that ended before `through`. */
export async function countEnded({ stores }: Kept, filter: OperationFilter, through: string): Promise<number> {
  const table = (await openRows(stores, 'count operations')).table(listedOperations);
  const counts = await Promise.all(rangesOf(filter, through).map((range) => table.countSorted(range)));
  return counts.reduce((sum, count) => sum + count, 0);
}

const placeOf = ({ ended, operation }: ListedOperation): string => `${ended} ${operation}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The parts of the store's list that a filter selects. */
function rangesOf({ tenant, workspace, infra, kind, actor, checks }: OperationFilter, below: string): SortedRange[] {
  // No index has both: a workspace has one tenant.
  if (workspace && tenant !== undefined && findListTenant(workspace) !== tenant) return [];
  const where = {
    ...(workspace ? { workspace } : tenant !== undefined && { tenant }),
    ...(infra && { infra }),
    ...(kind && { kind }),
    ...(actor && { actor }),
  };
  const range = (preview: string): SortedRange => ({ where: { preview, ...where }, below });
  return checks ? [range('no'), range('yes')] : [range('no')];
}

/**
 * Returns the tenant in whose lists a workspace's operations appear. A name that only resembles a tenant's name
 * belongs to no tenant.
 */
export function findListTenant(workspace: string): string {
  const isInternal = [TENANT_PREFIX, testWorkspaceOf(TENANT_PREFIX)].some((prefix) => workspace.startsWith(prefix));
  return findTenant(workspace) || (isInternal ? '?' : '');
}

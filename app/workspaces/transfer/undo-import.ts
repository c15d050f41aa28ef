import { WorkflowNotFoundError } from '@temporalio/client';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { infraWorkflowId } from '../../../core/names.js';
import { type Freeze, freezes } from '../../../stores/rows/freezes.js';
import type { WorkspaceImport } from '../../../stores/rows/workspace-imports.js';
import type { RevisedRow, Rows, RowTable } from '../../../stores/rows.js';
import { EVERYWHERE } from '../../access/roles.js';
import { HOME_TENANT } from '../../access/service-accounts.js';
import { queryInventory, queryLocks } from '../../infra/entity.js';
import { createFreeze, endOwnFreeze, type FreezePlace } from '../../limits/freezes.js';
import { createUndoFreezeId, isUndoFreeze } from '../../limits/undo-freezes.js';
import { translateFault } from '../../temporal/fault.js';
import { findUse, type Import, waitUntilKept } from './find-use.js';
import { useRecords } from './use-records.js';

export type Imports = RowTable<WorkspaceImport, 'workspace'>;

/**
 * Undoes an import if nothing was changed since. Changes are refused in that time. It goes on in the freeze of a call
 * that was killed, and ends it.
 *
 * @throws inputError `import-unfinished`, `workspace-in-use`
 */
export async function undoImport(
  { rows, imports, actor }: { rows: Rows; imports: Imports; actor: string },
  work: Import,
  found: RevisedRow<WorkspaceImport>,
): Promise<void> {
  const place: FreezePlace = { tenant: HOME_TENANT, workspace: work.workspace, infra: EVERYWHERE };
  const reason = 'its import is being undone. If that was cut: repeat `workspace import --undo`';
  const exported = found.row.export;
  const { freeze, isNew } = await createFreeze(rows, place, { reason, by: actor, id: createUndoFreezeId(exported) });
  try {
    await removeUnused(imports, work, found);
  } catch (error) {
    // Another call that undoes it may be at work in the same freeze.
    if (isNew || !isUnfinished(error)) await endUndoFreeze(rows, { freeze, exported, actor });
    throw error;
  }
  await endUndoFreeze(rows, { freeze, exported, actor });
}

const isUnfinished = (error: unknown): boolean => error instanceof ProvisioningError && error.details.code === 'import-unfinished';

/** Ends the freeze of a call that was killed after it had removed everything. */
export async function endLeftFreeze(
  rows: Rows,
  { workspace, exported, actor }: { workspace: string; exported: string; actor: string },
): Promise<void> {
  const place: FreezePlace = { tenant: HOME_TENANT, workspace, infra: EVERYWHERE };
  const found = await rows.table(freezes).get(place);
  if (found) await endUndoFreeze(rows, { freeze: found.row, exported, actor });
}

/** Ends a freeze, unless a person made it. */
async function endUndoFreeze(
  rows: Rows,
  { freeze, exported, actor }: { freeze: Freeze; exported: string; actor: string },
): Promise<void> {
  if (isUndoFreeze(freeze, exported)) await endOwnFreeze(rows, freeze, actor);
}

async function removeUnused(imports: Imports, work: Import, { row, revision }: RevisedRow<WorkspaceImport>): Promise<void> {
  const { workspace } = work;
  const use = await findUse(work, { at: row.at, isWhole: row.state === 'done' });
  if (use.length > 0) throw inUse(workspace, use);
  // The time stays: what is done after a cut counts as well.
  const held = await imports.compareAndSet({ ...row, state: 'begun' }, revision);
  if (held === undefined) throw describeUnfinished(workspace, 'another call changes it at the moment');
  await removeImport(work);
  await imports.delete({ workspace }, held);
}

/** Removes the parts of a failed import that are not in use yet. The next call removes or completes the rest. */
export async function giveUp(
  imports: Imports,
  { work, row, begun }: { work: Import; row: WorkspaceImport; begun: string },
): Promise<void> {
  const { workspace } = work;
  // A call that continues the import needs these parts.
  const held = await imports.compareAndSet(row, begun).catch(() => undefined);
  if (held === undefined) return;
  const removed = await findUse(work, { at: row.at, isWhole: false })
    .then(async (use) => {
      if (use.length === 0) await removeImport(work);
      return use.length === 0;
    })
    .catch(() => false);
  if (removed) await imports.delete({ workspace }, held).catch(() => false);
}

/**
 * Ends the infras and removes the records. Texts by address stay, because others may refer to them.
 *
 * @throws inputError `workspace-in-use` if an infra has a new operation
 */
async function removeImport(work: Import): Promise<void> {
  const { engine, workspace, records, infras } = work;
  const own: string[] = [];
  for (const { infra, uuid } of infras) {
    const place = { workspace, infra };
    if ((await queryInventory(engine, place))?.uuid !== uuid) continue;
    // An append after its end would create a feed that nothing removes.
    await waitUntilKept(engine, place);
    own.push(infra);
  }
  for (const infra of own) {
    // One that was submitted just before the freeze may come late.
    const { holders, waiters } = await queryLocks(engine, { workspace, infra });
    if (holders.length + waiters.length > 0)
      throw inUse(
        workspace,
        [...holders, ...waiters].map(({ operation }) => operation),
      );
  }
  for (const infra of own)
    await engine.temporal.workflow
      .getHandle(infraWorkflowId(workspace, infra))
      .terminate('its import was undone')
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw translateFault(error, `infra ${infra}`);
      });
  await useRecords(engine, async (all) => {
    for (const record of records.toReversed()) if (record.kind !== 'blob') await all.remove(record);
  });
}

function inUse(on: string, use: readonly string[]) {
  const why = `it was used since: ${use.slice(0, 5).join(', ')}${use.length > 5 ? ', …' : ''}`;
  return inputError({ code: 'workspace-in-use', what: 'undo the import', on, why });
}

/** The error about an import that is not at its end. */
export const describeUnfinished = (on: string, why: string) =>
  inputError({
    code: 'import-unfinished',
    what: 'import the workspace',
    on,
    why,
    hint: 'import the same file again to continue, or with --undo to go back',
  });

import { WorkflowNotFoundError } from '@temporalio/client';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import { infraWorkflowId } from '../../../core/names.js';
import type { StoreRecord, StoreRecords } from '../../../stores/records.js';
import { endedOperations } from '../../../stores/rows/ended-operations.js';
import { type WorkspaceImport, workspaceImports } from '../../../stores/rows/workspace-imports.js';
import type { RowTable } from '../../../stores/rows.js';
import type { Engine } from '../../engine.js';
import { queryInfras, queryInventory, queryLocks } from '../../infra/entity.js';
import { beginInfra } from '../../infra/recover.js';
import { openRows } from '../../open-rows.js';
import { translateFault } from '../../temporal/fault.js';
import { findCollisions, hasChanged } from './find-collisions.js';
import { renameContent } from './rename-content.js';
import type { WorkspaceSummary } from './transfer-schemas.js';
import { useRecords } from './use-records.js';
import { findInfras, type TakenInfra, unpackContent, type WorkspaceContent } from './workspace-content.js';

const WHAT = 'import the workspace';
/** Rows that one append takes. */
const AT_ONCE = 500;

interface Asked {
  /** Name here. */
  workspace: string;
  data: string;
  actor: string;
  check: boolean;
  /** Whether servers may come that the other platform may still change. */
  takeOver: boolean;
  /** Removes what the import of this export made. */
  undo: boolean;
}

interface ImportOutcome {
  summary: WorkspaceSummary;
  /** What is in the way. */
  collisions: string[];
  outcome: 'checked' | 'imported' | 'unchanged' | 'undone';
}

type Imports = RowTable<WorkspaceImport, 'workspace'>;

interface Work {
  engine: Engine;
  workspace: string;
  records: StoreRecord[];
  infras: TakenInfra[];
}

/**
 * Brings an exported workspace to this platform: all of it, or nothing. An import that was cut is continued by the same call;
 * one that has ended changes nothing when it is repeated.
 *
 * @throws inputError `bad-export`, `import-unfinished`, `workspace-exists`, `workspace-in-use`, `workspace-not-frozen`
 */
export async function importWorkspace(engine: Engine, asked: Asked): Promise<ImportOutcome> {
  const { workspace, check, takeOver, undo, actor } = asked;
  const { records, ended, ...summary } = renameContent(await unpackContent(asked.data), workspace);
  const work: Work = { engine, workspace, records, infras: await findInfras(workspace, records) };
  const imports: Imports = (await openRows(engine.stores, WHAT)).table(workspaceImports);
  const found = await imports.get({ workspace });
  const isThis = found?.row.export === summary.id;
  if (undo) return undoImport(imports, work, summary);
  if (found?.row.state === 'done' && isThis) return { summary, collisions: [], outcome: 'unchanged' };
  if (found?.row.state === 'begun' && !isThis) throw unfinished(workspace, 'the import of another export has begun');
  const resumes = found?.row.state === 'begun';
  const collisions = resumes ? [] : await useRecords(engine, (all) => findCollisions(engine, all, work));
  if (check) return { summary, collisions, outcome: 'checked' };
  refuse(workspace, { summary, collisions, takeOver });
  const row: WorkspaceImport = { workspace, export: summary.id, state: 'begun', at: new Date().toISOString(), by: actor };
  const begun = await imports.compareAndSet(row, found?.revision);
  if (begun === undefined) throw unfinished(workspace, 'another call imports it at the moment');
  try {
    await useRecords(engine, (all) => write(all, work));
    await appendEnded(engine, ended);
  } catch (error) {
    await giveUp(imports, { work, row, begun });
    throw error;
  }
  if ((await imports.compareAndSet({ ...row, state: 'done' }, begun)) === undefined)
    throw unfinished(workspace, 'another call continues it');
  return { summary, collisions: [], outcome: 'imported' };
}

function refuse(
  on: string,
  { summary, collisions, takeOver }: { summary: WorkspaceSummary; collisions: string[]; takeOver: boolean },
): void {
  if (collisions.length > 0) {
    const why = `here already: ${collisions.slice(0, 5).join(', ')}${collisions.length > 5 ? ', …' : ''}`;
    throw inputError({ code: 'workspace-exists', what: WHAT, on, why, hint: 'import it where the workspace has nothing' });
  }
  if (summary.frozen || takeOver || summary.infras.every(({ servers }) => servers === 0)) return;
  const why = 'the platform that it comes from may still change its servers';
  const hint = 'export it without --keep; if that platform is gone: --take-over';
  throw inputError({ code: 'workspace-not-frozen', what: WHAT, on, why, hint });
}

async function write(all: StoreRecords, { engine, workspace, records, infras }: Work): Promise<void> {
  for (const record of records) await all.write(record);
  for (const { infra, uuid, known, last } of infras) {
    const place = { workspace, infra };
    try {
      await beginInfra(engine, place, { known, last });
    } catch (error) {
      // An import that was cut has begun it.
      const isThere = error instanceof ProvisioningError && error.details.code === 'infra-lives';
      if (!isThere || (await queryInventory(engine, place))?.uuid !== uuid) throw error;
    }
  }
}

/** What operations did before: an append that is repeated adds no second row. */
async function appendEnded(engine: Engine, ended: WorkspaceContent['ended']): Promise<void> {
  const log = (await openRows(engine.stores, WHAT)).log(endedOperations);
  for (let at = 0; at < ended.length; at += AT_ONCE) await log.append(ended.slice(at, at + AT_ONCE));
}

/** Removes what was made so far. What cannot be removed now is removed or completed by the next call. */
async function giveUp(imports: Imports, { work, row, begun }: { work: Work; row: WorkspaceImport; begun: string }): Promise<void> {
  const { workspace } = work;
  // Whoever continues the import meanwhile needs what was made.
  const held = await imports.compareAndSet({ ...row, at: new Date().toISOString() }, begun).catch(() => undefined);
  if (held === undefined) return;
  const removed = await remove(work).then(
    () => true,
    () => false,
  );
  if (removed) await imports.delete({ workspace }, held).catch(() => false);
}

/** Ends the infras and removes the records. Texts by address stay: others may refer to the same ones. */
async function remove({ engine, workspace, records, infras }: Work): Promise<void> {
  for (const { infra, uuid } of infras) {
    const place = { workspace, infra };
    if ((await queryInventory(engine, place))?.uuid !== uuid) continue;
    await engine.temporal.workflow
      .getHandle(infraWorkflowId(workspace, infra))
      .terminate('its import was undone')
      .catch((error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw translateFault(error, `infra ${infra}`);
      });
  }
  await useRecords(engine, async (all) => {
    for (const record of records.toReversed()) if (record.kind !== 'blob') await all.remove(record);
  });
}

/** The way back, as long as nothing has changed here since. @throws inputError `import-unfinished`, `workspace-in-use` */
async function undoImport(imports: Imports, work: Work, summary: WorkspaceSummary): Promise<ImportOutcome> {
  const { engine, workspace } = work;
  const found = await imports.get({ workspace });
  if (!found || found.row.export !== summary.id) return { summary, collisions: [], outcome: 'unchanged' };
  if (found.row.state === 'done') {
    const changed = await useRecords(engine, (all) => hasChanged(all, work.records));
    for (const infra of await queryInfras(engine, workspace)) {
      const { holders, waiters } = await queryLocks(engine, { workspace, infra });
      if (holders.length + waiters.length > 0) changed.push(`infra ${infra}, which an operation works on`);
    }
    if (changed.length > 0) {
      const why = `it has changed since: ${changed.slice(0, 5).join(', ')}`;
      throw inputError({ code: 'workspace-in-use', what: 'undo the import', on: workspace, why });
    }
  }
  const held = await imports.compareAndSet({ ...found.row, state: 'begun', at: new Date().toISOString() }, found.revision);
  if (held === undefined) throw unfinished(workspace, 'another call changes it at the moment');
  await remove(work);
  await imports.delete({ workspace }, held);
  return { summary, collisions: [], outcome: 'undone' };
}

const unfinished = (on: string, why: string) =>
  inputError({
    code: 'import-unfinished',
    what: WHAT,
    on,
    why,
    hint: 'import the same file again to continue, or with --undo to go back',
  });

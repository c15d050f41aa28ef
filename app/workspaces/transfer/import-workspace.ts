import { inputError, ProvisioningError } from '../../../core/errors.js';
import { unpackFeed } from '../../../stores/feeds.js';
import type { StoreRecord, StoreRecords } from '../../../stores/records.js';
import { endedOperations } from '../../../stores/rows/ended-operations.js';
import { type WorkspaceImport, workspaceImports } from '../../../stores/rows/workspace-imports.js';
import type { Engine } from '../../engine.js';
import { queryInventory } from '../../infra/entity.js';
import { beginInfra } from '../../infra/recover.js';
import { openRows } from '../../open-rows.js';
import { findCollisions } from './find-collisions.js';
import type { Import } from './find-use.js';
import { renameContent } from './rename-content.js';
import type { WorkspaceSummary } from './transfer-schemas.js';
import { describeUnfinished, endLeftFreeze, giveUp, type Imports, undoImport } from './undo-import.js';
import { useRecords } from './use-records.js';
import { findInfras, unpackContent, type WorkspaceContent } from './workspace-content.js';

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
  /** Collisions with the present workspace. */
  collisions: string[];
  outcome: 'checked' | 'imported' | 'unchanged' | 'undone';
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
  const work: Import = { engine, workspace, records, infras: await findInfras(workspace, records) };
  const rows = await openRows(engine.stores, WHAT);
  const imports: Imports = rows.table(workspaceImports);
  const found = await imports.get({ workspace });
  const isThis = found?.row.export === summary.id;
  // With both, it only looks: what an import would find here is in the answer.
  if (undo && !check) {
    if (!found || !isThis) {
      await endLeftFreeze(rows, { workspace, exported: summary.id, actor });
      return { summary, collisions: [], outcome: 'unchanged' };
    }
    await undoImport({ rows, imports, actor }, work, found);
    return { summary, collisions: [], outcome: 'undone' };
  }
  if (found?.row.state === 'done' && isThis) return { summary, collisions: [], outcome: 'unchanged' };
  if (found?.row.state === 'begun' && !isThis) throw describeUnfinished(workspace, 'the import of another export has begun');
  const resumes = found?.row.state === 'begun';
  const collisions = resumes ? [] : await useRecords(engine, (all) => findCollisions(engine, all, work));
  if (check) return { summary, collisions, outcome: 'checked' };
  refuse(workspace, { summary, collisions, takeOver });
  // Changes since the first attempt count as use.
  const at = resumes ? found.row.at : new Date().toISOString();
  const row: WorkspaceImport = { workspace, export: summary.id, state: 'begun', at, by: actor };
  const begun = await imports.compareAndSet(row, found?.revision);
  if (begun === undefined) throw describeUnfinished(workspace, 'another call imports it at the moment');
  try {
    await useRecords(engine, (all) => write(all, work));
    await appendEnded(engine, ended);
  } catch (error) {
    await giveUp(imports, { work, row, begun });
    throw error;
  }
  if ((await imports.compareAndSet({ ...row, state: 'done' }, begun)) === undefined)
    throw describeUnfinished(workspace, 'another call continues it');
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

async function write(all: StoreRecords, { engine, workspace, records, infras }: Import): Promise<void> {
  for (const record of records) if (!(await isKept(engine, record))) await all.write(record);
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

/**
 * Whether the store has a feed already. An import that was cut has written it, and its infra has begun: it has added a
 * snapshot since, after which the store refuses what came before.
 */
async function isKept(engine: Engine, { kind, name, bytes }: StoreRecord): Promise<boolean> {
  if (kind !== 'feed') return false;
  const [workspace = '', infra = '', uuid = ''] = name;
  const head = (await engine.stores.feeds.heads({ workspace, infra })).find((one) => one.uuid === uuid);
  return head !== undefined && head.last >= ((await unpackFeed(bytes)).at(-1)?.sequence ?? 0);
}

/** Records of former operations. A repeated append adds no second row. */
async function appendEnded(engine: Engine, ended: WorkspaceContent['ended']): Promise<void> {
  const log = (await openRows(engine.stores, WHAT)).log(endedOperations);
  for (let at = 0; at < ended.length; at += AT_ONCE) await log.append(ended.slice(at, at + AT_ONCE));
}

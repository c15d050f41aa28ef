import { inputError, ProvisioningError } from '../../../core/errors.js';
import { unpackFeed } from '../../../stores/feeds.js';
import type { StoreRecord, StoreRecords } from '../../../stores/records.js';
import { endedOperations } from '../../../stores/rows/ended-operations.js';
import { type WorkspaceImport, workspaceImports } from '../../../stores/rows/workspace-imports.js';
import type { Rows } from '../../../stores/rows.js';
import type { Engine } from '../../engine.js';
import { queryInventory } from '../../infra/entity.js';
import { beginInfra } from '../../infra/recover.js';
import { openRows } from '../../open-rows.js';
import { findCollisions } from './find-collisions.js';
import type { Import } from './find-use.js';
import { endUpload, readUpload } from './parts/keep-parts.js';
import { readContent } from './parts/stream-content.js';
import { readBundleRecord, recordEnvironments } from './record-environments.js';
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
  /** Its content, or the upload that has it. */
  data?: string | undefined;
  upload?: string | undefined;
  actor: string;
  check: boolean;
  /** Whether servers may come that the other platform may still change. */
  takeOver: boolean;
  /** Removes what the import of this export made. */
  undo: boolean;
}

/** Subject of an import, with the texts by address that are not in memory. */
interface Work extends Import {
  named: WorkspaceSummary['infras'];
  texts?: () => AsyncIterable<StoreRecord>;
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
 * @throws inputError `bad-export`, `bad-request`, `import-unfinished`, `unknown-transfer`, `upload-unfinished`, `workspace-exists`, `workspace-in-use`, `workspace-not-frozen`
 */
export async function importWorkspace(engine: Engine, asked: Asked): Promise<ImportOutcome> {
  const outcome = await importContent(engine, asked);
  // It stays until the import has ended: one that was cut goes on with it.
  if (asked.upload !== undefined && !asked.check) await endUpload(engine, asked.workspace, asked.upload).catch(() => {});
  return outcome;
}

async function importContent(engine: Engine, asked: Asked): Promise<ImportOutcome> {
  const { workspace, check, takeOver, undo, actor } = asked;
  const { texts, ...content } = await readAsked(engine, asked);
  const { records, ended, ...summary } = renameContent(content, workspace);
  const isRenamed = content.workspace !== workspace;
  const work: Work = {
    engine,
    workspace,
    records,
    infras: await findInfras(workspace, records),
    named: summary.infras,
    ...(!isRenamed && { texts }),
  };
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
    await useRecords(engine, (all) => write(all, rows, work));
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

/** Reads the content of a call. Texts by address of an upload stay in the store: all of them may be larger than the memory. */
async function readAsked(engine: Engine, { workspace, data, upload }: Asked): Promise<WorkspaceContent & Pick<Work, 'texts'>> {
  if ((data === undefined) === (upload === undefined)) {
    const why = 'it has to have either `data` or `upload`';
    throw inputError({ code: 'bad-request', what: WHAT, on: workspace, why });
  }
  if (data !== undefined || upload === undefined) return unpackContent(data ?? '');
  let summary: WorkspaceSummary | undefined;
  const read = () =>
    readContent(readUpload(engine, workspace, upload), (found) => {
      summary = found;
    });
  const content: Pick<WorkspaceContent, 'records' | 'ended'> = { records: [], ended: [] };
  for await (const one of read()) {
    if ('ended' in one) content.ended.push(one.ended);
    else if (one.record.kind !== 'blob') content.records.push(one.record);
  }
  async function* texts(): AsyncGenerator<StoreRecord> {
    for await (const one of read()) if ('record' in one && one.record.kind === 'blob') yield one.record;
  }
  return { ...(summary as unknown as WorkspaceSummary), ...content, texts };
}

async function write(all: StoreRecords, rows: Rows, { engine, workspace, records, infras, named, texts }: Work): Promise<void> {
  const bundles = records.flatMap((record) => readBundleRecord(record) ?? []);
  if (texts)
    for await (const text of texts()) {
      await all.write(text);
      bundles.push(...[readBundleRecord(text) ?? []].flat());
    }
  await recordEnvironments(rows, { workspace, infras, named }, bundles);
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

import { randomUUID } from 'node:crypto';
import { canonical } from '../../../core/encoding/hash.js';
import { inputError } from '../../../core/errors.js';
import { readIdentity } from '../../../home/identity.js';
import type { StoreRecord, StoreRecords } from '../../../stores/records.js';
import { chooseSecrets } from '../../../stores/records-into.js';
import { type EndedOperation, endedOperations } from '../../../stores/rows/ended-operations.js';
import type { ScopedSecrets } from '../../../stores/secrets.js';
import { EVERYWHERE } from '../../access/roles.js';
import { HOME_TENANT } from '../../access/service-accounts.js';
import type { Engine } from '../../engine.js';
import { homeOfEngine } from '../../home-of-engine.js';
import { queryInfras, queryInventory, queryLocks } from '../../infra/entity.js';
import { readEnvironments } from '../../limits/environments/find-environments.js';
import { createFreeze, endOwnFreeze, type FreezePlace } from '../../limits/freezes.js';
import { openRows } from '../../open-rows.js';
import { operationsWhere } from '../../operation/list.js';
import { requireSecretStore } from '../../secret/chosen-secret.js';
import { translateFault } from '../../temporal/fault.js';
import { LATEST_RUN_CONDITION, listWorkflows, OPEN } from '../../temporal/visibility.js';
import { requireRegisteredWorkspace } from '../registered-workspace.js';
import { keepExport } from './parts/keep-parts.js';
import { writeContent } from './parts/stream-content.js';
import { isUnknownTransfer, type ListedPart } from './parts/transfer-slots.js';
import type { WorkspaceSummary } from './transfer-schemas.js';
import { useRecords } from './use-records.js';
import { belongsTo, findInfras, packContent, TAKEN_KINDS, type TakenInfra, type WorkspaceContent } from './workspace-content.js';

const WHAT = 'export the workspace';

interface Asked {
  workspace: string;
  /** Only says what an export would contain. */
  check: boolean;
  /** Whether changes in the workspace stay allowed. */
  keep: boolean;
  actor: string;
  /** Whether the content is kept in parts, of any size, instead of being returned. */
  inParts: boolean;
}

interface Exported {
  summary: WorkspaceSummary;
  data?: string;
  download?: { id: string; parts: ListedPart[] };
}

/**
 * All of a workspace as text. Changes in it are refused from then on, so that no two platforms change the same servers.
 *
 * @throws inputError `unknown-workspace`, `workspace-busy` while operations run, `too-large`; in parts also `unknown-transfer`
 */
export async function exportWorkspace(engine: Engine, { workspace, check, keep, actor, inParts }: Asked): Promise<Exported> {
  await refuseBusy(engine, workspace);
  const take = (frozen: boolean) => takeWorkspace(engine, { workspace, actor, frozen, lean: check || inParts });
  const pack = inParts ? keptInParts : packed;
  if (check) return { summary: summarize(await take(!keep)) };
  if (keep) return pack(engine, actor, await take(false));
  const rows = await openRows(engine.stores, WHAT);
  const place: FreezePlace = { tenant: HOME_TENANT, workspace, infra: EVERYWHERE };
  const reason = `exported by ${actor}: another platform manages its servers once the export is imported there`;
  const { freeze, isNew } = await createFreeze(rows, place, { reason, by: actor });
  try {
    // An operation that began just before is in the list by now, or holds its locks.
    await refuseBusy(engine, workspace);
    return await pack(engine, actor, await take(true));
  } catch (error) {
    // Another call has replaced this export. It found the freeze, and its content says so.
    if (isNew && !isUnknownTransfer(error)) await endOwnFreeze(rows, freeze, actor);
    throw error;
  }
}

async function packed(engine: Engine, actor: string, content: WorkspaceContent): Promise<Exported> {
  const data = await packContent(content);
  await noteReads(engine, actor, content);
  return { summary: summarize(content), data };
}

/** Reads texts by address a second time, one by one: all of them together may be larger than the memory. */
async function keptInParts(engine: Engine, actor: string, content: WorkspaceContent): Promise<Exported> {
  const { workspace } = content;
  const download = await useRecords(engine, (all) =>
    keepExport(engine, { workspace, by: actor }, writeContent(content, readAll(all, content))),
  );
  await noteReads(engine, actor, content);
  return { summary: summarize(content), download };
}

async function* readAll(all: Pick<StoreRecords, 'read'>, { workspace, records }: WorkspaceContent): AsyncGenerator<StoreRecord> {
  for await (const record of all.read('blob')) if (belongsTo(workspace, record)) yield record;
  yield* records;
}

async function noteReads(engine: Engine, actor: string, content: WorkspaceContent): Promise<void> {
  const secrets = requireSecretStore(engine);
  const read = { at: new Date().toISOString(), by: actor, how: 'workspace export' as const };
  for (const { kind, name } of content.records) {
    // Names of other kinds are no scopes: a text by its address has only this.
    if (kind !== 'secret') continue;
    const [workspace = '', infra = '', secret = ''] = name;
    const scope: ScopedSecrets = chooseSecrets({ secrets }, workspace, infra);
    await scope.noteRead(secret, read);
  }
}

const summarize = ({ records: _, ended: __, ...summary }: WorkspaceContent): WorkspaceSummary => summary;

/** @throws inputError `workspace-busy` */
async function refuseBusy(engine: Engine, workspace: string): Promise<void> {
  const query = [operationsWhere({ workspace }), OPEN, LATEST_RUN_CONDITION].join(' AND ');
  const working: string[] = [];
  try {
    for await (const { workflowId } of listWorkflows(engine.temporal, query)) working.push(workflowId);
  } catch (error) {
    throw translateFault(error, `workspace ${workspace}`);
  }
  for (const infra of await queryInfras(engine, workspace)) {
    const { holders, waiters } = await queryLocks(engine, { workspace, infra });
    for (const { operation } of [...holders, ...waiters]) if (!working.includes(operation)) working.push(operation);
  }
  if (working.length === 0) return;
  const why = `operations are not at their end: ${working.slice(0, 5).join(', ')}${working.length > 5 ? ', …' : ''}`;
  throw inputError({ code: 'workspace-busy', what: WHAT, on: workspace, why, hint: 'wait for their end, or cancel them' });
}

async function takeWorkspace(
  engine: Engine,
  { workspace, actor, frozen, lean }: { workspace: string; actor: string; frozen: boolean; lean: boolean },
): Promise<WorkspaceContent> {
  const { home } = homeOfEngine(engine);
  const { records, texts } = await useRecords(engine, (all) => collectRecords(all, workspace, lean));
  const infras = await findInfras(workspace, records);
  await checkFeeds(engine, workspace, infras);
  const ended = await readEnded(engine, workspace);
  // Refused with the nearest name.
  if (records.length + texts === 0 && ended.length === 0) requireRegisteredWorkspace(home, workspace);
  return {
    ...{ id: randomUUID(), workspace, at: new Date().toISOString(), by: actor, frozen },
    setUp: (await readIdentity(home))?.id ?? '',
    infras: await Promise.all(infras.map((one) => summarizeInfra(engine, workspace, one))),
    secrets: records.filter(({ kind }) => kind === 'secret').length,
    operations: ended.length,
    sources: texts,
    ...{ records, ended },
  };
}

async function summarizeInfra(engine: Engine, workspace: string, { infra, uuid, known: { inventory } }: TakenInfra) {
  const rows = await openRows(engine.stores, WHAT);
  // The definition of a batch has no files that say it.
  const environments = (await readEnvironments(rows, { workspace, infra })) ?? [];
  return {
    ...{ infra, uuid },
    servers: Object.keys(inventory.servers).length,
    networks: Object.keys(inventory.networks).length,
    ...(environments.length > 0 && { environments }),
  };
}

/** @param lean whether texts by address are only counted */
async function collectRecords(all: Pick<StoreRecords, 'read'>, workspace: string, lean: boolean) {
  const records: StoreRecord[] = [];
  let texts = 0;
  for (const kind of TAKEN_KINDS)
    for await (const record of all.read(kind)) {
      if (!belongsTo(workspace, record)) continue;
      if (kind === 'blob') texts++;
      if (kind !== 'blob' || !lean) records.push(record);
    }
  return { records, texts };
}

/** Compares what the infras know with what their feeds say: an import rebuilds them from these. @throws inputError `workspace-busy` */
async function checkFeeds(engine: Engine, workspace: string, infras: Awaited<ReturnType<typeof findInfras>>): Promise<void> {
  for (const infra of await queryInfras(engine, workspace)) {
    const inventory = await queryInventory(engine, { workspace, infra });
    const fed = infras.find((one) => one.infra === infra && one.uuid === inventory?.uuid);
    if (inventory === undefined || (fed && canonical(fed.known.inventory) === canonical(inventory))) continue;
    const why = 'its feed does not have all of its changes';
    const hint = 'provisioning status says why, and whether it will have them soon';
    throw inputError({ code: 'workspace-busy', what: WHAT, on: `${workspace}/${infra}`, why, hint });
  }
}

async function readEnded(engine: Engine, workspace: string): Promise<EndedOperation[]> {
  const log = (await openRows(engine.stores, WHAT)).log(endedOperations);
  const found: EndedOperation[] = [];
  for (let after: string | undefined; ; ) {
    const page = await log.list({ limit: 1_000, ...(after !== undefined && { after }) });
    found.push(...page.rows.map(({ row }) => row).filter((row) => row.workspace === workspace));
    if (page.next === undefined) return found;
    after = page.next;
  }
}

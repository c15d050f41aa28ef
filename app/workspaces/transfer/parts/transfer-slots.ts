import { createHash, randomUUID } from 'node:crypto';
import { inputError, ProvisioningError } from '../../../../core/errors.js';
import { LIMITS, sizeText } from '../../../../core/limits.js';
import { type WorkspaceTransfer, workspaceTransfers } from '../../../../stores/rows/workspaces/workspace-transfers.js';
import type { RevisedRow, Rows } from '../../../../stores/rows.js';

/** Open transfers of all workspaces together. */
const SLOTS = 8;
/** Time after the last part at which a transfer is removed, in milliseconds. */
const IDLE_MS = 24 * 60 * 60_000;

export type ListedPart = Pick<WorkspaceTransfer['parts'][number], 'hash' | 'size'>;

/** With a mark, only as it was opened then: the same file opens an import of the same id again. */
type Named = Pick<WorkspaceTransfer, 'kind' | 'workspace' | 'id'> & Partial<Pick<WorkspaceTransfer, 'mark'>>;

/** Removes the texts of parts from the store. */
export type RemoveParts = (addresses: readonly string[]) => Promise<void>;

/** Returns the id of an upload. It covers the whole content: its parts in their order, each with hash and size. */
export const hashUpload = (workspace: string, parts: readonly ListedPart[]): string =>
  createHash('sha256')
    .update(JSON.stringify([workspace, parts.map(({ hash, size }) => [hash, size])]))
    .digest('hex');

/** @throws inputError `too-large`, `bad-export` for a part of no size */
export function checkParts(workspace: string, parts: readonly ListedPart[]): void {
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const what = 'take the parts of the workspace';
  if (size > LIMITS.workspaceTransfer) {
    const why = `they have ${sizeText(size)}, at most ${sizeText(LIMITS.workspaceTransfer)} are allowed`;
    throw inputError({ code: 'too-large', what, on: workspace, why });
  }
  // Only the last part may be shorter: otherwise a list of the allowed length could name any number of small ones.
  if (parts.slice(0, -1).some((part) => part.size !== LIMITS.workspacePart))
    throw inputError({
      code: 'bad-export',
      what,
      on: workspace,
      why: `a part other than the last one has not ${LIMITS.workspacePart} bytes`,
    });
}

/**
 * Opens a transfer, or finds it if it is open. Another transfer of the same kind and workspace is replaced: a file is
 * exported or imported once more.
 *
 * @throws inputError `too-many-transfers`
 */
export async function openTransfer(
  rows: Rows,
  wanted: Pick<WorkspaceTransfer, 'id' | 'kind' | 'workspace' | 'by' | 'parts'>,
  removeParts: RemoveParts,
  now = Date.now(),
): Promise<WorkspaceTransfer> {
  const table = rows.table(workspaceTransfers);
  for (;;) {
    const { rows: open } = await table.list({ limit: SLOTS });
    const { kind, workspace, id } = wanted;
    const same = open.find(({ row }) => isSame(row, { kind, workspace, id }));
    if (same) return same.row;
    const replaced = open.find(({ row }) => (row.kind === wanted.kind && row.workspace === wanted.workspace) || isOver(row, now));
    if (replaced) {
      await closeTransfer(rows, replaced, removeParts);
      continue;
    }
    const taken = new Set(open.map(({ row }) => row.slot));
    const slot = Array.from({ length: SLOTS }, (_, at) => String(at)).find((one) => !taken.has(one));
    if (slot === undefined) {
      const why = `${SLOTS} exports and imports are open at the moment, the most that are kept`;
      const hint = 'end one of them, or wait: idle ones are removed after a day';
      throw inputError({ code: 'too-many-transfers', what: 'move the workspace', on: wanted.workspace, why, hint });
    }
    const row: WorkspaceTransfer = { ...wanted, slot, mark: randomUUID(), at: new Date(now).toISOString() };
    if (await table.compareAndSet(row, undefined)) return row;
  }
}

const isSame = (row: WorkspaceTransfer, { id, kind, workspace, mark = row.mark }: Named): boolean =>
  row.id === id && row.kind === kind && row.workspace === workspace && row.mark === mark;

const isOver = ({ at }: WorkspaceTransfer, now: number): boolean => now - Date.parse(at) > IDLE_MS;

/** Returns an open transfer of a workspace. @throws inputError `unknown-transfer` also for one of another workspace */
export async function findTransfer(rows: Rows, wanted: Named): Promise<RevisedRow<WorkspaceTransfer>> {
  const { rows: open } = await rows.table(workspaceTransfers).list({ limit: SLOTS });
  const found = open.find(({ row }) => isSame(row, wanted));
  if (found) return found;
  const why = 'no such transfer of the workspace is open';
  const hint = wanted.kind === 'import' ? 'import the file again' : 'export the workspace again';
  throw inputError({ code: 'unknown-transfer', what: 'find the parts of the workspace', on: wanted.workspace, why, hint });
}

/** Whether a transfer has ended, or another one of the workspace has replaced it. */
export const isUnknownTransfer = (error: unknown): boolean =>
  error instanceof ProvisioningError && error.details.code === 'unknown-transfer';

/**
 * Notes where parts are kept, or will be. Parts that are kept keep their place.
 *
 * @param addresses addresses of texts, by the hash of the part
 * @throws inputError `unknown-transfer` also if the transfer was opened again since: its parts have other texts
 */
export async function noteParts(
  rows: Rows,
  transfer: WorkspaceTransfer,
  as: 'coming' | 'kept',
  addresses: ReadonlyMap<string, string>,
): Promise<WorkspaceTransfer> {
  for (;;) {
    const { row, revision } = await findTransfer(rows, transfer);
    const parts = row.parts.map((part) => {
      const address = addresses.get(part.hash);
      if (address === undefined || part.kept !== undefined) return part;
      return { hash: part.hash, size: part.size, [as]: address };
    });
    const next = { ...row, parts, at: new Date().toISOString() };
    if (await rows.table(workspaceTransfers).compareAndSet(next, revision)) return next;
  }
}

/** Adds the next part of an export. It is noted before it is kept, so that a process that is killed leaves no text behind. */
export async function appendPart(rows: Rows, transfer: Named, part: WorkspaceTransfer['parts'][number]): Promise<void> {
  for (;;) {
    const { row, revision } = await findTransfer(rows, transfer);
    const next = { ...row, parts: [...row.parts, part], at: new Date().toISOString() };
    if (await rows.table(workspaceTransfers).compareAndSet(next, revision)) return;
  }
}

/** Ends a transfer, and removes its parts. A transfer that is not open is ignored. */
export async function endTransfer(rows: Rows, transfer: Named, removeParts: RemoveParts): Promise<void> {
  const { rows: open } = await rows.table(workspaceTransfers).list({ limit: SLOTS });
  for (const one of open) if (isSame(one.row, transfer)) await closeTransfer(rows, one, removeParts);
}

/** Ends the transfers to which no part has come for a day. @returns their number */
export async function sweepTransfers(rows: Rows, removeParts: RemoveParts, now = Date.now()): Promise<number> {
  const { rows: open } = await rows.table(workspaceTransfers).list({ limit: SLOTS });
  const over = open.filter(({ row }) => isOver(row, now));
  for (const one of over) await closeTransfer(rows, one, removeParts);
  return over.length;
}

/** Removes a transfer. A process that is killed in between leaves the row without an id, which the next call removes. */
async function closeTransfer(
  rows: Rows,
  { row, revision }: RevisedRow<WorkspaceTransfer>,
  removeParts: RemoveParts,
): Promise<void> {
  const table = rows.table(workspaceTransfers);
  const closed = await table.compareAndSet({ ...row, id: '', at: new Date(0).toISOString() }, revision);
  if (closed === undefined) return;
  await removeParts([...new Set(row.parts.flatMap(({ kept, coming }) => [kept ?? [], coming ?? []].flat()))]);
  await table.delete({ slot: row.slot }, closed);
}

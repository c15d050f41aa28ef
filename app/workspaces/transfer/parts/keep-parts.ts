import { createHash, randomBytes } from 'node:crypto';
import { inputError } from '../../../../core/errors.js';
import { LIMITS } from '../../../../core/limits.js';
import type { WorkspaceTransfer } from '../../../../stores/rows/workspaces/workspace-transfers.js';
import type { Rows } from '../../../../stores/rows.js';
import type { Engine } from '../../../engine.js';
import { openRows } from '../../../open-rows.js';
import { useRecords } from '../use-records.js';
import {
  appendPart,
  checkParts,
  endTransfer,
  findTransfer,
  hashUpload,
  isUnknownTransfer,
  type ListedPart,
  noteParts,
  openTransfer,
  type RemoveParts,
} from './transfer-slots.js';

const WHAT = 'move the workspace';

/** The text that a part is kept as. Transfers share no texts, so that the end of one removes nothing of another. */
const headOf = ({ mark }: Pick<WorkspaceTransfer, 'mark'>): string => `part of ${mark}\n`;

export const hashBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Removes parts from the engine's store. */
export const createPartRemover =
  (engine: Engine): RemoveParts =>
  (addresses) =>
    addresses.length === 0
      ? Promise.resolve()
      : useRecords(engine, async (all) => {
          for (const address of addresses) await all.remove({ kind: 'blob', name: [address], bytes: Buffer.alloc(0) });
        });

/**
 * Takes parts of an exported workspace. Parts that came before a connection was cut are not asked for again.
 *
 * @param sent bytes of parts in base64, by hash
 * @returns the id of the upload, and the hashes of parts that have not come yet
 * @throws inputError `bad-export` for a part that is not listed or has another size or hash, `too-large`,
 *   `too-many-transfers`, `unknown-transfer` if the upload ends meanwhile
 */
export async function takeParts(
  engine: Engine,
  { workspace, by, parts }: { workspace: string; by: string; parts: readonly ListedPart[] },
  sent: Readonly<Record<string, string>>,
): Promise<{ upload: string; missing: string[] }> {
  checkParts(workspace, parts);
  const rows = await openRows(engine.stores, WHAT);
  const plain = parts.map(({ hash, size }) => ({ hash, size }));
  const named = { kind: 'import', workspace, id: hashUpload(workspace, plain) } as const;
  const row = await openTransfer(rows, { ...named, by, parts: plain }, createPartRemover(engine));
  const known = new Map(row.parts.map((part) => [part.hash, part]));
  const texts = new Map<string, string>();
  for (const [hash, data] of Object.entries(sent)) {
    const part = known.get(hash);
    const bytes = Buffer.from(data, 'base64');
    if (!part || bytes.length !== part.size || hashBytes(bytes) !== hash)
      throw damaged(workspace, 'a part has another hash or size than the list says');
    if (part.kept === undefined) texts.set(hash, headOf(row) + bytes.toString('base64'));
  }
  const next = texts.size === 0 ? row : await putParts(engine, rows, row, texts);
  const missing = next.parts.filter((part) => part.kept === undefined).map(({ hash }) => hash);
  return { upload: row.id, missing: [...new Set(missing)] };
}

/** Keeps parts of an upload. They are noted before, so that a process that is killed leaves no text behind. */
async function putParts(
  engine: Engine,
  rows: Rows,
  transfer: WorkspaceTransfer,
  texts: ReadonlyMap<string, string>,
): Promise<WorkspaceTransfer> {
  const addresses = new Map([...texts].map(([hash, text]) => [hash, hashBytes(Buffer.from(text))]));
  await noteParts(rows, transfer, 'coming', addresses);
  for (const text of texts.values()) await putText(engine, rows, transfer, text);
  return noteParts(rows, transfer, 'kept', addresses);
}

/** Keeps a text that is noted. The end of a transfer removes what is there by then, and nothing that comes after it. */
async function putText(engine: Engine, rows: Rows, transfer: WorkspaceTransfer, text: string): Promise<void> {
  const address = await engine.stores.blobs.put(text);
  try {
    await findTransfer(rows, transfer);
  } catch (error) {
    if (isUnknownTransfer(error)) await createPartRemover(engine)([address]);
    throw error;
  }
}

/** Reads the parts of an upload in order, each checked by its hash. @throws inputError `unknown-transfer`, `upload-unfinished`, `bad-export` */
export async function* readUpload(engine: Engine, workspace: string, upload: string): AsyncGenerator<Buffer> {
  const rows = await openRows(engine.stores, WHAT);
  const { row } = await findTransfer(rows, { kind: 'import', workspace, id: upload });
  const missing = row.parts.filter(({ kept }) => kept === undefined).length;
  if (missing > 0) {
    const why = `${missing} of its ${row.parts.length} parts have not come yet`;
    throw inputError({ code: 'upload-unfinished', what: WHAT, on: workspace, why, hint: 'import the file again to continue' });
  }
  for (const { hash } of row.parts) yield await readKept(engine, row, hash);
}

/** Returns a part of an export, in base64. @throws inputError `unknown-transfer` */
export async function readExportPart(
  engine: Engine,
  { workspace, download, part }: { workspace: string; download: string; part: string },
): Promise<string> {
  const rows = await openRows(engine.stores, WHAT);
  const { row } = await findTransfer(rows, { kind: 'export', workspace, id: download });
  return (await readKept(engine, row, part)).toString('base64');
}

async function readKept(engine: Engine, transfer: WorkspaceTransfer, hash: string): Promise<Buffer> {
  const { workspace, parts } = transfer;
  const part = parts.find((one) => one.hash === hash);
  if (part?.kept === undefined) throw damaged(workspace, 'the transfer has no part with this hash');
  const text = await engine.stores.blobs.get(part.kept);
  const head = headOf(transfer);
  const bytes = Buffer.from(text.slice(head.length), 'base64');
  if (!text.startsWith(head) || hashBytes(bytes) !== hash) throw damaged(workspace, 'a part was altered in the store');
  return bytes;
}

/**
 * Keeps the content of an export in parts, for a day. At most a part of it is in memory.
 *
 * @throws inputError `too-large`, `too-many-transfers`, `unknown-transfer` if another export of the workspace replaces it
 */
export async function keepExport(
  engine: Engine,
  { workspace, by }: { workspace: string; by: string },
  content: AsyncIterable<Uint8Array>,
): Promise<{ id: string; parts: ListedPart[] }> {
  const rows = await openRows(engine.stores, WHAT);
  const removeParts = createPartRemover(engine);
  const named = { kind: 'export', workspace, id: randomBytes(32).toString('hex') } as const;
  const transfer = await openTransfer(rows, { ...named, by, parts: [] }, removeParts);
  const parts: ListedPart[] = [];
  try {
    for await (const bytes of cutParts(content)) {
      const part = { hash: hashBytes(bytes), size: bytes.length };
      checkParts(workspace, [...parts, part]);
      parts.push(part);
      const text = headOf(transfer) + bytes.toString('base64');
      await appendPart(rows, transfer, { ...part, kept: hashBytes(Buffer.from(text)) });
      await putText(engine, rows, transfer, text);
    }
    return { id: named.id, parts };
  } catch (error) {
    await endTransfer(rows, named, removeParts).catch(() => {});
    throw error;
  }
}

async function* cutParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < LIMITS.workspacePart) continue;
    const all = Buffer.concat(waiting);
    let at = 0;
    for (; all.length - at >= LIMITS.workspacePart; at += LIMITS.workspacePart) yield all.subarray(at, at + LIMITS.workspacePart);
    waiting = [all.subarray(at)];
    size = all.length - at;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/** Ends an upload whose content was imported. */
export const endUpload = async (engine: Engine, workspace: string, id: string): Promise<void> =>
  endTransfer(await openRows(engine.stores, WHAT), { kind: 'import', workspace, id }, createPartRemover(engine));

const damaged = (on: string, why: string) => inputError({ code: 'bad-export', what: WHAT, on, why });

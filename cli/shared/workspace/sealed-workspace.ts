import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import {
  type WorkspaceParts,
  type WorkspaceSummary,
  workspaceData,
  workspaceParts,
  workspaceSummary,
} from '../../../app/workspaces/transfer/transfer-schemas.js';
import { inputError, messageOf } from '../../../core/errors.js';
import { LIMITS, sizeText } from '../../../core/limits.js';
import { findAgeStream, openAgeStream, sealAgeStream } from '../../../encryption/age-stream.js';
import { type AgeFile, type Lock, openAgeFile, readAgeFile, SEALED_FILE, sealAgeText } from '../../../encryption/age-text.js';
import { identitiesIn } from '../../../encryption/kms/age.js';
import { createFile } from '../../../home/durable.js';
import type { Session } from '../../program/session.js';
import { promptPassphrase } from '../keys/passphrase.js';

const head = z.strictObject({ provisioning: z.literal('sealed workspace 2'), summary: workspaceSummary, parts: workspaceParts });

/** Form of former releases: the whole content is a text. */
const form = z.strictObject({ provisioning: z.literal('sealed workspace 1'), summary: workspaceSummary, data: workspaceData });

/** An opened file. Its content is in it, or is read from it piece by piece, once. */
export type SealedWorkspace = { summary: WorkspaceSummary } & (
  | { data: string }
  | { parts: WorkspaceParts; content: AsyncIterable<Uint8Array> }
);

/** age and its armor add less than half to a text. */
const MOST_TEXT = LIMITS.workspace * 1.5;
/** age adds 16 bytes to each 64 KiB. */
const MOST_BYTES = LIMITS.workspaceTransfer * 1.01;
/** Bytes of the first line, which lists all parts. */
const MOST_HEAD = 1024 * 1024;

/** By what a file is going to be encrypted: age recipients, or a passphrase that is asked for. */
export const chooseLock = async (session: Session, recipients: readonly string[]): Promise<Lock> =>
  recipients.length > 0 ? { recipients } : { passphrase: await promptPassphrase(session, 'new', 'exported workspace') };

/** Refuses a file that is there, before anything is done. @throws inputError `file-exists` */
export async function refuseExisting(path: string): Promise<void> {
  if (await stat(path).catch(() => undefined)) throw exists(path);
}

/**
 * Writes an exported workspace as an age file of mode 600.
 *
 * @throws inputError `file-exists`, `sealed-file` for what is no recipient
 */
export async function writeSealedWorkspace(
  path: string,
  { summary, parts, content }: { summary: WorkspaceSummary; parts: WorkspaceParts; content: AsyncIterable<Uint8Array> },
  lock: Lock,
): Promise<void> {
  async function* plain(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify({ provisioning: 'sealed workspace 2', summary, parts })}\n`);
    yield* content;
  }
  if (!(await createFile(path, sealAgeStream(plain(), lock, path)))) throw exists(path);
}

/** Tries the recipients before a workspace is frozen for them. @throws inputError `sealed-file` */
export async function checkLock(path: string, lock: Lock): Promise<void> {
  if ('recipients' in lock) await sealAgeText('', lock, SEALED_FILE, path);
}

/**
 * The workspace in a file, opened by an age identity or by the passphrase that is asked for.
 *
 * @throws inputError `sealed-file`, `passphrase`
 */
export async function openSealedWorkspace(session: Session, file: string, identity?: string): Promise<SealedWorkspace> {
  const path = resolve(file);
  const size = await sizeOf(path);
  const stream = await findAgeStream(path);
  if (size > (stream ? MOST_BYTES : MOST_TEXT))
    throw bad(path, `it has ${sizeText(size)}, more than an exported workspace can have`);
  const age = stream ? undefined : await readAgeFile(await readFile(path, 'utf8'), path);
  const identities = identity === undefined ? undefined : await identitiesIn(resolve(identity));
  const opener = identities ? { identities } : { passphrase: await promptPassphrase(session, 'known', 'exported workspace') };
  if (stream) return readParts(openAgeStream(stream, opener), path);
  const opened = await openAgeFile(age as AgeFile, opener, path);
  try {
    const { provisioning: _, ...exported } = form.parse(JSON.parse(opened));
    return exported;
  } catch {
    // The parser's own words would quote what is in it.
    throw bad(path, 'it is not an exported workspace of this version');
  }
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      throw bad(path, messageOf(error));
    },
  );

/** Reads the first line, and leaves the rest in the stream. */
async function readParts(plain: AsyncGenerator<Uint8Array>, path: string): Promise<SealedWorkspace> {
  let read: Buffer = Buffer.alloc(0);
  let end = -1;
  while (end === -1) {
    const { done, value } = await plain.next();
    if (done || read.length > MOST_HEAD) throw bad(path, 'it is not an exported workspace of this version');
    read = Buffer.concat([read, value]);
    end = read.indexOf(0x0a);
  }
  async function* content(): AsyncGenerator<Uint8Array> {
    if (end + 1 < read.length) yield read.subarray(end + 1);
    yield* plain;
  }
  try {
    const { summary, parts } = head.parse(JSON.parse(read.subarray(0, end).toString('utf8')));
    return { summary, parts, content: content() };
  } catch {
    throw bad(path, 'it is not an exported workspace of this version');
  }
}

const bad = (on: string, why: string) => inputError({ code: 'sealed-file', what: 'open the exported workspace', on, why });

const exists = (on: string) =>
  inputError({ code: 'file-exists', what: 'export the workspace', on, why: 'the file exists', hint: 'choose a new file' });

/** Describes the content of an exported workspace. */
export function describeWorkspace({ workspace, infras, secrets, operations, sources, frozen }: WorkspaceSummary): string {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`;
  const lines = infras.map(
    ({ infra, servers, networks }) => `  ${infra}: ${count(servers, 'server')}, ${count(networks, 'network')}`,
  );
  return [
    `workspace ${workspace}: ${count(infras.length, 'infra')}, ${count(secrets, 'secret')}, ${count(operations, 'ended operation')}, ${count(sources, 'source file')}`,
    ...lines,
    ...(frozen ? [] : ['  not frozen: the platform that it comes from may change its servers']),
    '',
  ].join('\n');
}

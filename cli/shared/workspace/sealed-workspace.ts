import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import { type WorkspaceSummary, workspaceData, workspaceSummary } from '../../../app/workspaces/transfer/transfer-schemas.js';
import { inputError, messageOf } from '../../../core/errors.js';
import { LIMITS, sizeText } from '../../../core/limits.js';
import { type Lock, openAgeFile, readAgeFile, SEALED_FILE, sealAgeText } from '../../../encryption/age-text.js';
import { identitiesIn } from '../../../encryption/kms/age.js';
import { createFile } from '../../../home/durable.js';
import type { Session } from '../../program/session.js';
import { promptPassphrase } from '../keys/passphrase.js';

const form = z.strictObject({ provisioning: z.literal('sealed workspace 1'), summary: workspaceSummary, data: workspaceData });

type SealedWorkspace = Omit<z.output<typeof form>, 'provisioning'>;

/** age and its armor add less than half to a text. */
const MOST_BYTES = LIMITS.workspace * 1.5;

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
export async function writeSealedWorkspace(path: string, exported: SealedWorkspace, lock: Lock): Promise<void> {
  const text = JSON.stringify({ provisioning: 'sealed workspace 1', ...exported });
  if (!(await createFile(path, await sealAgeText(text, lock, SEALED_FILE, path)))) throw exists(path);
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
  const age = await readAgeFile(await textAt(path), path);
  const identities = identity === undefined ? undefined : await identitiesIn(resolve(identity));
  const opener = identities ? { identities } : { passphrase: await promptPassphrase(session, 'known', 'exported workspace') };
  const opened = await openAgeFile(age, opener, path);
  try {
    const { provisioning: _, ...exported } = form.parse(JSON.parse(opened));
    return exported;
  } catch {
    // The parser's own words would quote what is in it.
    throw bad(path, 'it is not an exported workspace of this version');
  }
}

async function textAt(path: string): Promise<string> {
  const found = await stat(path).catch((error: unknown) => {
    throw bad(path, messageOf(error));
  });
  if (found.size > MOST_BYTES) throw bad(path, `it has ${sizeText(found.size)}, more than an exported workspace can have`);
  return readFile(path, 'utf8');
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

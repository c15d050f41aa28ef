import { lstat, rm } from 'node:fs/promises';
import type { LockEdit } from '../../../authoring/lock-file/lock-edit.js';
import { lockSays, writeLockFile } from '../../../authoring/lock-file/write-lock-file.js';
import type { FileEdit } from '../../../authoring/versions/edit-definition.js';
import { inputError, ProvisioningError } from '../../../core/errors.js';
import type { OperationResult } from '../../../core/operation/operation.js';
import { folderAround } from '../../../definition/layers/workspace-folder.js';
import { useFolder, writeWhole } from '../../../settings/edit/write-file.js';
import type { Paint } from '../../program/screen.js';
import { textAsWritten } from '../read-whole.js';

/** Stands for the text of a file that exists and cannot be read. No definition has this text. */
const UNREADABLE = '\0';

/** Mode of a new file. Edited files keep their mode. */
const MODE = 0o644;

/** Edit for an operation: a definition file, or an infra's entry in its lock file. */
export type Edit = FileEdit | LockEdit;

/** State of a file: it has the new text, its former text again, or was changed by others. */
interface EditedFile {
  file: string;
  lock?: true;
  subject?: 'values' | 'file';
  /** `removed`: a new file was removed again. */
  state: 'written' | 'restored' | 'removed' | 'changed-since';
}

/** Renders the edits: each file with its lines. */
export function editsText(edits: readonly Edit[], paint: Paint): string {
  const coloured = (line: string) =>
    line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : paint('dim', line);
  return filterShown(edits)
    .map((edit) => {
      const lines = edit.lines.map((line) => `  ${coloured(line)}\n`);
      return `${paint('bold', edit.file)}\n${lines.join('')}`;
    })
    .join('');
}

/** Returns the edits that need a confirmation. */
export const filterShown = (edits: readonly Edit[]): Edit[] => edits.filter((edit) => !('quiet' in edit));

const isLock = (edit: Edit): edit is LockEdit => 'infra' in edit;

/** Returns the edits for programs. */
export const editsDocument = (edits: readonly Edit[]) => edits.map(({ file, lines }) => ({ file, lines }));

/** Error codes if nothing received the request. */
const NOBODY: ReadonlySet<string> = new Set(['engine-not-running', 'no-worker']);

/**
 * Writes all edits or none.
 *
 * @throws inputError `definition-changed` if a file has changed since it was read
 */
async function writeEdits(edits: readonly Edit[]): Promise<void> {
  for (const edit of edits) {
    if (await says(edit, 'before')) continue;
    const why = edit.before === undefined ? 'the file exists' : 'the file has changed since it was read';
    const what = isLock(edit) ? 'write the lock file' : 'write the definition';
    throw inputError({ code: 'definition-changed', what, on: edit.file, why, hint: 'run the command again' });
  }
  const written: Edit[] = [];
  try {
    for (const edit of edits) {
      await put(edit, 'after');
      written.push(edit);
    }
  } catch (error) {
    await restore(written);
    throw error;
  }
}

/**
 * Writes files and starts their operation. If the operation is rejected, the files are restored. If it is unknown
 * whether it started, the edits stay.
 */
export async function applyEdits<T>(edits: readonly Edit[], start: () => Promise<T>): Promise<T> {
  await writeEdits(edits);
  try {
    return await start();
  } catch (error) {
    const never = error instanceof ProvisioningError && (error.details.blame === 'user' || NOBODY.has(error.details.code));
    if (never) await restore(edits);
    throw error;
  }
}

/** Restores the former texts of files that have not been changed since. */
async function restore(edits: readonly Edit[]): Promise<EditedFile[]> {
  const states: EditedFile[] = [];
  for (const edit of edits) {
    const ours = await says(edit, 'after');
    if (ours) await put(edit, 'before');
    states.push({ ...fileOf(edit), state: !ours ? 'changed-since' : edit.before === undefined ? 'removed' : 'restored' });
  }
  return states;
}

const fileOf = (edit: Edit): Pick<EditedFile, 'file' | 'lock' | 'subject'> => ({
  file: edit.file,
  ...(isLock(edit) ? { lock: true } : edit.subject && { subject: edit.subject }),
});

const says = async (edit: Edit, which: 'before' | 'after'): Promise<boolean> =>
  isLock(edit) ? lockSays(edit, edit[which]) : (await textOf(edit.file)) === edit[which];

async function put(edit: Edit, which: 'before' | 'after'): Promise<void> {
  if (isLock(edit)) return writeLockFile(edit, edit[which]);
  const text = edit[which];
  const within = await folderAround(edit.file);
  if (text !== undefined) return writeWhole(edit.file, text, MODE, { within });
  // Its text was compared before: it is the file that this process has written.
  await useFolder(edit.file, 0o777, within, (place) => rm(place, { force: true }));
}

/** Returns undefined if there is no file. A file that cannot be read is another text, and is never written over. */
const textOf = (file: string): Promise<string | undefined> =>
  textAsWritten(file).catch(async () => ((await lstat(file).catch(() => undefined)) === undefined ? undefined : UNREADABLE));

/**
 * Restores the files after an operation that left nothing on hosts. If the operation succeeded or left changes on
 * hosts, the edits stay.
 */
export async function settleEdits(
  edits: readonly Edit[],
  { status, left = [] }: Pick<OperationResult, 'status' | 'left'>,
): Promise<EditedFile[]> {
  if (status !== 'done' && left.length === 0) return restore(edits);
  return edits.map((edit) => ({ ...fileOf(edit), state: 'written' }));
}

/**
 * Renders the states of files.
 *
 * @param done whether their operation completed all its work
 */
export function renderEdited(states: readonly EditedFile[], done: boolean): string {
  const lockTexts: Record<EditedFile['state'], string> = {
    written: 'has the versions that constraints came to: keep it in version control',
    restored: 'is as it was before',
    removed: 'is removed again',
    'changed-since': 'was changed meanwhile, and stays as it is: look which versions it has',
  };
  return states
    .map(({ file, state, lock, subject }) => `${file} ${(lock ? lockTexts : textsOf(NOUNS[subject ?? 'version'], done))[state]}\n`)
    .join('');
}

const NOUNS = { version: ['version', 'says'], values: ['values', 'has'], file: ['definition', 'has'] } as const;

function textsOf([noun, verb]: readonly [string, string], done: boolean): Record<EditedFile['state'], string> {
  const reverse = noun === 'definition' ? 'or delete the infra' : `or write the former ${noun} there`;
  return {
    written: done
      ? `${verb} the new ${noun}`
      : `${verb} the new ${noun}, since some of it is on hosts: apply the file to go on, ${reverse}`,
    restored: `${verb} the former ${noun} again`,
    removed: 'is removed again: nothing of it is on hosts',
    'changed-since': `was changed meanwhile, and stays as it is: look which ${noun} it ${verb}`,
  };
}

/** Renders a note for edits whose operation is not followed. */
export const editsStay = (edits: readonly Edit[]): string =>
  filterShown(edits)
    .map((edit) => {
      const [noun, verb] = NOUNS[(isLock(edit) ? undefined : edit.subject) ?? 'version'];
      const again = noun === 'definition' ? 'delete the file' : `write the former ${noun === 'version' ? 'one' : noun} there again`;
      return `${edit.file} ${verb} the new ${noun}; where the operation is rolled back, ${again}\n`;
    })
    .join('');

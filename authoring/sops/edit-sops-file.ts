import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { folderAround } from '../../definition/layers/workspace-folder.js';
import { runEditor } from '../../settings/edit/run-editor.js';
import { writeWhole } from '../../settings/edit/write-file.js';
import { checkPlain, closeSopsFile, newSopsFile, plainOf } from '../../sops/sops-file.js';
import type { Context } from '../context.js';
import { usePrivateCopy } from './private-copy.js';
import { createNewSopsFile, openEncryptedFile, readSopsBytes } from './sops-files.js';

/** Callback for a text that cannot be parsed. Returns whether to edit again. */
export type Again = (why: string) => Promise<boolean>;

/**
 * Opens the content of a SOPS file in the user's editor. Creates a missing file according to the creation rules above
 * it. Unchanged values keep their encryption. A file without changes stays identical, byte for byte.
 *
 * @param again whether to reopen the editor after content that the format does not allow.
 * @throws inputError `sops-editor` if the editor fails, `sops-file`, `sops-key`, `sops-tampered`, `sops-unsupported`,
 * `sops-rule`
 */
export async function editSopsFile(context: Context, file: string, again: Again): Promise<{ changed: boolean; made: boolean }> {
  const made = !existsSync(file);
  const rule = made ? await createNewSopsFile(context, file, {}) : undefined;
  const bytes = made ? undefined : await readSopsBytes(file);
  const sealed = bytes && (await openEncryptedFile(context, file, bytes));
  const before = sealed ? plainOf(sealed) : Buffer.alloc(0);
  const after = await edited(context, file, before, again);
  if (after === undefined) return { changed: false, made: false };
  const now = new Date();
  const closed = sealed ? closeSopsFile(sealed, after, now) : await newSopsFile(file, after, rule ?? { recipients: [] }, now);
  if (bytes ? !(await readSopsBytes(file)).equals(bytes) : existsSync(file)) throw changedMeanwhile(file);
  await writeWhole(file, closed, 0o600, { within: await folderAround(file) });
  return { changed: true, made };
}

/** Returns the edited content, or undefined if it did not change. */
async function edited(context: Context, file: string, content: Buffer, again: Again): Promise<Buffer | undefined> {
  return usePrivateCopy({ name: file, content, env: context.env }, async ({ path, inMemory, signal }) => {
    if (!inMemory) context.note('this machine has no folder in memory: the text is on its disk during the edit');
    for (;;) {
      await openEditor(context.env, path, signal);
      const after = await readFile(path).catch(() => undefined);
      if (after === undefined || after.equals(content)) return undefined;
      try {
        checkPlain(file, after);
        return after;
      } catch (error) {
        if (!(error instanceof ProvisioningError) || !(await again(error.message))) throw error;
      }
    }
  });
}

async function openEditor(env: NodeJS.ProcessEnv, path: string, signal: AbortSignal): Promise<void> {
  const editor = env.SOPS_EDITOR || env.VISUAL || env.EDITOR || 'vi';
  // Temporary files of the editor stay beside the copy, and are removed with it.
  const why = await runEditor(editor, path, { ...env, TMPDIR: dirname(path) }, signal);
  if (why === undefined) return;
  const hint = 'nothing was changed; set EDITOR to a program that ends with 0 when a file is saved';
  throw inputError({ code: 'sops-editor', what: 'edit the file', on: editor, why, hint });
}

const changedMeanwhile = (file: string) =>
  inputError({
    code: 'sops-file',
    what: 'write the file',
    on: file,
    why: 'another process changed the file during the edit',
    hint: 'nothing was written; edit the file again',
  });

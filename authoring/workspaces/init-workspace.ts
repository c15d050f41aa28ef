import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { inputError } from '../../core/errors.js';
import { reasonOf } from '../../definition/source/read-text.js';
import type { Home } from '../../home/home.js';
import { checkWorkspaceName } from '../../home/workspaces/which.js';
import { addWorkspace, refuseTaken } from '../../settings/workspaces/register-folder.js';
import { filesOf, type WorkspaceTemplate } from './templates.js';

/** Created workspace. */
export interface NewWorkspace {
  workspace: string;
  folder: string;
  /** Paths below the folder. */
  files: string[];
}

/**
 * Creates the folder of a workspace and registers it. The folder is created with all its files or not at all.
 *
 * @throws inputError `workspace-name`, `workspace-name-taken`, `folder-not-empty`, `folder-not-writable`
 */
export async function initWorkspace(home: Home, name: string, template: WorkspaceTemplate, path: string): Promise<NewWorkspace> {
  refuseTaken(home, checkWorkspaceName(name));
  const folder = resolve(path);
  await refuseFull(folder);
  const files = filesOf(name, template);
  const draft = join(dirname(folder), `.${basename(folder)}-${randomUUID()}`);
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(draft, file)), { recursive: true });
      await writeFile(join(draft, file), text);
    }
    // Replaces a folder only if it is empty.
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => {});
    throw notWritable(folder, error);
  }
  try {
    await addWorkspace(home, name, folder);
  } catch (error) {
    await rename(folder, draft).then(() => rm(draft, { recursive: true, force: true }));
    throw error;
  }
  return { workspace: name, folder, files: Object.keys(files) };
}

async function refuseFull(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw notWritable(folder, error);
  });
  if (found.length === 0) return;
  throw inputError({
    code: 'folder-not-empty',
    what: 'make the workspace',
    on: folder,
    why: 'the folder is not empty',
    hint: 'choose another folder with --path, or register a folder that has a provisioning.yaml: provisioning workspace register',
  });
}

function notWritable(folder: string, error: unknown): Error {
  const { message, suggestion } = reasonOf(error);
  return inputError({
    code: 'folder-not-writable',
    what: 'make the workspace',
    on: folder,
    why: message.replace('it cannot be read', 'it cannot be made'),
    hint: suggestion ?? 'choose another folder with --path',
  });
}

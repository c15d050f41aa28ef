import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bundle } from '../../core/definition/bundle.js';
import { inputError } from '../../core/errors.js';
import type { DefinitionRow } from '../../core/infra/definition-log.js';
import type { Context } from '../context.js';
import { definitionRow } from './former-definition.js';

/** Files from which a definition of an infra was applied. */
export interface FormerSource {
  /** Number of the definition: 1 is the newest. */
  number: number;
  row: DefinitionRow;
  address: string;
  bundle: Bundle;
}

/**
 * Finds the files of an applied definition by its number or the beginning of its content address.
 *
 * @throws inputError `unknown-definition`, `source-not-kept`
 */
export async function formerSource(context: Context, infra: string, which: string): Promise<FormerSource> {
  const { number, row } = await definitionRow(context, infra, which);
  const client = await context.client();
  const { workspace } = context;
  const address = row.operation === '' ? undefined : (await client.operations.request({ operation: row.operation })).bundle;
  if (address !== undefined)
    return { number, row, address, bundle: await client.bundles.read({ workspace, infra, bundle: address }) };
  throw inputError({
    code: 'source-not-kept',
    what: 'find the files of the definition',
    on: `${infra} ${which}`,
    why: 'it was applied without its files: by a program, by a former version, or as a former definition',
    hint: `provisioning infra diff ${infra} shows its content`,
  });
}

/**
 * Returns the text of a file.
 *
 * @throws inputError `unknown-bundle`
 */
export async function readFormerText(context: Context, { address, bundle }: FormerSource, path: string): Promise<string> {
  const { workspace, infra } = bundle;
  return (await (await context.client()).bundles.file({ workspace, infra, bundle: address, path })).text;
}

/**
 * Writes all files of a definition into a folder that is empty or does not exist.
 *
 * @throws inputError `folder-not-empty`
 */
export async function writeSource(context: Context, source: FormerSource, folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (there.length > 0) {
    const why = 'the folder is not empty, and no file is overwritten';
    throw inputError({ code: 'folder-not-empty', what: 'write the files', on: folder, why, hint: 'name a new folder' });
  }
  for (const { path } of source.bundle.files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await readFormerText(context, source, path), { flag: 'wx' });
  }
}

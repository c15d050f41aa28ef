import { rm, writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { inputError } from '../../core/errors.js';
import { NAME, NAME_RULE } from '../../core/names.js';
import { reasonOf } from '../../definition/source/read-text.js';
import type { Context } from '../context.js';
import { DefinitionError } from './definition-error.js';
import { readDefinition } from './definitions.js';
import { type InitWish, initText } from './init-text.js';

/** Returns the infra's name for a file: the file name without its extension. */
export function infraNamed(file: string): string {
  const name = basename(file, extname(file)).toLowerCase();
  if (NAME.test(name)) return name;
  throw inputError({
    code: 'bad-arguments',
    what: 'name the infra',
    on: file,
    why: `"${name}" is not a valid name`,
    hint: `--infra NAME: ${NAME_RULE}`,
  });
}

/**
 * Writes a definition that validates. An existing file is never replaced, and an invalid new file is not kept.
 *
 * @throws inputError `file-exists`, `file-not-written`
 * @throws DefinitionError with every problem of the requested definition
 */
export async function initDefinition(context: Context, file: string, wish: InitWish): Promise<void> {
  const on = file;
  const what = 'write the definition';
  if (!['.yaml', '.yml'].includes(extname(file)))
    throw inputError({
      code: 'bad-arguments',
      what,
      on,
      why: 'a new definition can only be written as YAML',
      hint: 'provisioning convert FILE --to json',
    });
  try {
    await writeFile(file, initText(file, wish), { flag: 'wx' });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (isThere) throw inputError({ code: 'file-exists', what, on, why: 'the file exists', hint: 'choose another file name' });
    throw inputError({ code: 'file-not-written', what, on, why: reasonOf(error).message.replace('read', 'written') });
  }
  const { definition, problems } = await readDefinition(context, file).catch(async (error: unknown) => {
    await rm(file, { force: true });
    throw error;
  });
  if (definition) return;
  await rm(file, { force: true });
  throw new DefinitionError(file, problems);
}

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { inputError } from '../../core/errors.js';
import type { ConfigPlace, LayerFiles } from '../layers/layers.js';
import { lockLayer, textIn, writeLayer } from './change-layer.js';
import { runEditor } from './run-editor.js';

/**
 * Opens a copy of a layer's file in the user's editor, and writes it if its whole content is valid. An invalid copy
 * stays.
 *
 * @throws ConfigError `bad-settings`, `config-scope`; inputError `config-editor` if the editor fails, or if the file
 *   was changed by another program in the meantime
 */
export async function editLayer({ env }: ConfigPlace, files: LayerFiles): Promise<{ file: string; changed: boolean }> {
  const { candidates, former } = files;
  const file = [...candidates, ...(former ? [former] : [])].find((path) => existsSync(path)) ?? candidates[0] ?? '';
  const before = existsSync(file) ? await textIn(file, files.folder) : '';
  const copy = join(await mkdtemp(join(tmpdir(), 'provisioning-config-')), basename(file));
  await writeFile(copy, before, { mode: 0o600 });
  try {
    await edited(env, copy);
    const after = await textIn(copy);
    if (after !== before)
      await lockLayer(files, async () => {
        if ((existsSync(file) ? await textIn(file, files.folder) : '') !== before) throw changedMeanwhile(file, copy);
        await writeLayer(files, file, after, copy);
      });
    await rm(dirname(copy), { recursive: true });
    return { file, changed: after !== before };
  } catch (error) {
    if (existsSync(copy) && (await textIn(copy)) === before) await rm(dirname(copy), { recursive: true });
    throw error;
  }
}

async function edited(env: NodeJS.ProcessEnv, copy: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || 'vi';
  const why = await runEditor(editor, copy, env);
  if (why === undefined) return;
  const hint = 'set EDITOR to a program that exits with 0 after it saved a file';
  throw inputError({
    code: 'config-editor',
    what: 'edit the settings',
    on: editor,
    why,
    hint,
  });
}

const changedMeanwhile = (on: string, copy: string) =>
  inputError({
    code: 'config-editor',
    what: 'edit the settings',
    on,
    why: 'another process changed it at the same time',
    hint: `your text is in ${copy}`,
  });

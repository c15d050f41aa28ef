import { inputError } from '../../core/errors.js';
import { LIMITS } from '../../core/limits.js';
import { readText } from '../../definition/source/read-text.js';
import { refuseProblems } from '../config-error.js';
import { type ConfigPlace, type FileLayer, filesOf, type LayerFiles } from '../layers/layers.js';
import { loadLayer, understand } from '../layers/read-file.js';
import type { Value } from '../layers/values.js';
import { REGISTRY } from '../registry/keys.js';
import { editValue } from './edit-text.js';
import { runInTurn } from './in-turn.js';
import { writeWhole } from './write-file.js';

/**
 * Sets a key in the file of a layer, or removes it with `undefined`. The file is created if it is missing, and written
 * only if its whole content is valid.
 *
 * @returns the file, and whether it changed
 * @throws ConfigError `bad-settings`, `config-scope`; inputError `config-layer` if this place has no such layer;
 *   unreachableError `config-busy`
 */
export async function changeLayer(
  place: ConfigPlace,
  layer: FileLayer,
  name: string,
  value: Value | undefined,
): Promise<{ file: string; changed: boolean }> {
  const files = layerFiles(place, layer);
  const change = async () => {
    const loaded = await loadLayer(files, REGISTRY);
    refuseProblems(loaded?.problems ?? []);
    const file = loaded?.file ?? files.candidates[0] ?? '';
    const before = loaded ? await textIn(file, files.folder) : '';
    const after = await editValue(file, before, pathIn(file, files, name), value);
    if (after === before) return { file, changed: false };
    await writeLayer(files, file, after);
    return { file, changed: true };
  };
  // A change without effect must not create a folder, so the lock is taken only if there is something to write.
  return value === undefined && !(await loadLayer(files, REGISTRY)) ? change() : lockLayer(files, change);
}

/** Locks the files of a layer: only one change at a time, for all of its candidates. */
export const lockLayer = <T>({ candidates, folder }: LayerFiles, work: () => Promise<T>): Promise<T> =>
  runInTurn(candidates[0] ?? '', work, { within: folder });

/**
 * Writes the file of a layer, if its whole content is valid.
 *
 * @param from file name in errors
 * @throws ConfigError `bad-settings`, `config-scope`
 */
export async function writeLayer(files: LayerFiles, file: string, text: string, from = file): Promise<void> {
  const { problems } = await understand(file, text, files, REGISTRY);
  refuseProblems(
    problems.map((problem) => ({ ...problem, file: from })),
    'write the settings',
  );
  const isOwn = files.layer === 'user';
  await writeWhole(file, text, isOwn ? 0o600 : 0o644, { links: isOwn, within: files.folder });
}

/**
 * Returns the text of a file that can be read and changed.
 *
 * @param within the folder that must contain it
 * @throws inputError `config-sealed` for an encrypted file
 */
export async function textIn(file: string, within?: string): Promise<string> {
  const text = await readText(file, LIMITS.settings, { within });
  if (typeof text === 'string') {
    if (/\bENC\[AES256_GCM,/.test(text)) throw sealed(file);
    return text;
  }
  refuseProblems([{ file, line: 0, column: 0, path: '', message: text.message, suggestion: text.suggestion }]);
  return '';
}

const sealed = (file: string) =>
  inputError({
    code: 'config-sealed',
    what: 'change the settings',
    on: file,
    why: 'the file is encrypted',
    hint: `provisioning secret edit ${file}`,
  });

/** Returns the files of one layer. @throws inputError `config-layer` */
export function layerFiles(place: ConfigPlace, layer: FileLayer): LayerFiles {
  const files = filesOf(place).find((one) => one.layer === layer);
  if (files) return files;
  const missing = {
    user: '',
    workspace: 'provisioning workspace show says which workspace this is',
    infra: 'name it, --infra NAME, in the folder of a workspace',
    environment: 'name it, --env NAME, in the folder of a workspace',
  };
  const why = place.workspaceFolder === undefined ? 'the workspace has no folder on this machine' : `no ${layer} is selected`;
  throw inputError({ code: 'config-layer', what: 'choose the layer', on: layer, why, hint: missing[layer] });
}

function pathIn(file: string, { within, former }: LayerFiles, name: string): string[] {
  if (file !== former) return [...(within === undefined ? [] : [within]), ...name.split('.')];
  const key = REGISTRY.keys.get(name);
  if (key?.former !== undefined) return [key.former];
  throw inputError({
    code: 'settings-former',
    what: 'change the settings',
    on: file,
    why: `the layer has no name for "${name}"`,
    hint: 'provisioning config migrate converts it to config.yaml',
  });
}

import { basename, dirname, extname, isAbsolute, join, relative } from 'node:path';
import { NAME, NAME_RULE } from '../../core/names.js';
import { clipText } from '../../core/text.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Problem } from '../source/problem.js';
import { filesIn } from './files-in.js';

/** The files of an environment. */
export interface EnvironmentFiles {
  /** Overlay of the definition: `shop.prod.yaml` next to `shop.yaml`. */
  overlay?: string;
  /** The values of variables: `environments/prod.yaml`. */
  values?: string;
}

/** `shop.config.yaml` has the settings of an infra (settings/layers/layers.ts): no environment is called so. */
const SETTINGS = 'config';
/** Folder of the environments' values, in the workspace. */
const FOLDER = 'environments';

/** Finds the files of an environment for a definition. @returns a problem if none exists, or two set the same */
export async function environmentFiles(definition: string, root: string, name: string): Promise<EnvironmentFiles | Problem> {
  const failed = (message: string, suggestion?: string): Problem => ({
    ...{ file: definition, line: 1, column: 1, path: '', message },
    ...(suggestion ? { suggestion } : {}),
    code: 'environment-unknown',
  });
  if (name === SETTINGS) return failed(`no environment is called "${SETTINGS}": files of this name have settings`);
  if (!NAME.test(name)) return failed(`"${clipText(name, 40)}" cannot name an environment`, `use ${NAME_RULE}`);
  const stem = basename(definition, extname(definition));
  const beside = dirname(definition);
  const folder = join(root, FOLDER);
  const environments = isAbsolute(definition) ? folder : relative('', folder);
  const overlays = (await namesIn(beside)).filter(
    ({ name: file }) => file.startsWith(`${stem}.`) && file !== `${stem}.${SETTINGS}`,
  );
  const values = await namesIn(environments);
  const ofOverlay = overlays.filter(({ name: file }) => file === `${stem}.${name}`);
  const ofValues = values.filter(({ name: file }) => file === name);
  for (const twins of [ofOverlay, ofValues]) {
    const files = twins.map(({ file }) => basename(file)).join(' and ');
    if (twins.length > 1) return failed(`the environment "${name}" has both ${files}`, 'keep one of them');
  }
  if (ofOverlay.length === 0 && ofValues.length === 0) {
    const known = new Set([
      ...overlays.map(({ name: file }) => file.slice(stem.length + 1)),
      ...values.map(({ name: file }) => file),
    ]);
    const message = `there is no environment "${name}": neither ${stem}.${name}.yaml beside it nor ${join(FOLDER, `${name}.yaml`)}`;
    return failed(message, didYouMean(name, known));
  }
  return { overlay: ofOverlay[0]?.file, values: ofValues[0]?.file };
}

/** Files of a folder that can be read, with their names without the ending. */
async function namesIn(folder: string): Promise<{ name: string; file: string }[]> {
  const files = await filesIn(folder);
  return files.map((file) => ({ name: basename(file, extname(file)), file: join(folder, file) }));
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError, messageOf } from '../core/errors.js';
import { didYouMean } from './did-you-mean.js';
import type { Home } from './home.js';

/** What a home may be told for good, each in the place of an environment variable, which wins. */
const SETTINGS: Readonly<Record<string, string>> = {
  profile: 'TEMPORAL_PROFILE',
  namespace: 'PROVISIONING_NAMESPACE',
  taskQueue: 'PROVISIONING_TASK_QUEUE',
  store: 'PROVISIONING_STORE',
  storePasswordFile: 'PROVISIONING_STORE_PASSWORD_FILE',
  deployment: 'PROVISIONING_DEPLOYMENT',
  ui: 'PROVISIONING_UI_URL',
};

/** The file of a home's settings: `<home>/settings.yaml`. */
export const settingsFile = (home: Home): string => join(home.root, 'settings.yaml');

/**
 * The environment, with what the home's settings say where it says nothing.
 *
 * @throws inputError `bad-settings` with file and line
 */
export async function settledEnvironment(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<NodeJS.ProcessEnv> {
  const file = settingsFile(home);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return env;
    throw bad(file, messageOf(error));
  }
  const { LineCounter, parseDocument, isMap, isScalar } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [problem] = document.errors;
  if (problem) throw bad(`${file}:${problem.linePos?.[0].line ?? 1}`, problem.message.split('\n')[0] ?? 'it is no YAML');
  if (document.contents === null) return env;
  if (!isMap(document.contents)) throw bad(file, 'it is no list of "name: value"');
  const settled = { ...env };
  for (const { key, value } of document.contents.items) {
    const at = isScalar(key) && key.range ? `${file}:${lines.linePos(key.range[0]).line}` : file;
    const name = isScalar(key) ? String(key.value) : '';
    const variable = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    if (!variable) {
      const known = Object.keys(SETTINGS);
      throw bad(at, `there is no setting "${name}"`, didYouMean(name, known) ?? `there are ${known.join(', ')}`);
    }
    // The value may hold a password: it is not quoted.
    if (!isScalar(value) || typeof value.value !== 'string' || value.value === '') throw bad(at, `"${name}" is no text`);
    settled[variable] ||= value.value;
  }
  // A service that the environment names by address is another one than the profile's.
  if (env.TEMPORAL_ADDRESS && !env.TEMPORAL_PROFILE) delete settled.TEMPORAL_PROFILE;
  return settled;
}

const bad = (on: string, why: string, hint?: string) =>
  inputError({ code: 'bad-settings', what: 'read the settings', on, why, hint });

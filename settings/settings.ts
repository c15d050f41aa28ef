import { join } from 'node:path';
import { ALLOW_THIS_HOST } from '../core/definition/this-host.js';
import { inputError } from '../core/errors.js';
import { LIMITS } from '../core/limits.js';
import { didYouMean } from '../definition/source/did-you-mean.js';
import { readText } from '../definition/source/read-text.js';
import type { Home } from '../home/home.js';

/** What a home may be told for good, each instead of an environment variable, which wins. */
const SETTINGS: Readonly<Record<string, string>> = {
  profile: 'TEMPORAL_PROFILE',
  namespace: 'PROVISIONING_NAMESPACE',
  taskQueue: 'PROVISIONING_TASK_QUEUE',
  store: 'PROVISIONING_STORE',
  storePasswordFile: 'PROVISIONING_STORE_PASSWORD_FILE',
  deployment: 'PROVISIONING_DEPLOYMENT',
  ui: 'PROVISIONING_UI_URL',
  allowThisHost: ALLOW_THIS_HOST,
};

/** Settings that are true or false. */
const SWITCHES = new Set(['allowThisHost']);

/** The file of a home's settings: `<home>/settings.yaml`. */
export const settingsFile = (home: Home): string => join(home.root, 'settings.yaml');

/**
 * The environment, with what the home's settings say where it says nothing.
 *
 * @throws inputError `bad-settings` with file and line
 */
export async function settledEnvironment(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<NodeJS.ProcessEnv> {
  const file = settingsFile(home);
  const text = await readText(file, LIMITS.settings);
  if (typeof text !== 'string') {
    if (text.code === 'ENOENT') return env;
    throw bad(text.line > 1 ? `${file}:${text.line}` : file, text.message, text.suggestion);
  }
  const { readYaml } = await import('../definition/source/source.js');
  const { value, faults, place } = readYaml(file, text);
  if (faults[0]) throw bad(`${file}:${faults[0].line}`, faults[0].message);
  if (value === undefined || value === null) return env;
  if (typeof value !== 'object' || Array.isArray(value)) throw bad(file, 'it is no list of "name: value"');
  const settled = { ...env };
  for (const [name, given] of Object.entries(value)) {
    const at = `${file}:${place([name], 'key').line}`;
    const variable = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    if (!variable) {
      const known = Object.keys(SETTINGS);
      throw bad(at, `there is no setting "${name}"`, didYouMean(name, known) ?? `there are ${known.join(', ')}`);
    }
    if (typeof given === 'boolean' && SWITCHES.has(name)) {
      settled[variable] ||= given ? '1' : '0';
      continue;
    }
    // The value may hold a password: it is not quoted.
    if (typeof given !== 'string' || given === '') throw bad(at, `"${name}" is no text`);
    settled[variable] ||= given;
  }
  // A service that the environment names by address is another one than the profile's.
  if (env.TEMPORAL_ADDRESS && !env.TEMPORAL_PROFILE) delete settled.TEMPORAL_PROFILE;
  return settled;
}

const bad = (on: string, why: string, hint?: string) =>
  inputError({ code: 'bad-settings', what: 'read the settings', on, why, hint });

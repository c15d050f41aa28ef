import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../home/home.js';
import { type ConfigProblem, refuseProblems } from './config-error.js';
import { ENDINGS } from './layers/layers.js';
import { lookAtConfig, type SettledKey } from './layers/resolve.js';
import type { Value } from './layers/values.js';
import { readVariable } from './layers/variables.js';
import { REGISTRY } from './registry/keys.js';
import { variablesOf } from './registry/registry.js';
import { textOfValue } from './registry/value-types.js';

/** Its keys have other names (`readFormer`). */
const FORMER = 'settings.yaml';

/** Possible names of a home's settings file; a new file gets the first one. */
export const SETTINGS_FILES: readonly string[] = [...ENDINGS.map((ending) => `config${ending}`), FORMER];

/** Returns the settings file of a home, or the path of a new one. */
export function settingsFile(home: Home): string {
  const paths = SETTINGS_FILES.map((name) => join(home.root, name));
  return paths.find((path) => existsSync(path)) ?? (paths[0] as string);
}

/**
 * Returns the text of settings with another store.
 *
 * @param name of `SETTINGS_FILES`
 * @param store undefined for files of the home
 */
export async function editStore(name: string, text: string, store: string | undefined): Promise<string> {
  const { editValue } = await import('./edit/edit-text.js');
  const [url, passwordFile] =
    name === FORMER
      ? [['store'], ['storePasswordFile']]
      : [
          ['store', 'url'],
          ['store', 'passwordFile'],
        ];
  // The file has the password of the former store.
  const without = await editValue(name, await editValue(name, text, url, undefined), passwordFile, undefined);
  return store === undefined ? without : editValue(name, without, url, store);
}

/**
 * Returns the environment, completed with the engine settings of the user layer, under the variables that our code
 * reads. Workspace folders have no influence.
 *
 * @throws ConfigError `bad-settings` with file and line
 */
export async function resolveEnvironment(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<NodeJS.ProcessEnv> {
  const { settled, problems } = await lookAtConfig({ home, env });
  refuseProblems(problems.filter((problem) => !isForItsReader(problem)));
  const said = [...settled.values()].flatMap((one) => {
    const variable = variablesOf(one.key)[0] ?? '';
    const text = one.key.scope === 'engine' ? textFor(one, env[variable], variable) : undefined;
    return text === undefined ? [] : [[variable, text] as const];
  });
  if (said.length === 0) return env;
  const result = { ...env, ...Object.fromEntries(said) };
  // An address in the environment names another service than the profile.
  const byVariable = settled.get('engine.profile')?.winner?.layer === 'variables';
  if (env.TEMPORAL_ADDRESS && !byVariable) delete result.TEMPORAL_PROFILE;
  return result;
}

/**
 * Returns a settled environment's value of an engine key, or its default.
 *
 * @throws ConfigError `bad-settings` naming the variable
 */
export function readSetting<T extends Value = number>(env: NodeJS.ProcessEnv, name: string): T | undefined {
  const key = REGISTRY.keys.get(name);
  if (!key) throw new Error(`there is no setting ${name}`);
  const said = readVariable(key, env);
  if (said && 'problem' in said) refuseProblems([said.problem]);
  return (said && 'value' in said ? said.value : key.default) as T | undefined;
}

/** Returns a provider's configuration from a settled environment, by field name. */
export function providerSettings(env: NodeJS.ProcessEnv, provider: string): Record<string, Value> {
  const prefix = `providers.${provider}.`;
  // The provider itself reads fields that have a variable of their vendor.
  const names = [...REGISTRY.keys.values()].flatMap(({ name, alias }) => (name.startsWith(prefix) && !alias ? [name] : []));
  const said = names.map((name) => [name.slice(prefix.length), readSetting<Value>(env, name)] as const);
  return Object.fromEntries(said.filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

/** Returns the new value of a variable; undefined if it stays. */
function textFor({ value, winner, statements }: SettledKey, given: string | undefined, variable: string): string | undefined {
  if (value === undefined || !winner || winner.layer === 'defaults') return undefined;
  const files = statements.some(({ layer }) => layer === 'user');
  if (given && (!files || typeof value !== 'object')) return undefined;
  return winner.variable === variable && !files ? undefined : textOfValue(value);
}

const READ = new Set(
  [...REGISTRY.keys.values()]
    .filter(({ name, alias, former }) => alias || former || name === 'ui.port' || name.startsWith('encryption.'))
    .map((key) => variablesOf(key)[0]),
);

/** Reports whether other code, which reads the variable, reports its problems. */
const isForItsReader = ({ file }: ConfigProblem): boolean => READ.has(file);

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

/** Its names are others (`readFormer`). */
const FORMER = 'settings.yaml';

/** What the file of a home's settings may be called: the first, where there is none yet. */
export const SETTINGS_FILES: readonly string[] = [...ENDINGS.map((ending) => `config${ending}`), FORMER];

/** The file of a home's settings; where there is none, the one that would be made. */
export function settingsFile(home: Home): string {
  const paths = SETTINGS_FILES.map((name) => join(home.root, name));
  return paths.find((path) => existsSync(path)) ?? (paths[0] as string);
}

/**
 * The text of settings that name another store.
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
 * The environment, with what the user's layer says of the engine where it says nothing: by the
 * names that our code reads. No folder of a workspace has a say in it.
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
  // A service that the environment names by address is another one than the profile's.
  const byVariable = settled.get('engine.profile')?.winner?.layer === 'variables';
  if (env.TEMPORAL_ADDRESS && !byVariable) delete result.TEMPORAL_PROFILE;
  return result;
}

/**
 * What a settled environment says of a key of the engine, else its default.
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

/** What a settled environment says of the configuration of a provider, by the names of its fields. */
export function providerSettings(env: NodeJS.ProcessEnv, provider: string): Record<string, Value> {
  const prefix = `providers.${provider}.`;
  // Those with a variable of their vendor are read by the provider itself.
  const names = [...REGISTRY.keys.values()].flatMap(({ name, alias }) => (name.startsWith(prefix) && !alias ? [name] : []));
  const said = names.map((name) => [name.slice(prefix.length), readSetting<Value>(env, name)] as const);
  return Object.fromEntries(said.filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

/** What a variable gets; undefined where it stays as it is. */
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

/** Who reads such a variable says himself what is wrong with it. */
const isForItsReader = ({ file }: ConfigProblem): boolean => READ.has(file);

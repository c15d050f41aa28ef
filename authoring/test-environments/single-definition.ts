import { inputError } from '../../core/errors.js';
import { loadModules } from '../../core/registry.js';
import { createExample } from '../../definition/description/example.js';
import { taskservSchema } from '../../definition/json-schema.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { problemsOf, readSource } from '../../definition/source/read-source.js';
import { isRecord } from '../../definition/source/salvage.js';
import { readYaml, type Source } from '../../definition/source/source.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import { registriesFor } from '../modules/registries.js';
import { loadTest, rememberTest, type TestDefinition } from './test-definition.js';

/** Options of a test environment with one taskserv on one host. */
export interface SingleWish {
  infra: string;
  taskserv: string;
  version?: string;
  /** `KEY=VALUE` with dots in keys and values as in YAML. Overrides the file. */
  config?: readonly string[];
  /** File with its configuration. Default: the taskserv's own example. */
  configFile?: string;
  plan?: string;
  image?: string;
}

type Config = Record<string, unknown>;

const HOST = 'main';

/**
 * Returns the definition of a test environment for one taskserv.
 *
 * @param context the context of test environments
 * @throws inputError `unknown-taskserv`, `bad-arguments`; DefinitionError with every problem of its configuration
 */
export async function singleDefinition(context: Context, wish: SingleWish): Promise<TestDefinition> {
  const { infra, taskserv, version, plan, image, configFile, config = [] } = wish;
  const file = configFile === undefined ? undefined : await readConfig(configFile);
  const base = isRecord(file?.value) ? file.value : await exampleFor(context, taskserv);
  const said = config.reduce(withSetting, base);
  const entry = {
    name: taskserv,
    ...(version !== undefined && { version }),
    ...(Object.keys(said).length > 0 && { config: said }),
  };
  const server = { name: HOST, ...(plan && { plan }), ...(image && { image }), taskservs: [entry] };
  const value = { infra, provider: 'local', onFailure: 'keep', servers: [server] };
  const read = await loadTest(context, sourceOf(value, file), context.folder ?? process.cwd());
  rememberTest(read.definition, read.source, context.folder ?? process.cwd());
  return { ...read, type: 'single', about: taskserv, scripts: [], notes: [] };
}

async function readConfig(path: string): Promise<Source> {
  const source = await readSource(path, 'write the keys of its configuration');
  if ('message' in source) throw new DefinitionError(path, [source], 'configuration');
  if (source.faults.length > 0) throw new DefinitionError(path, problemsOf(source), 'configuration');
  if (isRecord(source.value)) return source;
  const message = 'a configuration is a map of keys';
  throw new DefinitionError(path, [{ file: path, ...source.place([], 'value'), path: '', message }], 'configuration');
}

async function exampleFor(context: Context, name: string): Promise<Config> {
  const { taskservs } = await registriesFor(context);
  if (!Object.hasOwn(taskservs, name)) {
    const hint = didYouMean(name, Object.keys(taskservs)) ?? 'provisioning taskserv list --available';
    throw inputError({
      code: 'unknown-taskserv',
      what: 'find the taskserv',
      on: name,
      why: 'the platform has no taskserv with this name',
      hint,
    });
  }
  const { [name]: taskserv } = await loadModules(taskservs, [name]);
  const config = taskserv && createExample(taskserv, taskservSchema(taskserv)).taskservs[0]?.config;
  return isRecord(config) ? config : {};
}

/**
 * Returns the configuration with a changed value.
 *
 * @throws inputError `bad-arguments`
 */
function withSetting(config: Config, setting: string): Config {
  const refuse = (why: string) =>
    inputError({ code: 'bad-arguments', what: 'read the configuration', on: '--config', why, hint: '--config KEY=VALUE' });
  const [, key, text] = /^([^=]+)=([\s\S]*)$/.exec(setting) ?? [];
  if (key === undefined || text === undefined) throw refuse('a key has no = behind it');
  const { value, faults } = readYaml('--config', text);
  const [fault] = faults;
  if (fault) throw refuse(`the value of ${key}: ${fault.message}`);
  const keys = key.split('.');
  if (keys.some((one) => one === '' || one === '__proto__')) throw refuse(`"${key}" is not a key`);
  return placed(config, keys, value);
}

const placed = (under: unknown, [first, ...rest]: string[], value: unknown): Config => {
  const map = isRecord(under) ? under : {};
  return first === undefined ? map : { ...map, [first]: rest.length > 0 ? placed(map[first], rest, value) : value };
};

/**
 * Returns the definition as a source. Configuration problems are reported at their position in the configuration file.
 */
function sourceOf(value: unknown, file: Source | undefined): Source {
  const START = { line: 1, column: 1 };
  return {
    file: file?.file ?? 'command line',
    value,
    faults: [],
    place(path, at) {
      const [, , , , key, ...rest] = path;
      if (key === 'config') return { ...(file?.place(rest, at) ?? START), path: rest };
      return { ...START, path: path.slice(4) };
    },
  };
}

import { stringify } from 'yaml';
import type { Definition } from '../../core/definition/definition.js';
import type { TestEnvironment, TestScript } from '../../core/environment/test-environment.js';
import { inputError } from '../../core/errors.js';
import { size } from '../../core/schema/fields.js';
import { type LoadedDefinition, loadComposed } from '../../definition/load-definition.js';
import type { Source } from '../../definition/source/source.js';
import { rememberSources } from '../bundle/keep-bundle.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import { loadWith, type Read } from '../definition/definitions.js';

/** Test environment to be created. */
export interface TestDefinition extends Pick<TestEnvironment, 'type' | 'about'>, Pick<Read, 'definition' | 'given' | 'source'> {
  scripts: TestScript[];
  /** Notes on differences from the original. */
  notes: string[];
}

/** Limits of the hosts that override the definition. */
export interface HostLimits {
  /** Memory in human-readable form: `1 GiB`. */
  memory?: string;
  cpus?: number;
}

/**
 * Returns the plan of these limits, or undefined without limits.
 *
 * @throws inputError `bad-arguments`
 */
export function chooseHostPlan({ memory, cpus }: HostLimits): string | undefined {
  if (memory === undefined && cpus === undefined) return undefined;
  const bytes = size('2 GiB').safeParse(memory?.replace(/^(\d+(?:\.\d+)?)([A-Za-z]+)$/, '$1 $2'));
  const mebibytes = bytes.success ? Math.ceil(bytes.data / 2 ** 20) : 0;
  if (mebibytes >= 128 && mebibytes <= 2 ** 20) return `${cpus ?? 1}cpu-${mebibytes}mb`;
  const why = bytes.success ? 'the memory of a host is between 128 MiB and 1 TiB' : 'a size has the form 768MiB or 2GiB';
  throw inputError({ code: 'bad-arguments', what: 'limit the hosts', on: `--memory ${memory}`, why });
}

/**
 * Loads a source as the definition of an infra on this machine.
 *
 * @param context the context of test environments
 * @throws DefinitionError with every problem of it
 */
export async function loadTest(context: Context, source: Source, root: string): Promise<Read> {
  const composed = { source, root, isWorkspace: false };
  const loaded: LoadedDefinition = await loadWith(context, (options) => loadComposed(source.file, composed, options));
  if (!loaded.definition) throw new DefinitionError(source.file, loaded.problems, 'test environment');
  return loaded;
}

/** Adds the code of the workspace's own taskservs to a definition that has no file. */
export function rememberTest(definition: Definition, { texts = [], value }: Source, root: string): void {
  const main = `${root}/test-environment.yaml`;
  const modules = texts.filter(({ file }) => /\.(ts|js)$/.test(file));
  rememberSources(definition, { main, texts: [{ file: main, text: stringify(value) }, ...modules] });
}

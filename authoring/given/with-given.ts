import { createHmac } from 'node:crypto';
import type { Definition } from '../../core/definition/definition.js';
import { ProvisioningError } from '../../core/errors.js';
import { isSecretRef } from '../../core/taskserv/secret.js';
import { formatGeneratedPrefix } from '../../core/taskserv/secret-reach.js';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import { GENERATED, type Given } from '../../definition/reference-kinds.js';
import { type Problem, pathText } from '../../definition/source/problem.js';
import { keepSources } from '../bundle/keep-bundle.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import { type Read, useSecrets } from '../definition/definitions.js';
import { pairProblems } from './check-pairs.js';
import type { GivenKinds } from './given-kind.js';
import { keepGenerated } from './keep-generated.js';
import { GIVEN_KINDS } from './kinds.js';

type Submitted = Pick<Read, 'definition' | 'given' | 'source'>;
/** Values of references beside the file, by the names that the definition has for them. */
export type GivenValues = ReadonlyMap<string, string>;

/**
 * The definition as it is submitted: what its references name beside it is read here, kept as secrets of its
 * infra, and the definition has the names of those. Another value has another name, so that whatever uses it
 * is changed; the name is a keyed hash, and says nothing of the value to who lacks the key, which is a secret too.
 *
 * @throws DefinitionError with every reference whose value cannot be read
 */
export const resolveExternalValues = async (
  context: Context,
  read: Submitted,
  kinds: GivenKinds = GIVEN_KINDS,
): Promise<Definition> => keepGiven(context, read, await readGiven(context, read, kinds));

/**
 * Reads what references name beside the file, compares certificates with their keys, and changes nothing.
 *
 * @throws DefinitionError as `withGiven` does, and with the code `bad-certificate`
 */
export async function readGiven(
  context: Context,
  { definition, given, source }: Submitted,
  kinds: GivenKinds = GIVEN_KINDS,
): Promise<GivenValues> {
  const beside = given.filter(({ kind }) => kind !== GENERATED);
  const values = new Map<string, string>();
  const problems: Problem[] = [];
  const root = beside.length === 0 ? '' : (await workspaceFolder(source.file)).folder;
  for (const one of new Map(beside.map((each) => [each.name, each])).values()) {
    const value = await readOne(one);
    if (typeof value === 'string') values.set(one.name, value);
    else problems.push(value);
  }
  problems.push(...(await pairProblems(context, { definition, given, source }, values)));
  if (problems.length > 0) throw new DefinitionError(source.file, problems);
  return values;

  function ownSecret(name: string): Promise<string | undefined> {
    return useSecrets(context, (secrets) => secrets.within({ workspace: definition.workspace }).get(name));
  }

  async function readOne({ kind, reference, path }: Given): Promise<string | Problem> {
    try {
      const known = kinds[kind];
      if (!known) throw new Error(`this command cannot resolve references of the kind ${kind}`);
      return await known.read(reference, { context, root, ownSecret });
    } catch (error) {
      if (!(error instanceof ProvisioningError) || error.details.blame !== 'user') throw error;
      const { code, hint } = error.details;
      const { path: there = path, ...place } = source.place(path, 'value');
      const said = { path: pathText(there), message: error.message, ...(hint ? { suggestion: hint } : {}) };
      return { file: source.file, ...place, ...said, code };
    }
  }
}

/** Keeps what was read, and what is generated, as secrets of the infra. @returns the definition with their names */
export async function keepGiven(context: Context, { definition, given }: Submitted, values: GivenValues): Promise<Definition> {
  await keepGenerated(context, given);
  if (values.size === 0) return definition;
  const submitted = renamed(definition, await keep(context, definition, values));
  keepSources(definition, submitted);
  return submitted;
}

/** Keeps values for the infra. @returns the name of each, by that of its reference */
async function keep(context: Context, definition: Definition, values: GivenValues): Promise<Map<string, string>> {
  const { workspace, infra } = definition;
  return useSecrets(context, async (secrets) => {
    const key = await secrets.ensureGenerated(`${formatGeneratedPrefix({ workspace, infra })}given`);
    const scoped = secrets.within({ workspace, infra });
    const names = new Map<string, string>();
    for (const [reference, value] of values) {
      const name = `${reference}/${createHmac('sha256', key).update(`${reference}\n${value}`).digest('hex').slice(0, 24)}`;
      if ((await scoped.get(name)) !== value) await scoped.set(name, value);
      names.set(reference, name);
    }
    return names;
  });
}

/** The same with other names of secrets. */
function renamed<T>(value: T, names: ReadonlyMap<string, string>): T {
  if (isSecretRef(value)) return { $secret: names.get(value.$secret) ?? value.$secret } as T;
  if (Array.isArray(value)) return value.map((one) => renamed(one, names)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renamed(one, names)])) as T;
}

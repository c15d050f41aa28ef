import { askSecrets } from '../../client/ask-secrets.js';
import type { Definition } from '../../core/definition/definition.js';
import { ProvisioningError } from '../../core/errors.js';
import type { Recipe } from '../../core/schema/recipe.js';
import { isSecretRef } from '../../core/taskserv/secret.js';
import { workspaceFolder } from '../../definition/layers/workspace-folder.js';
import { type ExternalValue, GENERATED_KIND } from '../../definition/reference-kinds.js';
import { type Problem, pathText } from '../../definition/source/problem.js';
import { keepSources } from '../bundle/keep-bundle.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import type { Read } from '../definition/definitions.js';
import { pairProblems } from './check-pairs.js';
import type { GivenKinds } from './given-kind.js';
import { GIVEN_KINDS } from './kinds.js';

type Submitted = Pick<Read, 'definition' | 'given' | 'source'>;
/** Values of external references, by the secret names in the definition. */
export type GivenValues = ReadonlyMap<string, string>;

/**
 * Returns the definition as it is submitted. Values of external references are read here and stored as secrets of its
 * infra; the definition refers to these secrets by name. A changed value gets another name, so that its users are
 * updated. The name is a keyed hash that reveals nothing without the key, which is a secret too.
 *
 * @throws DefinitionError with every reference whose value cannot be read
 */
export const resolveExternalValues = async (
  context: Context,
  read: Submitted,
  kinds: GivenKinds = GIVEN_KINDS,
): Promise<Definition> => keepGiven(context, read, await readGiven(context, read, kinds));

/**
 * Reads external references and compares certificates with their keys. Changes nothing.
 *
 * @throws DefinitionError as `resolveExternalValues` does, and with the code `bad-certificate`
 */
export async function readGiven(
  context: Context,
  { definition, given, source }: Submitted,
  kinds: GivenKinds = GIVEN_KINDS,
): Promise<GivenValues> {
  const beside = given.filter(({ kind }) => kind !== GENERATED_KIND);
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
    return readOwn(context, definition.workspace, name);
  }

  async function readOne({ kind, reference, path }: ExternalValue): Promise<string | Problem> {
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

/** Returns the value of a secret from this workspace only, or undefined if it is not set. The read is recorded. */
async function readOwn(context: Context, workspace: string, name: string): Promise<string | undefined> {
  try {
    return (await askSecrets(context, (secrets) => secrets.get({ workspace, name, reveal: true }))).value;
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.code === 'unknown-secret') return undefined;
    throw error;
  }
}

/**
 * Stores the values that were read or generated as secrets of the infra.
 *
 * @returns the definition with their names
 */
export async function keepGiven(context: Context, { definition, given }: Submitted, values: GivenValues): Promise<Definition> {
  const wanted = new Map(
    given.filter(({ kind }) => kind === GENERATED_KIND).map(({ name, reference }) => [name, reference as Recipe]),
  );
  if (wanted.size === 0 && values.size === 0) return definition;
  const { workspace, infra } = definition;
  const generated = [...wanted].map(([name, recipe]) => ({ name, recipe }));
  const names = await askSecrets(context, async (secrets) => {
    const named = new Map<string, string>();
    for (const [index, some] of chunksIn(values).entries()) {
      const asked = { workspace, infra, values: some, ...(index === 0 && { generated }) };
      for (const [reference, name] of Object.entries((await secrets.keep(asked)).names)) named.set(reference, name);
    }
    return named;
  });
  if (values.size === 0) return definition;
  const submitted = renamed(definition, names);
  keepSources(definition, submitted);
  return submitted;
}

/** Characters of values per call. With their escapes they fit into a request. */
const MOST_CHARACTERS = 512 * 1024;

/** Splits values into chunks. There is at least one, which may be empty. */
function chunksIn(values: GivenValues): Record<string, string>[] {
  const chunks: Record<string, string>[] = [{}];
  let length = 0;
  for (const [name, value] of values) {
    length += value.length;
    if (length > MOST_CHARACTERS) {
      chunks.push({});
      length = value.length;
    }
    Object.assign(chunks.at(-1) as object, { [name]: value });
  }
  return chunks;
}

/** Returns a copy with other names of secrets. */
function renamed<T>(value: T, names: ReadonlyMap<string, string>): T {
  if (isSecretRef(value)) return { $secret: names.get(value.$secret) ?? value.$secret } as T;
  if (Array.isArray(value)) return value.map((one) => renamed(one, names)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, renamed(one, names)])) as T;
}

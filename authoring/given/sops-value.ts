import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { clipText } from '../../core/text.js';
import type { ReferenceFault } from '../../definition/reference-kinds.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { isInside } from '../../definition/source/is-inside.js';
import { isWholeHome, WHOLE_HOME } from '../../definition/source/whole-home.js';
import { openSopsFile, readSopsFile, type SopsFile } from '../../sops/sops-file.js';
import { keysOf, type MapNode, type Node, nodeAt } from '../../sops/tree.js';
import { findSopsIdentities, readSopsBytes } from '../sops/sops-files.js';
import type { GivenPlace } from './given-kind.js';

/** Value of an encrypted file, as a definition names it. */
export interface SopsReference {
  /** The file, below the folder of the workspace. */
  sops: string;
  /** Names that lead to the value, as a list or with dots between them. Absent if the file has only one value. */
  key?: string | string[];
}

/** Returns the fault of a reference, as far as it can be found without a key. */
export async function findSopsProblem(reference: SopsReference, root: string): Promise<ReferenceFault | undefined> {
  try {
    await found(reference, root);
    return undefined;
  } catch (error) {
    if (error instanceof NotFound) return error.fault;
    if (!(error instanceof ProvisioningError)) throw error;
    const { why, hint } = error.details;
    return { message: `the SOPS file "${clipText(reference.sops, 200)}": ${why}`, ...(hint ? { suggestion: hint } : {}) };
  }
}

/**
 * Returns the decrypted value.
 *
 * @throws inputError `given-refused`, `sops-file`, `sops-key`, `sops-tampered`, `age-key`
 */
export async function readValue(reference: SopsReference, { context, root }: GivenPlace): Promise<string> {
  if (await isWholeHome(await realpath(root)))
    throw inputError({ code: 'given-refused', what: 'read the SOPS file', on: reference.sops, why: WHOLE_HOME });
  const { file, path } = await found(reference, root);
  const { plain } = await openSopsFile(file, await findSopsIdentities(context));
  const value = valueAt(plain, path);
  if (value?.kind === 'leaf' && value.data.length > 0) return value.data.toString();
  const why = `the value ${path.join('.')} is empty`;
  throw inputError({
    code: 'sops-file',
    what: 'read the SOPS file',
    on: reference.sops,
    why,
    hint: `provisioning secret edit ${reference.sops}`,
  });
}

class NotFound extends Error {
  constructor(readonly fault: ReferenceFault) {
    super(fault.message);
  }
}

const fail = (message: string, suggestion?: string): never => {
  throw new NotFound({ message, ...(suggestion ? { suggestion } : {}) });
};

/** Returns the file of a reference, and the path of a single value in it. Names are readable without a key. */
async function found({ sops: name, key }: SopsReference, root: string): Promise<{ file: SopsFile; path: string[] }> {
  const top = await realpath(root).catch(() => root);
  const real = await realpath(join(top, name)).catch(() => join(top, name));
  if (!isInside(real, top))
    fail(`"${clipText(name, 200)}" is outside of ${top}`, 'a definition can only read files of its workspace');
  const file = readSopsFile(name, await readSopsBytes(real, top).catch(asNamed(name)));
  const path = pathOf(file, key);
  if (path === undefined)
    return fail(`the SOPS file "${clipText(name, 200)}" has several values`, `choose one: { sops: ${name}, key: PATH }`);
  const value = valueAt(file.documents, path);
  const text = path.join('.');
  if (value === undefined) {
    const around = keysOf(valueAt(file.documents, path.slice(0, -1)));
    fail(
      `the SOPS file "${clipText(name, 200)}" has no value "${clipText(text, 200)}"`,
      didYouMean(path.at(-1) ?? '', around) ?? hasText(around),
    );
  } else if (value.kind !== 'leaf') fail(`"${clipText(text, 200)}" of the SOPS file is a ${value.kind}`, hasText(keysOf(value)));
  return { file, path };
}

/** Returns the path of the whole content for a file without a format; otherwise the key as written. */
function pathOf({ documents }: SopsFile, key: SopsReference['key']): string[] | undefined {
  if (Array.isArray(key)) return key;
  if (key === undefined) {
    const [only, ...others] = keysOf(documents[0]);
    return only === 'data' && others.length === 0 ? ['data'] : undefined;
  }
  return valueAt(documents, [key]) ? [key] : key.split('.');
}

/** Returns the value from the first document that has it. */
function valueAt(documents: readonly MapNode[], path: readonly string[]): Node | undefined {
  for (const document of documents) {
    const node = nodeAt(document, path);
    if (node) return node;
  }
  return undefined;
}

const hasText = (keys: readonly string[]): string | undefined =>
  keys.length === 0
    ? undefined
    : `it has ${keys
        .slice(0, 8)
        .map((one) => clipText(one, 40))
        .join(', ')}${keys.length > 8 ? ' …' : ''}`;

/** Renames the file in an error to its name in the definition. */
const asNamed =
  (name: string) =>
  (error: unknown): never => {
    if (!(error instanceof ProvisioningError)) throw error;
    throw new ProvisioningError({ ...error.details, on: name });
  };

import type * as z from 'zod';
import { fingerprint } from '../core/encoding/hash.js';
import type { Findings } from './source/findings.js';
import type { Path } from './source/problem.js';

/** Fault of a reference, with a suggestion if there is one. */
export interface ReferenceFault {
  message: string;
  suggestion?: string;
}

/**
 * Kind of reference to a value outside the definition that only its submitter can read. The first of `keys` identifies
 * it: `{ sops: FILE, key: PATH }`.
 */
export interface ReferenceKind<Reference = unknown> {
  /** How it is written, for suggestions. */
  form: string;
  /** Its keys, the identifying one first. A map with any other key is no such reference. */
  keys: readonly string[];
  shape: z.ZodType<Reference>;
  /** Fault that is visible without reading the value, such as a missing file. @param root folder of the workspace */
  check?(reference: Reference, root: string): Promise<ReferenceFault | undefined>;
}

/** Kinds of references by their own key. */
// biome-ignore lint/suspicious/noExplicitAny: each knows its own references
export type ReferenceKinds = Readonly<Record<string, ReferenceKind<any>>>;

/** A value that a definition takes from beside it: what names it, and what has to be read. */
export interface ExternalValue {
  /** Name of the secret that it becomes: `given/sops/…`. */
  name: string;
  kind: string;
  reference: unknown;
  /** Place in the definition. */
  path: Path;
}

/** The kind of what is generated: it is made once and kept, and its name does not follow from its value. */
export const GENERATED_KIND = 'generate';

/** Kind of reference of a map. Undefined for other maps, such as variables below `env`. */
export function kindOf(map: Record<string, unknown>, kinds: ReferenceKinds): string | undefined {
  const keys = Object.keys(map);
  const isTold = (key: string) => Object.hasOwn(kinds, key) && (typeof map[key] !== 'object' || map[key] === null);
  return keys.find((key) => isTold(key) && keys.every((other) => kinds[key]?.keys.includes(other)));
}

/** How the names begin of secrets that references to values beside a definition become. */
export const GIVEN_PREFIX = 'given/';

/** How the secret is called that a reference becomes: by what it says, wherever that stands. */
export const nameExternalValue = (kind: string, reference: unknown): string => `${GIVEN_PREFIX}${kind}/${fingerprint(reference)}`;

/** Looks at all that references of a definition name, each once, and tells what is wrong where it is said. */
export async function checkGiven(
  given: readonly ExternalValue[],
  kinds: ReferenceKinds,
  root: string,
  findings: Findings,
): Promise<void> {
  const known = new Map<string, Promise<ReferenceFault | undefined>>();
  for (const { name, kind, reference, path } of given) {
    const asked = known.get(name) ?? Promise.resolve(kinds[kind]?.check?.(reference, root));
    known.set(name, asked);
    const fault = await asked;
    if (fault) findings.value(path, fault.message, fault.suggestion);
  }
}

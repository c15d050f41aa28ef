import { fingerprint } from '../core/encoding/hash.js';
import { GENERATED_KINDS, generatedLabel, type Recipe, recipe } from '../core/schema/recipe.js';
import { PARTS } from '../core/taskserv/generated-names.js';
import { formatGeneratedPrefix } from '../core/taskserv/secret-reach.js';
import { didYouMean } from './source/did-you-mean.js';
import type { Path } from './source/problem.js';

/** Parsed `{ generate: … }`: its reference and how its value is made. */
export interface GeneratedReference {
  /** The name of the reference; that of what is kept, of which it may be a part. */
  name: string;
  kept: string;
  recipe: Recipe;
}

interface Owner {
  workspace: string;
  infra: string;
}

/** Fault of a `{ generate: … }`. */
interface Fault {
  path: Path;
  message: string;
  suggestion: string;
}

/** How each is written. */
const FORMS: Readonly<Record<Recipe['generate'], string>> = {
  password: '{ generate: password, length: 40 }',
  token: '{ generate: token, length: 64 }',
  'ssh-key': '{ generate: ssh-key, name: deploy, part: private }',
  ca: '{ generate: ca, name: internal }',
  certificate: '{ generate: certificate, ca: internal, names: [db.internal], part: key }',
};
/** Maximum length of a place or name within the name of a secret. */
const LABEL = 40;
/** As many as a password has without more. */
const PASSWORD_LENGTH = 32;
const TOKEN_LENGTH = 64;

/**
 * Parses a map with `generate`. A map with a `name` is the same secret wherever the infra uses that name. A
 * certificate is identified by its authority and its names, any other secret by its place.
 *
 * @param place `db.redis.password`
 */
export function parseGeneratedReference(map: Record<string, unknown>, owner: Owner, place: string): GeneratedReference | Fault {
  const kind = GENERATED_KINDS.find((one) => one === map.generate);
  if (kind === undefined) {
    const near = typeof map.generate === 'string' ? didYouMean(map.generate, GENERATED_KINDS) : undefined;
    return { path: ['generate'], message: 'cannot generate this', suggestion: near ?? `one of ${GENERATED_KINDS.join(', ')}` };
  }
  const { part, name, ...rest } = map;
  const parsed = recipe.safeParse(kind === 'ca' ? { ...rest, name } : rest);
  const wrong = (path: Path, message: string): Fault => ({ path, message, suggestion: `write ${FORMS[kind]}` });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    if (issue?.code === 'unrecognized_keys') return wrong([issue.keys[0] ?? ''], `"${issue.keys[0]}" is not an option of ${kind}`);
    return wrong(
      (issue?.path ?? []) as Path,
      issue?.code === 'invalid_type' ? 'it is missing, or of another type' : (issue?.message ?? ''),
    );
  }
  if (name !== undefined && kind === 'certificate') return wrong(['name'], 'a certificate needs names');
  const label = name === undefined ? undefined : generatedLabel.safeParse(name);
  if (label?.success === false) return wrong(['name'], label.error.issues[0]?.message ?? '');
  const parts: readonly string[] = kind in PARTS ? PARTS[kind as keyof typeof PARTS] : [];
  const which = part ?? parts[0];
  if (which !== undefined && !parts.includes(String(which))) {
    const known = parts.length === 0 ? `a ${kind} has no parts` : `its parts are ${parts.join(', ')}`;
    return wrong(['part'], known);
  }
  const kept = `${formatGeneratedPrefix(owner)}${keptTail(parsed.data, label?.data, place)}`;
  return { name: which === undefined ? kept : `${kept}/${which}`, kept, recipe: parsed.data };
}

/** The last segments of the name, which tell the worker what it has to make. */
function keptTail(made: Recipe, label: string | undefined, place: string): string {
  const here = label ?? shortened(place);
  switch (made.generate) {
    case 'password':
      return `password-${made.length ?? PASSWORD_LENGTH}/${here}`;
    case 'token':
      return `token-${made.length ?? TOKEN_LENGTH}/${here}`;
    case 'ssh-key':
      return `ssh-key/${here}`;
    case 'ca':
      return `ca/${made.name}`;
    case 'certificate': {
      const { ca, names } = made;
      const readable = (names[0] ?? '')
        .replace(/^\*\./, 'wildcard.')
        .replace(/[^a-z0-9.-]/g, '-')
        .replace(/^[^a-z0-9]+/, '');
      return `certificate/${readable.slice(0, LABEL)}-${fingerprint({ ca, names })}`;
    }
  }
}

const shortened = (place: string): string => {
  const safe = place.replace(/[^A-Za-z0-9._-]/g, '-');
  return safe === place && safe.length <= LABEL ? safe : `${safe.slice(0, LABEL)}-${fingerprint(place)}`;
};

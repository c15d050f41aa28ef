import { fingerprint } from '../core/encoding/hash.js';
import { isSecretRef, type SecretRef } from '../core/taskserv/secret.js';
import { formatGeneratedPrefix } from '../core/taskserv/secret-reach.js';
import { parseGeneratedReference } from './generated-reference.js';
import { type ExternalValue, GENERATED_KIND, kindOf, nameExternalValue, type ReferenceKinds } from './reference-kinds.js';
import type { Path } from './source/problem.js';
import { isRecord } from './source/salvage.js';

/** How a password is named that is made once and kept: by what it is for, not by its place in the file. */
export interface GeneratedFor {
  workspace: string;
  infra: string;
  /** `db`, `role-web`; empty for what is on all servers. */
  scope: string;
  taskserv: string;
}

/** A value that is no secret, at a place for one. */
export interface Misuse {
  path: Path;
  message: string;
  suggestion: string;
}

/** The secret of another service: `{ of: db/postgres, path: users.app.password }`. */
export interface OtherSecret {
  of: string;
  path: string;
}

/** Whether a value refers to the secret of another service. */
export const isOtherSecret = (value: unknown): value is OtherSecret =>
  isRecord(value) && Object.keys(value).length === 2 && typeof value.of === 'string' && typeof value.path === 'string';

/**
 * Replaces `{ secret: NAME }`, `{ generate: password }` and other kinds with references, and records which values must
 * be read. The name of a generated secret follows from its use, so moving an entry within the file does not change a
 * password.
 */
export function resolveReferences(
  config: Record<string, unknown>,
  owner: GeneratedFor,
  kinds: ReferenceKinds = {},
): { value: Record<string, unknown>; misuses: Misuse[]; given: ExternalValue[] } {
  const misuses: Misuse[] = [];
  const given: ExternalValue[] = [];
  const convert = (value: unknown, path: Path, name: string[]): unknown => {
    if (Array.isArray(value)) {
      return value.map((item, index) => {
        const label = isRecord(item) && typeof item.name === 'string' ? item.name : String(index);
        return convert(item, [...path, index], [...name, label]);
      });
    }
    if (!isRecord(value)) return value;
    if (isSecretRef(value)) {
      misuses.push({ path, message: 'this is not a valid reference', suggestion: 'write { secret: NAME }' });
      return undefined;
    }
    // The other service is known only after all services are placed.
    if (isOtherSecret(value)) return value;
    const keys = Object.keys(value);
    if (keys.length === 1 && typeof value.secret === 'string') return { $secret: value.secret } satisfies SecretRef;
    if (keys.length === 1 && value.generate === 'password') return { $secret: generatedName(owner, name) } satisfies SecretRef;
    if (typeof value.generate === 'string') return generate(value, path, name);
    // A whole configuration is no reference, whatever its only field is called.
    const kind = path.length === 0 ? undefined : kindOf(value, kinds);
    if (kind !== undefined) return referTo(kind, value, path);
    return Object.fromEntries(keys.map((key) => [key, convert(value[key], [...path, key], [...name, key])]));
  };
  const generate = (value: Record<string, unknown>, path: Path, name: string[]): SecretRef | undefined => {
    const read = parseGeneratedReference(value, owner, placeOf(owner, name));
    if ('message' in read) {
      misuses.push({ ...read, path: [...path, ...read.path] });
      return undefined;
    }
    const { name: $secret, kept, recipe } = read;
    given.push({ name: kept, kind: GENERATED_KIND, reference: recipe, path });
    return { $secret };
  };
  const referTo = (kind: string, value: Record<string, unknown>, path: Path): SecretRef | undefined => {
    const parsed = kinds[kind]?.shape.safeParse(value);
    if (!parsed?.success) {
      const [issue] = parsed?.error.issues ?? [];
      const form = `write ${kinds[kind]?.form}`;
      misuses.push({
        path: [...path, ...((issue?.path ?? []) as Path)],
        message: issue?.message ?? 'it is not a reference',
        suggestion: form,
      });
      return undefined;
    }
    const name = nameExternalValue(kind, parsed.data);
    given.push({ name, kind, reference: parsed.data, path });
    return { $secret: name };
  };
  return { value: convert(config, [], []) as Record<string, unknown>, misuses, given };
}

/** `generated/<workspace>/<infra>/<scope>.<taskserv>.<path>` */
function generatedName({ workspace, infra, scope, taskserv }: GeneratedFor, path: string[]): string {
  const full = placeOf({ scope, taskserv }, path);
  const safe = full.replace(/[^A-Za-z0-9._-]/g, '-');
  const tail = safe === full && safe.length <= 120 ? safe : `${safe.slice(0, 100)}-${fingerprint(full)}`;
  return `${formatGeneratedPrefix({ workspace, infra })}${tail}`;
}

const placeOf = ({ scope, taskserv }: Pick<GeneratedFor, 'scope' | 'taskserv'>, path: string[]): string =>
  [scope, taskserv, ...path].filter((part) => part !== '').join('.');

/** A configuration with another laid over it; lists and secrets are replaced, not joined. */
export function overlayConfig(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    const deep = isRecord(value) && isRecord(below) && !isSecretRef(value) && !isSecretRef(below);
    merged[key] = deep ? overlayConfig(below, value) : value;
  }
  return merged;
}

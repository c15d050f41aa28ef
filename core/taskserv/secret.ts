import { encode, type SecretFormat } from './encoders/encoders.js';

/** A reference to a secret. The value itself never enters a definition, a plan or history. */
export interface SecretRef {
  $secret: string;
  /** The format that the value is written in, with its quotes. Absent: the value as it is. A definition cannot say it. */
  as?: SecretFormat;
}

/**
 * Returns the secret with the format in which it must be written: its quotes and escapes are added with its value. If
 * the format cannot have the value, it is refused by the secret's name before a step runs.
 *
 * @example text`requirepass ${secretAs('redis', password)}\n`
 */
export const secretAs = (format: SecretFormat, { $secret }: SecretRef): SecretRef => ({ $secret, as: format });

/** Returns the text as the value of an environment variable, which has no NUL and a length that the kernel allows. */
export function asVariable(value: Text): Text {
  if (typeof value === 'string') return value;
  return value.map((part) => (isSecretRef(part) && part.as === undefined ? secretAs('variable', part) : part));
}

/**
 * Text that may have references to secrets: ordered parts, of which each reference stands for the value. A string is
 * always literal: text from a host or a definition can never name a secret.
 */
export type Text = string | readonly (string | SecretRef)[];

export function isSecretRef(value: unknown): value is SecretRef {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { $secret, as, ...others } = value as Partial<Record<string, unknown>>;
  return typeof $secret === 'string' && Object.keys(others).length === 0 && (typeof as === 'string' || !('as' in value));
}

/**
 * Text with references to secrets in it; a plain string where there are none.
 *
 * @example text`${password}\n`
 */
export function text(strings: TemplateStringsArray, ...values: (Text | SecretRef | number)[]): Text {
  const parts = strings.flatMap((string, index): (string | SecretRef)[] => {
    const value = values[index];
    if (value === undefined) return [string];
    if (typeof value === 'number') return [string, String(value)];
    return [string, ...(typeof value === 'string' || isSecretRef(value) ? [value] : value)];
  });
  const joined: (string | SecretRef)[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else if (part !== '') joined.push(part);
  }
  const [only = '', ...others] = joined;
  return typeof only === 'string' && others.length === 0 ? only : joined;
}

/**
 * Replaces each reference with the result of `lookup` for its name, in the format of the reference. Values are not
 * scanned again. Throws for other values, and the input error `secret-not-expressible`.
 */
export function reveal(value: Text, lookup: (name: string) => string): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) throw new TypeError('neither a text nor a list of its parts');
  return value
    .map((part: unknown) => {
      if (typeof part === 'string') return part;
      if (isSecretRef(part)) {
        const found = lookup(part.$secret);
        return part.as === undefined ? found : encode(part.as, found, part.$secret);
      }
      throw new TypeError('a part of a text is neither a string nor a reference to a secret');
    })
    .join('');
}

/** A reference to a secret inside a JSON value. */
interface FoundSecret {
  path: (string | number)[];
  name: string;
  as?: SecretFormat;
}

/** Every secret reference inside a JSON value, with its path. */
export function findSecretRefs(value: unknown, path: (string | number)[] = []): FoundSecret[] {
  if (isSecretRef(value)) return [{ path, name: value.$secret, ...(value.as && { as: value.as }) }];
  if (Array.isArray(value)) return value.flatMap((item, index) => findSecretRefs(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findSecretRefs(item, [...path, key]));
}

/** Until this release a text referred to a secret by this marker. Nothing expands it any more. */
const MARKER = /\u27e6secret:[A-Za-z0-9._/-]+\u27e7/;

/**
 * Whether a text anywhere inside a JSON value holds the marker by which plans of former
 * releases referred to a secret. Such a plan would write the marker itself to the host.
 */
export function hasSecretMarkers(value: unknown): boolean {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string' ? MARKER.test(next) : false) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, item] of Object.entries(next)) {
      if (!Array.isArray(next)) left.push(key);
      left.push(item);
    }
  }
  return false;
}

import { encode, type SecretFormat } from './encoders/encoders.js';

/** A reference to a secret. The value itself never enters a definition, a plan or history. */
export interface SecretRef {
  $secret: string;
  /** The format that the value is written in, with its quotes. Absent: the value as it is. A definition cannot say it. */
  as?: SecretFormat;
}

/**
 * The secret, to be written in a format: its quotes and escapes are put in place together with its value. What the format
 * cannot have is refused by the name of the secret, before a step is run.
 *
 * @example text`requirepass ${secretAs('redis', password)}\n`
 */
export const secretAs = (format: SecretFormat, { $secret }: SecretRef): SecretRef => ({ $secret, as: format });

/** The same text as the value of a variable of an environment, which has no NUL and is not too long for the kernel. */
export function asVariable(value: Text): Text {
  if (typeof value === 'string') return value;
  return value.map((part) => (isSecretRef(part) && part.as === undefined ? secretAs('variable', part) : part));
}

/**
 * Text that may refer to secrets: parts in order, of which a reference stands for
 * the value. What is a string is taken as it is, whatever it looks like: text that
 * was read from a host, or written in a definition, can never name a secret.
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
 * The text with what `lookup` answers for the name of each secret instead of its
 * reference, in the format that the reference says; values are not looked at again.
 * Throws for what is no text, and the input error `secret-not-expressible`.
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

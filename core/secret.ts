/** A reference to a secret. The value itself never enters a definition, a plan or history. */
export interface SecretRef {
  $secret: string;
}

const OPEN = '\u27e6secret:';
const CLOSE = '\u27e7';
const PLACEHOLDER = /\u27e6secret:([A-Za-z0-9._/-]+)\u27e7/g;

export function isSecretRef(value: unknown): value is SecretRef {
  return typeof value === 'object' && value !== null && typeof (value as SecretRef).$secret === 'string';
}

/**
 * The text that stands for a secret inside a step's file content, `env` or
 * `stdin`. The activity that runs the step puts the value in its place.
 */
export function placeholder(ref: SecretRef): string {
  return OPEN + ref.$secret + CLOSE;
}

/** The names of the secrets that a text refers to. */
export function secretsIn(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''))];
}

/** Replaces every placeholder by what `lookup` answers for its name. */
export function reveal(text: string, lookup: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (_, name: string) => lookup(name));
}

/** Every secret reference inside a JSON value, with its path. */
export function findSecretRefs(value: unknown, path: (string | number)[] = []): { path: (string | number)[]; name: string }[] {
  if (isSecretRef(value)) return [{ path, name: value.$secret }];
  if (Array.isArray(value)) return value.flatMap((item, index) => findSecretRefs(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findSecretRefs(item, [...path, key]));
}

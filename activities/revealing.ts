import { inputError } from '../core/errors.js';
import { findSecretRefs, reveal, secretsIn } from '../core/secret.js';
import type { SecretSource } from './dependencies.js';

/** Secrets looked up once, then put in place, or hidden, synchronously. */
export interface Revealer {
  reveal(text: string): string;
  /** Replaces every known secret by `***`, for logs and error texts. */
  hide(text: string): string;
}

const GENERATED = 'generated/';

/**
 * Looks up every secret that a JSON value refers to, by reference or by placeholder.
 * Throws the input error `secret-not-set`.
 */
export async function revealerFor(value: unknown, secrets: SecretSource): Promise<Revealer> {
  const names = new Set([...findSecretRefs(value).map(({ name }) => name), ...secretsIn(JSON.stringify(value) ?? '')]);
  const known = new Map<string, string>();
  for (const name of names) {
    const found = name.startsWith(GENERATED) ? await secrets.ensureGenerated(name) : await secrets.get(name);
    if (found === undefined) {
      throw inputError({
        code: 'secret-not-set',
        what: 'resolve the secret',
        on: name,
        why: 'it is not set',
        hint: `provisioning secret set ${name}`,
      });
    }
    known.set(name, found);
  }
  const values = [...known.values()].filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length);
  return {
    reveal: (text) => reveal(text, (name) => known.get(name) ?? ''),
    hide: (text) => values.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text),
  };
}

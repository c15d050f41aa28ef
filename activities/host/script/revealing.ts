import { inputError } from '../../../core/errors.js';
import { findSecretRefs, reveal, type Text } from '../../../core/taskserv/secret.js';
import type { InfraSecrets } from '../../../secrets/infra-secrets.js';
import { maskOf } from './masking.js';

/** Secrets looked up once, then put in place, or hidden, synchronously. */
export interface Revealer {
  /** Throws the input error `secret-not-declared` for a reference that was not declared. */
  reveal(text: Text): string;
  /** Replaces every known secret by `***`, for logs and error texts. */
  hide(text: string): string;
}

/**
 * Looks up every secret that configurations of a definition refer to, and knows no other.
 * Throws the input error `secret-not-set`.
 */
export async function revealerFor(config: unknown, secrets: InfraSecrets): Promise<Revealer> {
  return revealerOf(await valuesOf(namesIn(config), secrets));
}

/**
 * Looks up the secrets that steps refer to, where the definition declared them for this
 * work. Those that it declared and no step needs are hidden too, where they are set.
 * Throws the input errors `secret-not-declared` and `secret-not-set`.
 *
 * @param declared names of secrets
 */
export async function revealerForSteps(steps: unknown, declared: readonly string[], secrets: InfraSecrets): Promise<Revealer> {
  const used = namesIn(steps);
  for (const name of used) if (!declared.includes(name)) throw notDeclared(name);
  const others = declared.filter((name) => !used.includes(name));
  return revealerOf(await valuesOf(used, secrets), await knownOf(others, secrets));
}

/** Reveals nothing, and hides what is set of these secrets and these values. */
export async function maskFor(names: readonly string[], secrets: InfraSecrets, values: readonly string[] = []): Promise<Revealer> {
  return revealerOf(new Map(), [...(await knownOf(names, secrets)), ...values]);
}

/** The names of all secrets that a JSON value refers to. */
export const namesIn = (value: unknown): string[] => [...new Set(findSecretRefs(value).map(({ name }) => name))];

function revealerOf(known: ReadonlyMap<string, string>, others: readonly string[] = []): Revealer {
  return {
    reveal: (text) =>
      reveal(text, (name) => {
        const value = known.get(name);
        if (value === undefined) throw notDeclared(name);
        return value;
      }),
    hide: maskOf([...known.values(), ...others]),
  };
}

async function valuesOf(names: readonly string[], secrets: InfraSecrets): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (const name of names) {
    const found = await secrets.give(name);
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
  return known;
}

async function knownOf(names: readonly string[], secrets: InfraSecrets): Promise<string[]> {
  const found = await Promise.all(names.map((name) => secrets.get(name)));
  return found.filter((value) => value !== undefined);
}

const notDeclared = (name: string) =>
  inputError({
    code: 'secret-not-declared',
    what: 'reveal the secret',
    on: name,
    why: 'the definition does not refer to it for this service',
    hint: 'say { secret: NAME } where the configuration of the service takes a secret',
  });

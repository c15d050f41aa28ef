import { inputError } from '../../../core/errors.js';
import { type GivenShare, isShare, share } from '../../../core/taskserv/groups/share.js';
import { findSecretRefs, reveal, type Text } from '../../../core/taskserv/secret.js';
import type { InfraSecrets } from '../../../secrets/infra-secrets.js';
import type { Mask } from '../../../secrets/masking/masking.js';

/** Secrets looked up once, then put in place synchronously. It hides all secrets of the infra, whichever service they are for. */
export interface Revealer extends Mask {
  /** Throws the input error `secret-not-declared` for a reference that was not declared. */
  reveal(text: Text): string;
}

/**
 * Looks up every secret that configurations of a definition refer to, and reveals no other.
 * Throws the input error `secret-not-set`.
 */
export async function revealerFor(config: unknown, secrets: InfraSecrets): Promise<Revealer> {
  return revealerOf(await valuesOf(namesIn(config), secrets), await secrets.mask());
}

/**
 * Looks up the secrets that steps refer to, where the definition declared them for this work.
 * Throws the input errors `secret-not-declared` and `secret-not-set`.
 *
 * @param declared names of secrets
 * @param shares values of the shares of its group, by name
 */
export async function revealerForSteps(
  steps: unknown,
  declared: readonly string[],
  secrets: InfraSecrets,
  shares: ReadonlyMap<string, GivenShare> = new Map(),
): Promise<Revealer> {
  const used = namesIn(steps).filter((name) => !isShare(name));
  for (const name of used) if (!declared.includes(name)) throw notDeclared(name);
  const values = await valuesOf(used, secrets);
  for (const [name, { value }] of shares) values.set(share(name).$secret, value);
  return revealerOf(values, await secrets.mask());
}

/** Reveals nothing, and hides these values too, of which the store may know nothing any more. */
export async function maskFor(secrets: InfraSecrets, values: readonly string[] = []): Promise<Revealer> {
  return revealerOf(new Map(), (await secrets.mask()).with(values));
}

/** The names of all secrets that a JSON value refers to. */
const namesIn = (value: unknown): string[] => [...new Set(findSecretRefs(value).map(({ name }) => name))];

function revealerOf(known: ReadonlyMap<string, string>, { hide, pieces }: Mask): Revealer {
  return {
    reveal: (text) =>
      reveal(text, (name) => {
        const value = known.get(name);
        if (value === undefined) throw notDeclared(name);
        return value;
      }),
    hide,
    pieces,
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
        why: 'the secret is not set',
        hint: `provisioning secret set ${name}`,
      });
    }
    known.set(name, found);
  }
  return known;
}

const notDeclared = (name: string) =>
  inputError({
    code: 'secret-not-declared',
    what: 'reveal the secret',
    on: name,
    why: 'the definition does not refer to it for this service',
    hint: 'write { secret: NAME } in a field of the service that accepts a secret',
  });

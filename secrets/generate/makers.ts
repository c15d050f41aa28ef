import { randomBytes } from 'node:crypto';
import { inputError } from '../../core/errors.js';
import type { Recipe } from '../../core/schema/recipe.js';
import { parseGeneratedName } from '../../core/taskserv/generated-names.js';
import { derivePublicKey, makePair } from '../../stores/key-pair.js';
import { type Maker, PASSWORD, type SecretStore } from '../../stores/secrets.js';
import { certificatesIn, keysIn, listTrusted, makeAuthority, makeCertificate } from './certificates.js';

/** Default validity of an authority, in days. */
export const CA_DAYS = 3650;
/** Default validity of a certificate, in days. */
export const CERTIFICATE_DAYS = 365;
/** 32 random bytes, in hexadecimal. */
const TOKEN_LENGTH = 64;

/**
 * Returns the maker of a secret by its recipe. Creates the authority of a certificate if it is missing.
 *
 * @param name stored name; secrets that it needs belong to the same infra
 */
export async function createMaker(store: Pick<SecretStore, 'ensureGenerated'>, name: string, recipe: Recipe): Promise<Maker> {
  switch (recipe.generate) {
    case 'password':
      return recipe.length === undefined ? PASSWORD : { recipe, make: () => characters(recipe.length ?? 0, 'base64url') };
    case 'token':
      return { recipe, make: () => characters(recipe.length ?? TOKEN_LENGTH, 'hex') };
    case 'ssh-key':
      return { recipe, make: () => makePair(commentOf(name)).private };
    case 'ca':
      return { recipe, make: () => makeAuthority(recipe.name, recipe.days ?? CA_DAYS) };
    case 'certificate': {
      const authority = await ensureAuthority(store, name, recipe.ca);
      return { recipe, make: () => makeCertificate(authority, recipe.names, recipe.days ?? CERTIFICATE_DAYS) };
    }
  }
}

/** Returns the value for a reference to a generated secret. @param value stored value */
export function partOf(name: string, value: string): string {
  const { kind, kept, part } = parseGeneratedName(name);
  const [own = '', ...authorities] = certificatesIn(value);
  const [key = ''] = keysIn(value);
  const parts: Partial<Record<Recipe['generate'], Record<string, () => string>>> = {
    'ssh-key': { private: () => value, public: () => `${derivePublicKey(value, commentOf(kept))}\n` },
    ca: { certificate: () => listTrusted(value).join('') },
    certificate: {
      bundle: () => `${own}${key}`,
      certificate: () => own,
      key: () => key,
      authority: () => authorities.join(''),
    },
  };
  const known = parts[kind];
  if (!known) return value;
  const found = part !== undefined && Object.hasOwn(known, part) ? known[part]?.() : undefined;
  if (found) return found;
  throw inputError({ code: 'secret-out-of-reach', what: 'resolve the secret', on: name, why: 'the pair has no such part' });
}

const ensureAuthority = async (store: Pick<SecretStore, 'ensureGenerated'>, name: string, label: string): Promise<string> => {
  const authority = `${name.split('/').slice(0, 3).join('/')}/ca/${label}`;
  return store.ensureGenerated(authority, await createMaker(store, authority, { generate: 'ca', name: label }));
};

const characters = (length: number, encoding: 'base64url' | 'hex'): string =>
  randomBytes(length).toString(encoding).slice(0, length);

/** Returns the comment of the public key: its name without the prefix that marks a generated secret. */
const commentOf = (name: string): string => name.split('/').slice(1).join('/');

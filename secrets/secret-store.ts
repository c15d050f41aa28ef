import { randomBytes } from 'node:crypto';
import { inputError } from '../core/errors.js';

/**
 * Where the values of secrets are. Definitions, plans and history hold names
 * only. A value set in the environment (`environmentKey`) wins over a kept one.
 */
export interface SecretStore {
  /** The value; undefined when it is not set. */
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** @returns whether there was one */
  delete(name: string): Promise<boolean>;
  /** Names of the kept ones, sorted; never those of the environment, which cannot be told from others. */
  list(): Promise<string[]>;
  /** The value, made at first use and kept; the same for all who ask at the same time. */
  ensureGenerated(name: string): Promise<string>;
}

/** @throws an input error for what cannot be the name of a secret */
export function checkSecretName(name: string): void {
  const segments = name.split('/');
  if (name.length <= 200 && segments.every((segment) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(segment))) return;
  throw inputError({
    code: 'secret-name',
    what: 'name the secret',
    on: name.length <= 200 ? name : `${name.slice(0, 40)}…`,
    why: 'a name is made of letters, digits, ".", "_" and "-", in parts divided by "/", at most 200 characters in all',
  });
}

/** `redis-password` is taken from `PROVISIONING_SECRET_REDIS_PASSWORD`. */
export const environmentKey = (name: string): string =>
  `PROVISIONING_SECRET_${name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()}`;

/** Which secrets are set, the environment's included: what loading a definition asks. */
export async function secretNamesOf(
  store: SecretStore,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ has(name: string): boolean }> {
  const kept = new Set(await store.list());
  return { has: (name) => kept.has(name) || env[environmentKey(name)] !== undefined };
}

/** 24 random bytes are 32 characters that need no quoting anywhere. */
const PASSWORD_BYTES = 24;

/** A value for a secret that nobody chooses. */
export const makeSecret = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

import { randomBytes } from 'node:crypto';
import { inputError } from '../core/errors.js';
import { NAME, NAME_RULE } from '../core/names.js';
import type { Recipe } from '../core/schema/recipe.js';
import type { SecretScope } from '../core/taskserv/secret-reach.js';
import { isWorkspace } from '../core/tenant-names.js';
import type { SecretRead } from './secret-reads.js';
import { NOBODY, type Origin, type SecretVersion } from './secret-versions.js';

/** Secrets of one scope, by name. */
export interface ScopedSecrets {
  /** The value; undefined when it is not set. */
  get(name: string): Promise<string | undefined>;
  /** Makes a new version, unless it has this value already. The newest `KEPT_VERSIONS` stay. */
  set(name: string, value: string, origin?: Origin): Promise<void>;
  /** Deletes all versions. @returns whether there was one */
  delete(name: string): Promise<boolean>;
  /** The stored versions, the newest first, which is the version in use. Empty if the secret is not set. */
  history(name: string): Promise<SecretVersion[]>;
  /** The value of a stored version. */
  version(name: string, version: number): Promise<string | undefined>;
  /** Stores a version of another store under its number; the highest number is the version in use. */
  adopt(name: string, value: string, version: SecretVersion): Promise<void>;
  /** Stores a read of the value. A limited number of reads stays, even after the secret was deleted. */
  noteRead(name: string, read: SecretRead): Promise<void>;
  /** The readers of the value, in order. */
  reads(name: string): Promise<SecretRead[]>;
}

/** Generator of a secret that no person chooses. */
export interface Maker {
  recipe: Recipe;
  make(): string;
}

/** A secret of a workspace, or of one infra in it. */
export interface ScopedName {
  name: string;
  infra?: string;
}

/**
 * Store of secret values. Definitions, plans and history have only names. All workspaces share the store's own
 * secrets: credentials of accounts, secrets that were shared on purpose, and secrets from before scopes existed. A
 * value in the environment (`environmentKey`) overrides a shared one. Names of generated secrets contain their infra.
 */
export interface SecretStore extends ScopedSecrets {
  /** Only the secrets of a workspace or of an infra: neither shared ones nor values of the environment. */
  within(scope: SecretScope): ScopedSecrets;
  /** Names of the stored secrets in a workspace and its infras, by name, then infra. */
  listScoped(workspace: string): Promise<ScopedName[]>;
  /**
   * Names of the stored secrets, sorted. Names in the environment are never included, since they cannot be
   * distinguished from other variables.
   */
  list(): Promise<string[]>;
  /** Returns the value, which is generated at first use and stored; concurrent callers get the same value. */
  ensureGenerated(name: string, maker?: Maker): Promise<string>;
}

/** @throws an input error for an invalid name of a secret */
export function checkSecretName(name: string): void {
  const segments = name.split('/');
  if (name.length <= 200 && segments.every((segment) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(segment))) return;
  throw inputError({
    code: 'secret-name',
    what: 'name the secret',
    on: name.length <= 200 ? name : `${name.slice(0, 40)}…`,
    why: 'a name consists of letters, digits, ".", "_" and "-", in parts separated by "/", at most 200 characters in all',
  });
}

/** @throws an input error for an invalid name of a workspace or an infra, which becomes the name of a folder */
export function checkSecretScope({ workspace, infra }: SecretScope): void {
  const wrong = !isWorkspace(workspace) ? workspace : infra !== undefined && !NAME.test(infra) ? infra : undefined;
  if (wrong === undefined) return;
  const why = `the name of a workspace or an infra must match: ${NAME_RULE}`;
  throw inputError({ code: 'secret-scope', what: 'find the secrets', on: wrong, why });
}

/** Returns the context that a shared secret is sealed for, so that it cannot replace another secret. */
export const contextOfSecret = (name: string): string => `secret/${name}`;

/** Returns the same context for a secret of a workspace or an infra. */
export const contextOfScopedSecret = ({ workspace, infra = '' }: SecretScope, name: string): string =>
  `scoped-secret/${workspace}/${infra}/${name}`;

/** Sorts by name; secrets of the workspace come before those of its infras. */
export const sortSecretNames = (names: ScopedName[]): ScopedName[] =>
  names.sort((a, b) => (a.name === b.name ? ((a.infra ?? '') < (b.infra ?? '') ? -1 : 1) : a.name < b.name ? -1 : 1));

/** `redis-password` is taken from `PROVISIONING_SECRET_REDIS_PASSWORD`. */
export const environmentKey = (name: string): string =>
  `PROVISIONING_SECRET_${name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()}`;

/** 24 random bytes are 32 characters that need no quoting anywhere. */
const PASSWORD_BYTES = 24;

/** Generator of `{ generate: password }`. */
export const PASSWORD: Maker = {
  recipe: { generate: 'password' },
  make: () => randomBytes(PASSWORD_BYTES).toString('base64url'),
};

/** Returns the origin of a generated secret's first version. */
export const createGeneratedOrigin = ({ recipe }: Maker): Origin => ({ ...NOBODY, how: 'generated', recipe });

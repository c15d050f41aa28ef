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
  /** What is known of the versions that are kept, the newest first, which is the one in use; none where it is not set. */
  history(name: string): Promise<SecretVersion[]>;
  /** The value of a version that is kept. */
  version(name: string, version: number): Promise<string | undefined>;
  /** Keeps a version of another store under its number; the highest is the one in use. */
  adopt(name: string, value: string, version: SecretVersion): Promise<void>;
  /** Keeps who was given the value. A bounded number of reads stays, also after the secret was deleted. */
  noteRead(name: string, read: SecretRead): Promise<void>;
  /** Who was given the value, in order. */
  reads(name: string): Promise<SecretRead[]>;
}

/** What makes a secret that nobody chooses. */
export interface Maker {
  recipe: Recipe;
  make(): string;
}

/** A secret that is kept for a workspace, or for one infra of it. */
export interface ScopedName {
  name: string;
  infra?: string;
}

/**
 * Where the values of secrets are. Definitions, plans and history hold names only.
 * The store's own are shared by all workspaces: credentials of accounts, what was shared
 * on purpose, what was set before there were scopes. A value set in the environment
 * (`environmentKey`) wins over a shared one. Generated ones bear their infra in their names.
 */
export interface SecretStore extends ScopedSecrets {
  /** The secrets of a workspace or of an infra, and no others: neither shared nor the environment's. */
  within(scope: SecretScope): ScopedSecrets;
  /** What is kept for a workspace and its infras, by name, then infra. */
  listScoped(workspace: string): Promise<ScopedName[]>;
  /** Names of the kept ones, sorted; never those of the environment, which cannot be told from others. */
  list(): Promise<string[]>;
  /** The value, made at first use and kept; the same for all who ask at the same time. */
  ensureGenerated(name: string, maker?: Maker): Promise<string>;
}

/** @throws an input error for what cannot be the name of a secret */
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

/** @throws an input error for what cannot be a workspace or an infra: it becomes the name of a folder */
export function checkSecretScope({ workspace, infra }: SecretScope): void {
  const wrong = !isWorkspace(workspace) ? workspace : infra !== undefined && !NAME.test(infra) ? infra : undefined;
  if (wrong === undefined) return;
  const why = `the name of a workspace or an infra must match: ${NAME_RULE}`;
  throw inputError({ code: 'secret-scope', what: 'find the secrets', on: wrong, why });
}

/** What a shared secret is sealed for: it cannot stand for another. */
export const contextOfSecret = (name: string): string => `secret/${name}`;

/** The same of one that is kept for a workspace or an infra. */
export const contextOfScopedSecret = ({ workspace, infra = '' }: SecretScope, name: string): string =>
  `scoped-secret/${workspace}/${infra}/${name}`;

/** By name, those of the workspace before those of its infras. */
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

/** Makes what `{ generate: password }` says. */
export const PASSWORD: Maker = {
  recipe: { generate: 'password' },
  make: () => randomBytes(PASSWORD_BYTES).toString('base64url'),
};

/** What a generated secret says of its first version. */
export const createGeneratedOrigin = ({ recipe }: Maker): Origin => ({ ...NOBODY, how: 'generated', recipe });

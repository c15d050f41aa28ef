import { randomBytes } from 'node:crypto';
import { inputError } from '../core/errors.js';
import { NAME, NAME_RULE } from '../core/names.js';
import type { SecretScope } from '../core/taskserv/secret-reach.js';

/** Secrets of one scope, by name. */
export interface ScopedSecrets {
  /** The value; undefined when it is not set. */
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** @returns whether there was one */
  delete(name: string): Promise<boolean>;
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
export interface SecretStore {
  /** The secrets of a workspace or of an infra, and no others: neither shared nor the environment's. */
  within(scope: SecretScope): ScopedSecrets;
  /** What is kept for a workspace and its infras, by name, then infra. */
  listScoped(workspace: string): Promise<ScopedName[]>;
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

/** @throws an input error for what cannot be a workspace or an infra: it becomes the name of a folder */
export function checkSecretScope({ workspace, infra }: SecretScope): void {
  for (const name of infra === undefined ? [workspace] : [workspace, infra]) {
    if (!NAME.test(name))
      throw inputError({
        code: 'secret-scope',
        what: 'find the secrets',
        on: name,
        why: `a workspace or an infra is ${NAME_RULE}`,
      });
  }
}

/** What a shared secret is sealed for: it cannot stand for another. */
export const contextOfSecret = (name: string): string => `secret/${name}`;

/** The same of one that is kept for a workspace or an infra. */
export const contextOfScopedSecret = ({ workspace, infra = '' }: SecretScope, name: string): string =>
  `scoped-secret/${workspace}/${infra}/${name}`;

/** By name, those of the workspace before those of its infras. */
export const inOrder = (names: ScopedName[]): ScopedName[] =>
  names.sort((a, b) => (a.name === b.name ? ((a.infra ?? '') < (b.infra ?? '') ? -1 : 1) : a.name < b.name ? -1 : 1));

/** `redis-password` is taken from `PROVISIONING_SECRET_REDIS_PASSWORD`. */
export const environmentKey = (name: string): string =>
  `PROVISIONING_SECRET_${name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()}`;

/** 24 random bytes are 32 characters that need no quoting anywhere. */
const PASSWORD_BYTES = 24;

/** A value for a secret that nobody chooses. */
export const makeSecret = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

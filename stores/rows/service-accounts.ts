import * as z from 'zod';
import { table } from './collection.js';

/** Empty: the one tenant of a home. */
const tenant = z.string();
const at = z.iso.datetime();
/** A workspace, or `*` for all of them. */
const scope = z.string();

/** An identity for programs, such as a CI job. */
const serviceAccount = z.strictObject({
  tenant,
  /** `ci`; `default/ci` for an account of one workspace. */
  name: z.string(),
  /** Random: an account that is created again under the same name is another one. */
  id: z.string(),
  /** It can have roles within this scope. */
  scope,
  about: z.string().optional(),
  createdAt: at,
  createdBy: z.string(),
});

const accessToken = z.strictObject({
  id: z.string(),
  tenant,
  /** The name of its account, and the id. */
  name: z.string(),
  account: z.string(),
  /** SHA-256 of the secret part, in base64url. The secret itself is not stored. */
  hash: z.string(),
  about: z.string().optional(),
  createdAt: at,
  createdBy: z.string(),
  expiresAt: at,
  usedAt: at.optional(),
  revokedAt: at.optional(),
  revokedBy: z.string().optional(),
});

const roleBinding = z.strictObject({
  /** The id of an account. */
  account: z.string(),
  workspace: scope,
  /** A text, so that a release without one of the roles still reads the others. */
  role: z.string(),
  createdAt: at,
  createdBy: z.string(),
});

const administratorCodes = z.strictObject({
  tenant,
  /** Every process that starts before the first administrator exists prints a code. */
  codes: z.array(z.strictObject({ hash: z.string(), expiresAt: at })),
});

export type ServiceAccount = z.infer<typeof serviceAccount>;
export type AccessToken = z.infer<typeof accessToken>;
export type RoleBinding = z.infer<typeof roleBinding>;

/** Rows are encrypted, so that write access to the database is not enough to add an account, a token or a role. */
const sealed = true;

export const serviceAccounts = table({
  name: 'service_accounts',
  row: serviceAccount,
  key: ['tenant', 'name'],
  indexes: ['scope'],
  sealed,
});

export const accessTokens = table({ name: 'access_tokens', row: accessToken, key: ['id'], indexes: ['account'], sealed });

export const roleBindings = table({
  name: 'role_bindings',
  row: roleBinding,
  key: ['account', 'workspace', 'role'],
  indexes: ['account', 'role'],
  sealed,
});

/** Codes with which the first administrator signs in. */
export const firstAdministrators = table({
  name: 'first_administrators',
  row: administratorCodes,
  key: ['tenant'],
  indexes: [],
  sealed,
});

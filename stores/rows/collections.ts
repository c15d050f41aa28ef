import { auditEvents } from './audit-events.js';
import type { AnyCollection } from './collection.js';
import { accessTokens, firstAdministrators, roleBindings, serviceAccounts } from './service-accounts.js';
import { tenants } from './tenants.js';

/** Every collection of rows. Backups and moves to another store have all of them, in this order. */
export const COLLECTIONS: readonly AnyCollection[] = [
  auditEvents,
  serviceAccounts,
  accessTokens,
  roleBindings,
  firstAdministrators,
  tenants,
];

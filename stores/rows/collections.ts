import { auditEvents } from './audit-events.js';
import { auditIdentities, auditRecords } from './audit-records.js';
import type { AnyCollection } from './collection.js';
import { endedOperations } from './ended-operations.js';
import { failedSignInsByAddress } from './failed-sign-ins.js';
import { freezes } from './freezes.js';
import { idempotencyKeys } from './idempotency-keys.js';
import { resourceLocks } from './locks/resource-locks.js';
import { listedOperations } from './projections/listed-operations.js';
import { projectionMarks } from './projections/projection-marks.js';
import { claimsOfQuotas, quotas } from './quotas.js';
import { accessTokens, firstAdministrators, roleBindings, serviceAccounts } from './service-accounts.js';
import { tenants } from './tenants.js';
import { workspaceImports } from './workspace-imports.js';
import { infraEnvironments } from './workspaces/infra-environments.js';
import { workspaceTransfers } from './workspaces/workspace-transfers.js';

/** Every collection of rows. Backups and moves to another store have all of them, in this order. */
export const COLLECTIONS: readonly AnyCollection[] = [
  auditEvents,
  serviceAccounts,
  accessTokens,
  roleBindings,
  firstAdministrators,
  endedOperations,
  auditRecords,
  auditIdentities,
  idempotencyKeys,
  freezes,
  quotas,
  claimsOfQuotas,
  failedSignInsByAddress,
  tenants,
  listedOperations,
  projectionMarks,
  workspaceImports,
  resourceLocks,
  infraEnvironments,
  workspaceTransfers,
];

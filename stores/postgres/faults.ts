import { bugError, inputError, messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';
import { createHeldError, createMovedError } from '../moves.js';

/** Error codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html), with remedies. */
const REFUSALS: Readonly<Record<string, { code: string; hint: string }>> = {
  '28P01': { code: 'store-password', hint: 'set it with PGPASSWORD, ~/.pgpass or PROVISIONING_STORE_PASSWORD_FILE' },
  '28000': { code: 'store-password', hint: 'check pg_hba.conf of the server, and the user in PROVISIONING_STORE' },
  '3D000': { code: 'store-no-database', hint: 'create it: createdb NAME; its tables are created automatically' },
  '42501': {
    code: 'store-permission',
    hint: 'grant CREATE on the database once; later the user only needs to read and write the schema "provisioning"',
  },
};
/** SQLSTATE codes that the trigger raises: PostgreSQL has no such class. */
export const MOVE_REFUSES = 'PV002';
export const MOVE_HOLDS = 'PV001';
const PASSWORD_MISSING = /password must be a string|no password supplied/i;
const CERTIFICATE = /certificate|self.signed|unable to verify|altnames|does not support SSL|SSL connection is required/i;
/** Classes of PostgreSQL's codes that pass: connection, resources, operator's intervention, serialization. */
const TRANSIENT_STATES = /^(08|53|57|40|25006|55P03)/;
const BROKEN = /terminat|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET|timeout|closed/i;

/** A fault of the store in our words; `on` names it without its password. */
export function storeFault(error: unknown, what: string, on: string): ProvisioningError {
  if (error instanceof ProvisioningError) return error;
  const { code = '' } = error as { code?: string };
  const why = messageOf(error) || code;
  const options = { cause: error };
  if (code === MOVE_REFUSES) return createMovedError(on, { state: 'moved', other: why });
  if (code === MOVE_HOLDS) return createHeldError(on, error);
  const refusal = REFUSALS[code];
  if (refusal) return inputError({ ...refusal, what, on, why }, options);
  if (PASSWORD_MISSING.test(why)) {
    const hint = REFUSALS['28P01']?.hint;
    return inputError({ code: 'store-password', what, on, why: 'it requires a password, and none is set', hint }, options);
  }
  if (isBroken(error)) {
    const hint = 'check PROVISIONING_STORE, and that the server runs and accepts this machine';
    return unreachableError({ code: 'store-unreachable', what, on, why, hint }, options);
  }
  if (CERTIFICATE.test(why)) {
    const hint = 'sslmode and sslrootcert in PROVISIONING_STORE set the trusted authorities';
    return inputError({ code: 'store-certificate', what, on, why, hint }, options);
  }
  return bugError({ code: 'store-failed', what, on, why }, options);
}

/** Whether a move holds the store, so that the same statement may be accepted after it. */
export const isHeld = (error: unknown): boolean => (error as { code?: string }).code === MOVE_HOLDS;

/** Whether another try may find the store there. */
export function isBroken(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return TRANSIENT_STATES.test(code) || BROKEN.test(code) || BROKEN.test(messageOf(error));
}

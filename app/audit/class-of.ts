import type { AuditClass } from '../../stores/rows/audit-records.js';

/** Returns whether an action only reads recorded data. Such calls have no record of their own, and run without one. */
export const isRead = (action: string): boolean => /:read(-|$)/.test(action);

const SECRETS = /^(secret:|server:login$|workspace:(export|import)$)/;
const ACCESS = /^(audit|token|role|service-account|user|group|policy):/;

/** The class of a call that was allowed. */
export function findClass(action: string): AuditClass {
  if (isRead(action)) return 'reads';
  if (SECRETS.test(action)) return 'secrets';
  return ACCESS.test(action) ? 'access' : 'changes';
}

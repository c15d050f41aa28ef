import { inputError } from '../../core/errors.js';
import type { Session } from '../program/session.js';

/**
 * Rejects a command that needs a confirmation in a session that is not interactive.
 *
 * @param otherwise an alternative to `--yes`: `--check to only look`
 * @throws ProvisioningError (input) `needs-yes`
 */
export function needsYes({ interactive }: Session, what: string, on?: string, otherwise?: string): void {
  if (interactive) return;
  const why = 'it needs a confirmation, and there is no terminal to ask on';
  const hint = ['add --yes', otherwise].filter(Boolean).join(', or ');
  throw inputError({ code: 'needs-yes', what, ...(on === undefined ? {} : { on }), why, hint });
}

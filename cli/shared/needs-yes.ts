import { inputError } from '../../core/errors.js';
import type { Session } from '../program/session.js';

/**
 * Refuses what would ask where nobody is there to answer.
 *
 * @param otherwise what to do instead of `--yes`: `--check to only look`
 * @throws ProvisioningError (input) `needs-yes`
 */
export function needsYes({ interactive }: Session, what: string, on?: string, otherwise?: string): void {
  if (interactive) return;
  const why = 'it needs a confirmation, and there is no terminal to ask on';
  const hint = ['add --yes', otherwise].filter(Boolean).join(', or ');
  throw inputError({ code: 'needs-yes', what, ...(on === undefined ? {} : { on }), why, hint });
}

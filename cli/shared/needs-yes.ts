import { inputError } from '../../core/errors.js';
import type { Session } from '../session.js';

/**
 * Refuses what would ask where nobody is there to answer.
 *
 * @param otherwise what to do instead of `--yes`: `--check to only look`
 * @throws ProvisioningError (input) `needs-yes`
 */
export function needsYes({ interactive }: Session, what: string, on?: string, otherwise?: string): void {
  if (interactive) return;
  const why = 'it would ask before it acts, and nobody is there to answer';
  const hint = ['add --yes', otherwise].filter(Boolean).join(', or ');
  throw inputError({ code: 'needs-yes', what, ...(on === undefined ? {} : { on }), why, hint });
}

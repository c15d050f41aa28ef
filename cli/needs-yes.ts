import { inputError } from '../core/errors.js';
import type { Session } from './session.js';

/** Refuses what would ask where nobody is there to answer. */
export function needsYes({ interactive }: Session, what: string, on: string): void {
  if (interactive) return;
  const why = 'it would ask before, and nobody is there to answer';
  throw inputError({ code: 'needs-yes', what, on, why, hint: 'add --yes' });
}

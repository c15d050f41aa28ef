import { EXIT } from '../../core/exit-codes.js';
import type { Session } from '../program/session.js';

/**
 * Reports that the user declined.
 *
 * @returns the exit code of a declined command
 */
export function reportDeclined({ out }: Pick<Session, 'out'>): number {
  out.write('Nothing was changed.\n');
  return EXIT.canceled;
}

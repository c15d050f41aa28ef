import { EXIT } from '../../core/exit-codes.js';
import type { Session } from '../program/session.js';

/**
 * Says that a person's no was heard.
 *
 * @returns the exit code of a command that a person said no to
 */
export function reportDeclined({ out }: Pick<Session, 'out'>): number {
  out.write('Nothing was changed.\n');
  return EXIT.canceled;
}

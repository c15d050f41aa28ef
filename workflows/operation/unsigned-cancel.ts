import { ApplicationFailure } from '@temporalio/workflow';
import type { ControlEntry } from '../../core/operation/control.js';
import type { Decision } from '../../core/operation/operation.js';

/** An update that is refused, with a code and the reason. */
export const refuse = (code: string, why: string) => ApplicationFailure.nonRetryable(why, code);

/**
 * What a person is asked after a cancel that came past the platform: anybody who reaches Temporal
 * can send one, so nothing may follow from it by itself.
 *
 * @param takesBack whether the operation's own work is to take back
 */
export const questionAbout = ({ at }: ControlEntry, takesBack: boolean): string =>
  `Temporal was told at ${at} to cancel it, and nobody signed that. Resume${takesBack ? '' : ', roll back'} or keep?`;

/** Refuses what is no answer to that. */
export function refuseAbout(decision: Decision, takesBack: boolean): void {
  const resume = 'to go on, resume it';
  if (decision === 'rollback' && takesBack) throw refuse('not-waiting', `it takes back already: ${resume}`);
  if (decision !== 'rollback' && decision !== 'keep') throw refuse('not-waiting', `nothing failed: ${resume}`);
}

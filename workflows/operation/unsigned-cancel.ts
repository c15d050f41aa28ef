import { ApplicationFailure } from '@temporalio/workflow';
import type { ControlEntry } from '../../core/operation/control.js';
import type { Decision } from '../../core/operation/operation.js';

/** An update that is refused, with a code and the reason. */
export const refuse = (code: string, why: string) => ApplicationFailure.nonRetryable(why, code);

/**
 * Question to a person after a cancel that did not come through the platform. Any user of Temporal can send one, so it
 * must have no other effect.
 *
 * @param rollsBack whether the operation's own work would be rolled back
 */
export const questionAbout = ({ at }: ControlEntry, rollsBack: boolean): string =>
  `Temporal was told at ${at} to cancel it, and nobody signed that. Resume${rollsBack ? '' : ', roll back'} or keep?`;

/** Refuses what is no answer to that. */
export function refuseAbout(decision: Decision, rollsBack: boolean): void {
  const resume = 'to go on, resume it';
  if (decision === 'rollback' && rollsBack) throw refuse('not-waiting', `it is already rolling back: ${resume}`);
  if (decision !== 'rollback' && decision !== 'keep') throw refuse('not-waiting', `nothing failed: ${resume}`);
}

import { activityInfo, CancelledFailure } from '@temporalio/activity';
import { inputError, unreachableError } from '../../../core/errors.js';
import { stepFailed } from '../../failures.js';
import type { ActResult, Work } from '../host.js';
import { hostFault } from '../journal/host-fault.js';
import { reportUnjournaled } from '../journal/without-journal.js';
import { findCause } from './cause.js';
import type { FollowResult } from './follow.js';
import type { Revealer } from './revealing.js';

/** What was done, by how the work ended; throws where it failed, was lost or canceled. */
export function summarizeActed(outcome: FollowResult, { steps, ...job }: Work & { server: string }, { hide }: Revealer): ActResult {
  const on = `${job.server}/${job.taskserv}`;
  if (outcome.how === 'ok') return { executed: steps.length };
  if (outcome.how === 'paused') return { executed: outcome.done, paused: true };
  if (outcome.how === 'none') return reportUnjournaled(job);
  if (outcome.how === 'canceled') throw new CancelledFailure('CANCELLED');
  if (outcome.how === 'superseded') {
    throw inputError({
      code: 'grant-superseded',
      what: 'work on the host',
      on,
      why: 'a later operation holds the lock and has started to work there',
      hint: `provisioning workflow status ${job.operation} shows the completed steps`,
    });
  }
  if (outcome.how === 'lost' || outcome.how === 'unwritable') {
    const why = hide(outcome.why);
    const fault = outcome.how === 'unwritable' ? hostFault('work on the host', on, why) : undefined;
    throw fault ?? unreachableError({ code: 'work-lost', what: 'follow the steps', on, why: why.slice(-500) });
  }
  const step = steps[outcome.index];
  const tail = hide(outcome.tail);
  // A mirror that cannot be reached is a transient error, a few times; then somebody should hear of it.
  const fetching =
    activityInfo().attempt < 4 &&
    step !== undefined &&
    'package' in step &&
    /Temporary failure|Could not resolve|Connection (failed|timed out|refused)|Unable to fetch some archives/.test(tail);
  const why = findCause(step, outcome.exit, tail);
  throw stepFailed(
    {
      code: 'step-failed',
      what: step?.title ?? `step ${outcome.index + 1}`,
      on,
      why,
      hint: hintFor(why, tail) ?? `provisioning logs ${job.operation} --server ${job.server} --taskserv ${job.taskserv}`,
    },
    fetching,
  );
}

function hintFor(why: string, tail: string): string | undefined {
  if (/No space left on device/.test(tail)) return 'the disk is full: make room on the host, then retry';
  const [, masked] = /^Unit ([\w@:.\\-]+) is masked$/.exec(why) ?? [];
  return masked && `somebody forbade it to start: systemctl unmask ${masked} on the host, then retry`;
}

import { activityInfo, CancelledFailure } from '@temporalio/activity';
import { inputError, unreachableError } from '../../../core/errors.js';
import type { Step } from '../../../core/host/step.js';
import type { InfraSecrets } from '../../../secrets/infra-secrets.js';
import { stepFailed } from '../../failures.js';
import type { ActResult, Work } from '../host.js';
import { ownerMark } from '../host-mark.js';
import { executeSteps, undoSteps } from '../journal/execute.js';
import { hostFault } from '../journal/host-fault.js';
import { openSealedFiles } from '../journal/sealed-journal.js';
import { reportUnjournaled } from '../journal/without-journal.js';
import { findCause } from './cause.js';
import { type FollowResult, followRun } from './follow.js';
import { createProof, keepProof } from './owner.js';
import { maskFor, type Revealer, revealerForSteps } from './revealing.js';
import type { ScriptDependencies, ScriptedHost } from './scripted-host.js';

/** The steps of one unit as one remote script, with its journal. Attaches where it already runs. */
export async function runScripts(
  host: ScriptedHost,
  work: Work,
  secrets: InfraSecrets,
  { sealer, logs }: Pick<ScriptDependencies, 'sealer' | 'logs'>,
): Promise<ActResult> {
  const { scope, server } = host;
  const revealer = await revealerForSteps(work.steps, work.secrets ?? [], secrets, work.shares);
  const transport = await host.open();
  const mark = { owner: ownerMark(scope), proof: keepProof(createProof(sealer, scope, server)) };
  const job = { ...work, ...mark, scope, server, sealer, reveal: revealer.reveal, pieces: revealer.pieces };
  const outcome = await whereItHolds(work, (past) =>
    followRun(host, work, revealer, logs, (onEvent) => executeSteps(transport, { ...job, past }, onEvent)),
  );
  return summarizeActed(outcome, { ...work, server }, revealer);
}

/** Walks the journal of `runScripts` backwards. Throws the input error `journal-gone` where it should be there and is not. */
export async function undoScripts(
  host: ScriptedHost,
  work: Work,
  secrets: InfraSecrets,
  { sealer }: Pick<ScriptDependencies, 'sealer'>,
): Promise<ActResult> {
  const { scope, server } = host;
  const transport = await host.open();
  const journal = { ...work, scope, server };
  const opened = await openSealedFiles(transport, journal, sealer);
  const values = opened.flatMap((file) => file.values);
  const mask = await maskFor(secrets, values);
  const outcome = await whereItHolds(work, (past) =>
    followRun(host, work, mask, undefined, (onEvent) =>
      undoSteps(transport, { ...journal, opened, past, pieces: mask.pieces }, onEvent),
    ),
  );
  const backwards: Step[] = [...work.steps].reverse();
  return summarizeActed(outcome, { ...work, server, steps: backwards }, mask);
}

/**
 * Runs work on a host. If the host has seen a later grant, it refuses, unless this grant still holds. That happens if
 * several operations drain and undrain services of one load balancer, or after an older backup was restored and the
 * engine does not know the later grant. Then the work continues unless an even later grant was used on the host. It
 * asks again about each of those.
 */
async function whereItHolds({ stillHolds }: Work, doIt: (past?: number) => Promise<FollowResult>): Promise<FollowResult> {
  for (let past: number | undefined; ; ) {
    const outcome = await doIt(past);
    if (outcome.how !== 'superseded' || outcome.seen === undefined || !(await stillHolds?.())) return outcome;
    past = outcome.seen;
  }
}

/** Returns the completed work, by how it ended. Throws if it failed, was lost or was canceled. */
function summarizeActed(outcome: FollowResult, { steps, ...job }: Work & { server: string }, { hide }: Revealer): ActResult {
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
  // The next attempt has another value, and goes on with this step, which has not begun.
  if (outcome.expired)
    throw stepFailed(
      { code: 'share-expired', what: step?.title ?? '', on, why: 'a share of its group expired before this step began' },
      true,
    );
  // A mirror that cannot be reached is a transient error, a few times; then it is reported.
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
  return masked && `the unit is masked: systemctl unmask ${masked} on the host, then retry`;
}

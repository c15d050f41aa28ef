import type { Step } from '../../../core/host/step.js';
import type { InfraSecrets } from '../../../secrets/infra-secrets.js';
import type { ActResult, Work } from '../host.js';
import { ownerMark } from '../host-mark.js';
import { executeSteps, undoSteps } from '../journal/execute.js';
import { openSealedFiles } from '../journal/sealed-journal.js';
import { type FollowResult, followRun } from './follow.js';
import { summarizeActed } from './outcome.js';
import { createProof, keepProof } from './owner.js';
import { maskFor, revealerForSteps } from './revealing.js';
import type { ScriptDependencies, ScriptedHost } from './scripted-host.js';

/** The steps of one unit as one remote script, with its journal. Attaches where it already runs. */
export async function runScripts(
  host: ScriptedHost,
  work: Work,
  secrets: InfraSecrets,
  { sealer, logs }: Pick<ScriptDependencies, 'sealer' | 'logs'>,
): Promise<ActResult> {
  const { scope, server } = host;
  const revealer = await revealerForSteps(work.steps, work.secrets ?? [], secrets);
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
 * Does work on a host. One that has seen a later grant is right, unless this one holds all the same: several drain and
 * undrain services of one balancer at once, and after a backup was restored that is older the engine knows nothing of
 * the later one. Then it goes on, if nobody has come to the host since; each later one is asked about.
 */
async function whereItHolds({ stillHolds }: Work, doIt: (past?: number) => Promise<FollowResult>): Promise<FollowResult> {
  for (let past: number | undefined; ; ) {
    const outcome = await doIt(past);
    if (outcome.how !== 'superseded' || outcome.seen === undefined || !(await stillHolds?.())) return outcome;
    past = outcome.seen;
  }
}

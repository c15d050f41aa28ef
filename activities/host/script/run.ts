import type { Step } from '../../../core/host/step.js';
import type { InfraSecrets } from '../../../secrets/infra-secrets.js';
import type { Acted, Work } from '../host.js';
import { executeSteps, undoSteps } from '../journal/execute.js';
import { openSealedFiles } from '../journal/sealed-journal.js';
import { followed } from './follow.js';
import { actedBy } from './outcome.js';
import { ownerMark } from './owner.js';
import { maskFor, namesIn, revealerForSteps } from './revealing.js';
import type { ScriptDependencies, ScriptedHost } from './script-host.js';

/** The steps of one unit as one remote script, with its journal. Attaches where it already runs. */
export async function runScripts(
  host: ScriptedHost,
  work: Work,
  secrets: InfraSecrets,
  { sealer, logs }: Pick<ScriptDependencies, 'sealer' | 'logs'>,
): Promise<Acted> {
  const { scope, server } = host;
  const revealer = await revealerForSteps(work.steps, work.secrets ?? [], secrets);
  const transport = await host.open();
  const job = { ...work, scope, server, owner: ownerMark(scope), sealer, reveal: revealer.reveal };
  const outcome = await followed(host, work, revealer, logs, (onEvent) => executeSteps(transport, job, onEvent));
  return actedBy(outcome, { ...work, server }, revealer);
}

/** Walks the journal of `runScripts` backwards. Throws the input error `journal-gone` where it should be there and is not. */
export async function undoScripts(
  host: ScriptedHost,
  work: Work,
  secrets: InfraSecrets,
  { sealer }: Pick<ScriptDependencies, 'sealer'>,
): Promise<Acted> {
  const { scope, server } = host;
  const transport = await host.open();
  const journal = { ...work, scope, server };
  const opened = await openSealedFiles(transport, journal, sealer);
  const values = opened.flatMap((file) => file.values);
  const mask = await maskFor(namesIn(work.steps), secrets, values);
  const outcome = await followed(host, work, mask, undefined, (onEvent) => undoSteps(transport, { ...journal, opened }, onEvent));
  const backwards: Step[] = [...work.steps].reverse();
  return actedBy(outcome, { ...work, server, steps: backwards }, mask);
}

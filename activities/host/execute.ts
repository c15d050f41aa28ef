import { fingerprint } from '../../core/hash.js';
import { quote } from '../../core/shell.js';
import type { Step } from '../../core/step.js';
import { HOST_STATE, journalOf } from './paths.js';
import { eventReader, type RunnerEvent, renderAttach, renderAttachPrepared, renderRunner } from './runner.js';
import { scriptsOf } from './step-scripts.js';
import type { Transport } from './transport.js';
import { undoItems } from './undo-scripts.js';

/** Operations whose journals a host keeps: as far back as they can be taken back. */
const KEPT_JOURNALS = 30;

export interface Job {
  operation: string;
  taskserv: string;
  /** Counts the plans made for this taskserv in this operation. */
  generation: number;
}

/** How the work on a host ended. `lost` means that the stream broke off: attach again. */
export type Outcome =
  | { how: 'ok' }
  | { how: 'canceled' }
  /** Before its next step, at which it goes on when it is executed again with a pause more. */
  | { how: 'paused' }
  | { how: 'lost'; why: string }
  | { how: 'failed'; index: number; exit: number; tail: string };

/** Runs steps under the host's journal, or attaches to them where they already run. */
export function executeSteps(
  transport: Transport,
  job: Job & { owner: string; steps: Step[]; pauses?: number; reveal: (text: string) => string },
  onEvent: (event: RunnerEvent) => void,
): Promise<Outcome> {
  const journal = journalOf(job.operation, job.taskserv, job.generation);
  const nonce = nonceOf(journal);
  const { items, payloads } = scriptsOf(job.steps, job.reveal);
  const undoJournal = `${journal}/undo`;
  const undo = renderRunner({
    journal: undoJournal,
    nonce: nonceOf(undoJournal),
    items: undoItems(job.steps),
    head: `A=${quote(journal)}`,
  });
  const script = renderAttach({
    journal,
    nonce,
    items,
    payloads: [{ name: 'undo', content: undo }, ...payloads],
    pauses: job.pauses,
    finish: `rm -f "$J"/files/*.content "$J"/files/*.stdin "$J/runner"`,
  });
  const claim = `mkdir -p ${HOST_STATE} && chmod 700 ${HOST_STATE} && echo ${quote(job.owner)} >${HOST_STATE}/owner`;
  const prune = `( cd ${HOST_STATE}/operations 2>/dev/null && ls -1t | tail -n +${KEPT_JOURNALS + 1} | xargs -r rm -rf -- )`;
  return follow(transport, `${prune}; ${claim} || { df -h /var | tail -n 1 >&2; exit 91; }\n${script}`, nonce, onEvent);
}

/** Takes back what `executeSteps` began: walks its journal backwards. Without a journal there is nothing to do. */
export function undoSteps(transport: Transport, job: Job, onEvent: (event: RunnerEvent) => void): Promise<Outcome> {
  const journal = journalOf(job.operation, job.taskserv, job.generation);
  const undoJournal = `${journal}/undo`;
  const script = renderAttachPrepared({
    journal: undoJournal,
    nonce: nonceOf(undoJournal),
    runner: `${journal}/files/undo`,
    before: `touch ${quote(`${journal}/cancel`)}`,
  });
  return follow(transport, script, nonceOf(undoJournal), onEvent);
}

/** Tells running work to stop after the step at hand. */
export async function cancelSteps(transport: Transport, job: Job): Promise<void> {
  const journal = journalOf(job.operation, job.taskserv, job.generation);
  await transport.exec(`[ -d ${quote(journal)} ] && touch ${quote(`${journal}/cancel`)}; true`);
}

/**
 * Tells work to stop before its next step, also work that is only about to begin.
 *
 * @param count the first pause of an operation is 1; work that goes on after it looks only for later ones
 */
export async function pauseSteps(transport: Transport, job: Job, count: number): Promise<void> {
  const journal = quote(journalOf(job.operation, job.taskserv, job.generation));
  await transport.exec(`umask 077; mkdir -p ${journal} && touch ${journal}/pause.${count}`);
}

/** Confirms a change that may have cut us off; meant for a connection opened after it. */
export async function confirmStep(transport: Transport, job: Job, index: number): Promise<void> {
  const journal = journalOf(job.operation, job.taskserv, job.generation);
  await transport.exec(`touch ${quote(`${journal}/confirmed.${index}`)}`);
}

const nonceOf = (journal: string) => `@${fingerprint(journal)}`;

async function follow(
  transport: Transport,
  script: string,
  nonce: string,
  onEvent: (event: RunnerEvent) => void,
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  let failed = { index: 0, exit: 1 };
  let tail: string[] = [];
  const read = eventReader(nonce, (event) => {
    if (event.event === 'start') tail = [];
    if (event.event === 'output') tail = [...tail.slice(-19), event.text];
    if (event.event === 'failed') failed = event;
    if (event.event === 'end') {
      if (event.how === 'ok') outcome = { how: 'ok' };
      else if (event.how === 'canceled' || event.how === 'paused') outcome = { how: event.how };
      else outcome = { how: 'failed', ...failed, tail: tail.join('\n') };
    }
    onEvent(event);
  });
  const result = await transport.exec(script, { onOutput: read });
  read('\n');
  return outcome ?? { how: 'lost', why: result.stderr.trim() || `the script ended with code ${result.exit}` };
}

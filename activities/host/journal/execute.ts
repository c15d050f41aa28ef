import { randomBytes } from 'node:crypto';
import { refuseForeignMark } from '../../../core/host/foreign-host.js';
import { quote } from '../../../core/host/shell.js';
import type { Step } from '../../../core/host/step.js';
import type { GivenShare } from '../../../core/taskserv/groups/share.js';
import type { Text } from '../../../core/taskserv/secret.js';
import type { Mask } from '../../../secrets/masking/masking.js';
import { keepMark } from '../host-mark.js';
import { HOST_STATE, journalOf } from '../paths.js';
import { SHORT_MS } from '../time-limits.js';
import type { Transport } from '../transport.js';
import { SAYS_WHY_UNWRITABLE, UNWRITABLE } from './host-fault.js';
import { type HostFence, noteGrant } from './host-fence.js';
import { type Brings, dropNotes, noteBefore, notePackages, undoNotes } from './note-before.js';
import { deliver, eventReader, type RunnerEvent, renderAttach, renderAttachPrepared, renderRunner } from './runner.js';
import {
  CLEAR_FORMER,
  CLEAR_SCRIPT,
  type JournalOwner,
  type OpenedFile,
  restoreFiles,
  type Sealer,
  sealFormerFiles,
  sealPayload,
} from './sealed-journal.js';
import { guardShares } from './share-guard.js';
import { createStepScripts } from './step-scripts.js';
import { undoItems } from './undo-scripts.js';

/** Files that are delivered again with each attempt. */
const CLEAR_DELIVERED = 'rm -f "$J"/files/*.content "$J"/files/*.stdin "$J"/files/*.secrets';

/**
 * Operations whose journals a host keeps, the last ones that worked on it. Roll-back data has no such bound
 * (stores/rollbacks.ts), a host's disk has: most journals take 20 to 200 KiB.
 */
const KEPT_JOURNALS = 500;

/** Lines that are kept of what a step printed, the last ones, and characters of each. */
const TAIL_LINES = 60;
const MAX_TAIL_LINE = 2_000;

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
  /** For an undo: no journal exists. */
  | { how: 'none' }
  /** Before its next step, or its first: the host has seen a later grant of the infra. `seen`: it had when this was to begin. */
  | { how: 'superseded'; seen?: number }
  | { how: 'lost'; why: string }
  /** The host cannot write down what is done there; `why` is what its programs said. */
  | { how: 'unwritable'; why: string }
  /** `expired`: a share of the step expired before it began. */
  | { how: 'failed'; index: number; exit: number; tail: string; expired?: true };

/**
 * Runs steps under the host's journal, or attaches to them where they already run. Once they
 * have ended, the journal holds no secret in plain text, and what undoing needs of them sealed.
 */
export async function executeSteps(
  transport: Transport,
  job: JournalOwner & {
    owner: string;
    /** Bash that puts beside the mark what proves it. */
    proof?: string;
    /** Result of the steps, for the journal. */
    brings?: Brings;
    steps: Step[];
    sealer: Sealer;
    pauses?: number;
    grant?: number;
    past?: number;
    shares?: ReadonlyMap<string, GivenShare>;
    reveal: (text: Text) => string;
    pieces?: Mask['pieces'];
  },
  onEvent: (event: RunnerEvent) => void,
): Promise<Outcome> {
  const journal = journalOf(job.operation, job.taskserv, job.generation);
  const nonce = newNonce();
  const { items: own, payloads } = createStepScripts(job.steps, job.reveal);
  const noted = noteBefore(job.steps, job.taskserv, job.brings);
  const now = Date.now();
  const items = own.map((item, position) => {
    const body = `${guardShares(job.steps[item.index] as Step, item.index, job.shares, now)}${item.body}`;
    return { ...item, body: position === 0 ? `${noted}\n${body}` : body };
  });
  const undo = undoRunner(journal, newNonce(), job);
  const sealed = payloads.flatMap(({ name, content, secrets }) =>
    secrets ? [{ name: `${name}.sealed`, content: sealPayload(job, name, String(content), secrets) }] : [],
  );
  const script = renderAttach({
    journal,
    nonce,
    items,
    payloads: [
      { name: 'undo', content: undo },
      ...(job.brings ? [{ name: 'brings', content: JSON.stringify(job.brings) }] : []),
      ...payloads,
      ...sealed,
    ],
    pauses: job.pauses,
    fence: fenceOf(job),
    ...(job.brings && 'removed' in job.brings && { finish: dropNotes(job.taskserv) }),
    clear: `${notePackages(job.taskserv)}; ${CLEAR_DELIVERED}; rm -f "$J/runner"; ls "$J"/former/*.file >/dev/null 2>&1 && event kept`,
  });
  const claim = `mkdir -p ${HOST_STATE} && chmod 700 ${HOST_STATE} && ( cd ${HOST_STATE} && ${keepMark(job.owner)} )${job.proof ? ` && ${job.proof}` : ''}`;
  const prune = `( cd ${HOST_STATE}/operations 2>/dev/null && ls -1t | tail -n +${KEPT_JOURNALS + 1} | xargs -r rm -rf -- )`;
  let kept = false;
  const outcome = await follow(
    transport,
    `${noteGrant(nonce, fenceOf(job))}\n${prune}; ${claim} || exit 91\n${refuseForeignMark(job.scope)}\n${script}`,
    nonce,
    (event) => {
      if (event.event === 'kept') kept = true;
      onEvent(event);
    },
    job.pieces,
  );
  if (kept && outcome.how !== 'lost' && outcome.how !== 'unwritable') await sealFormerFiles(transport, job, job.sealer);
  return outcome;
}

/** Script that undoes a journal. It is in the journal before the first step, for administrators of the host. */
function undoRunner(
  journal: string,
  nonce: string,
  { steps, taskserv, keep, fence }: { steps: Step[]; taskserv: string; fence?: HostFence; keep?: number[] },
): string {
  const undoJournal = `${journal}/undo`;
  return renderRunner({
    journal: undoJournal,
    nonce,
    items: undoItems(steps, keep),
    finish: `${undoNotes(taskserv, steps, keep ?? [])}\n${CLEAR_FORMER}`,
    clear: `${CLEAR_SCRIPT}; ${CLEAR_DELIVERED.replaceAll('$J', '$A')}`,
    head: `A=${quote(journal)}`,
    fence,
  });
}

/**
 * Undoes the work of `executeSteps`, from its journal backwards. Ends as `none` without a journal. The journal's
 * script may be of a former version, so it is replaced.
 *
 * @param job work with the opened sealed files of its journal (sealed-journal.ts)
 */
export async function undoSteps(
  transport: Transport,
  job: JournalOwner & {
    steps: Step[];
    keep?: number[];
    opened: OpenedFile[];
    grant?: number;
    past?: number;
    pieces?: Mask['pieces'];
  },
  onEvent: (event: RunnerEvent) => void,
): Promise<Outcome> {
  const journal = journalOf(job.operation, job.taskserv, job.generation);
  const undoJournal = `${journal}/undo`;
  const nonce = newNonce();
  const fence = fenceOf(job);
  const script = renderAttachPrepared({
    journal: undoJournal,
    nonce,
    runner: `${journal}/files/undo`,
    before: `${noteGrant(nonce, fence)}
touch ${quote(`${journal}/cancel`)}
${deliver(`${journal}/files/undo`, undoRunner(journal, nonce, { steps: job.steps, taskserv: job.taskserv, fence, keep: job.keep }))}`,
    deliver: `  A=${quote(journal)}\n${restoreFiles(job.opened)}`,
  });
  return follow(transport, script, nonce, onEvent, job.pieces);
}

/** Tells running work to stop after the current step. */
export async function cancelSteps(transport: Transport, job: Job): Promise<void> {
  const journal = journalOf(job.operation, job.taskserv, job.generation);
  await transport.exec(`[ -d ${quote(journal)} ] && touch ${quote(`${journal}/cancel`)}; true`, { limitMs: SHORT_MS });
}

/**
 * Tells work to stop before its next step, also work that is only about to begin.
 *
 * @param count the first pause of an operation is 1; work that goes on after it looks only for later ones
 */
export async function pauseSteps(transport: Transport, job: Job, count: number): Promise<void> {
  const journal = quote(journalOf(job.operation, job.taskserv, job.generation));
  await transport.exec(`umask 077; mkdir -p ${journal} && touch ${journal}/pause.${count}`, { limitMs: SHORT_MS });
}

/** Confirms a change that may have cut us off; meant for a connection opened after it. */
export async function confirmStep(transport: Transport, job: Job, index: number): Promise<void> {
  const journal = journalOf(job.operation, job.taskserv, job.generation);
  await transport.exec(`touch ${quote(`${journal}/confirmed.${index}`)}`, { limitMs: SHORT_MS });
}

/** A cut one begins with `…`. */
const cutLine = (text: string): string => (text.length > MAX_TAIL_LINE ? `…${text.slice(-MAX_TAIL_LINE)}` : text);

const fenceOf = ({ scope: { uuid }, grant, past }: JournalOwner & { grant?: number; past?: number }): HostFence | undefined =>
  grant === undefined ? undefined : { uuid, grant, past };

/** Nothing of a host tells it to what runs there: paths of a journal are visible in its list of processes. */
const newNonce = () => `@${randomBytes(16).toString('hex')}`;

async function follow(
  transport: Transport,
  script: string,
  nonce: string,
  onEvent: (event: RunnerEvent) => void,
  pieces: Mask['pieces'] = () => String,
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  let failed = { index: 0, exit: 1 };
  let expired: number | undefined;
  let tail: string[] = [];
  // Masked before anything of it is cut, kept or shown.
  const shown = pieces();
  const read = eventReader(nonce, (printed) => {
    const event = printed.event === 'output' ? { ...printed, text: shown(printed.text, !printed.more) } : printed;
    if (event.event === 'start') tail = [];
    if (event.event === 'output') tail = [...tail.slice(1 - TAIL_LINES), cutLine(event.text)];
    if (event.event === 'expired') expired = event.index;
    if (event.event === 'failed') failed = event;
    if (event.event === 'end') {
      if (event.how === 'ok') outcome = { how: 'ok' };
      else if (event.how === 'superseded') outcome = { how: event.how, ...(event.seen !== undefined && { seen: event.seen }) };
      else if (event.how === 'canceled' || event.how === 'paused' || event.how === 'none') outcome = { how: event.how };
      else if (event.how === String(UNWRITABLE)) outcome = { how: 'unwritable', why: tail.join('\n') };
      else
        outcome = { how: 'failed', ...failed, tail: tail.join('\n'), ...(expired === failed.index && { expired: true as const }) };
    }
    onEvent(event);
  });
  const result = await transport.exec(`${SAYS_WHY_UNWRITABLE}\n${script}`, { onOutput: read });
  read('\n');
  if (result.exit === UNWRITABLE) return { how: 'unwritable', why: result.stderr.trim() };
  return outcome ?? { how: 'lost', why: result.stderr.trim() || `the script ended with code ${result.exit}` };
}

import { activityInfo, CancelledFailure, Context, cancellationSignal, heartbeat } from '@temporalio/activity';
import { unreachableError } from '../../core/errors.js';
import type { Step } from '../../core/host/step.js';
import { infraSecrets } from '../../secrets/infra-secrets.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailed } from '../failures.js';
import { boundedLog } from '../host/bounded-log.js';
import { cancelSteps, confirmStep, executeSteps, type Job, type Outcome, undoSteps } from '../host/journal/execute.js';
import type { RunnerEvent } from '../host/journal/runner.js';
import { openSealedFiles } from '../host/journal/sealed-journal.js';
import { type HostRef, ownerMark, targetOf } from '../host/script/look.js';
import { maskFor, namesIn, type Revealer, revealerForSteps } from '../host/script/revealing.js';
import type { Transports } from '../host/transport.js';
import type { ConnectionOf } from '../machine/provider-connections.js';

export interface ActInput extends HostRef, Job {
  provider: string;
  steps: Step[];
  /** Names of the secrets that the definition declares for this work: its steps may use no others. */
  secrets?: string[];
  /** Pauses of the operation that are over. */
  pauses?: number;
}

/** What was done: all of it, or as much as there was before a pause. */
export interface Acted {
  executed: number;
  paused?: true;
}

/** What the heartbeat of running work carries, for live displays. */
export interface WorkBeat {
  server: string;
  taskserv: string;
  step: string;
  done: number;
  total: number;
  /** The last line that the host printed. */
  line?: string;
}

/** Runs decided steps on one host, or takes them back. */
export function createAct({
  transports,
  secrets,
  providers,
  sealer,
  logs,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  /** The steps of one taskserv as one remote script, with its journal. Attaches where it already runs. */
  async function act(input: ActInput): Promise<Acted> {
    if (input.connection.kind === 'demo') {
      const host = (await connectionOf(input.provider)).host?.(input.connection.server);
      const onStep = (title: string, index: number) =>
        heartbeat({
          server: input.server,
          taskserv: input.taskserv,
          step: title,
          done: index,
          total: input.steps.length,
        } satisfies WorkBeat);
      const { pauses } = input;
      const end = await host?.run(input.taskserv, input.steps, {
        key: keyOf(input),
        signal: cancellationSignal(),
        onStep,
        ...(pauses === undefined ? {} : { pauses }),
      });
      return end ?? { executed: input.steps.length };
    }
    const revealer = await revealerForSteps(input.steps, input.secrets ?? [], infraSecrets(secrets, input.scope, providers));
    const transport = await transports.open(targetOf(input));
    const outcome = await watched(input, input.steps.length, revealer, transports, logs, (onEvent) =>
      executeSteps(transport, { ...input, owner: ownerMark(input.scope), sealer, reveal: revealer.reveal }, onEvent),
    );
    return settle(input, outcome, input.steps, revealer);
  }

  /** Walks the journal of `act` backwards. Where nothing was begun, nothing is done. */
  async function undo(input: ActInput): Promise<Acted> {
    if (input.connection.kind === 'demo') {
      await (await connectionOf(input.provider)).host?.(input.connection.server).undo(input.taskserv, keyOf(input));
      return { executed: input.steps.length };
    }
    const transport = await transports.open(targetOf(input));
    const opened = await openSealedFiles(transport, input, sealer);
    const values = opened.flatMap((file) => file.values);
    const mask = await maskFor(namesIn(input.steps), infraSecrets(secrets, input.scope, providers), values);
    const outcome = await watched(input, input.steps.length, mask, transports, undefined, (onEvent) =>
      undoSteps(transport, { ...input, opened }, onEvent),
    );
    const backwards = [...input.steps].reverse();
    return settle(input, outcome, backwards, mask);
  }

  return { act, undo };
}

const keyOf = ({ operation, server, taskserv, generation }: ActInput) => `${operation}/${server}/${taskserv}/${generation}`;

/** Follows running work: heartbeats, logs, confirmations by a new connection, and a cancel that lets the current step end. */
async function watched(
  input: ActInput,
  total: number,
  { hide }: Revealer,
  transports: Transports,
  logs: Dependencies['logs'] | undefined,
  run: (onEvent: (event: RunnerEvent) => void) => Promise<Outcome>,
): Promise<Outcome & { done: number }> {
  const { operation, server, taskserv, generation } = input;
  const opened = await logs?.open({ operation, server, taskserv, generation, attempt: activityInfo().attempt });
  const log = opened && boundedLog(opened);
  const beat: WorkBeat = { server, taskserv, step: input.steps[0]?.title ?? '', done: 0, total };
  // Held on to: what a shared connection calls back with runs in the context of whichever activity opened it.
  const context = Context.current();
  const pulse = setInterval(() => context.heartbeat(beat), 2_000);
  // A cancel is passed on to the host, which ends the current step. A worker that
  // shuts down leaves the work running: the next attempt attaches to it.
  const interrupted = context.cancelled.catch(async (error: CancelledFailure) => {
    if (error.message !== 'CANCELLED') throw error;
    await cancelSteps(await transports.open(targetOf(input)), input);
    return new Promise<never>(() => {});
  });
  interrupted.catch(() => {});
  const onEvent = (event: RunnerEvent) => {
    const title = 'index' in event ? (input.steps[event.index]?.title ?? '') : '';
    if (event.event === 'start') {
      Object.assign(beat, { step: title, line: undefined });
      context.heartbeat(beat);
      log?.write(`== ${title}\n`);
    } else if (event.event === 'done' || event.event === 'past') beat.done++;
    else if (event.event === 'output') {
      const line = hide(event.text);
      beat.line = line.slice(0, 200);
      log?.write(`${line}\n`);
    } else if (event.event === 'failed') log?.write(`== failed with exit code ${event.exit}: ${title}\n`);
    else if (event.event === 'confirm') {
      log?.write('== confirming over a new connection\n');
      void confirmOverNewConnection(input, transports, event.index).catch((error) =>
        log?.write(`== not confirmed: ${hide(String(error))}\n`),
      );
    }
  };
  try {
    const outcome = await Promise.race([run(onEvent), interrupted]);
    return { ...outcome, done: beat.done };
  } finally {
    clearInterval(pulse);
    await log?.close();
  }
}

async function confirmOverNewConnection(input: ActInput, transports: Transports, index: number): Promise<void> {
  const fresh = await transports.open(targetOf(input), { fresh: true });
  try {
    await confirmStep(fresh, input, index);
  } finally {
    fresh.close();
  }
}

function settle(input: ActInput, outcome: Outcome & { done: number }, steps: Step[], { hide }: Revealer): Acted {
  const on = `${input.server}/${input.taskserv}`;
  if (outcome.how === 'ok') return { executed: steps.length };
  if (outcome.how === 'paused') return { executed: outcome.done, paused: true };
  if (outcome.how === 'canceled') throw new CancelledFailure('CANCELLED');
  if (outcome.how === 'lost') {
    throw unreachableError({ code: 'work-lost', what: 'follow the steps', on, why: hide(outcome.why).slice(-500) });
  }
  const step = steps[outcome.index];
  const tail = hide(outcome.tail).slice(-1500);
  // A mirror out of reach is weather, a few times; then somebody should hear of it.
  const fetching =
    activityInfo().attempt < 4 &&
    step !== undefined &&
    'package' in step &&
    /Temporary failure|Could not resolve|Connection (failed|timed out|refused)|Unable to fetch some archives/.test(tail);
  throw stepFailed(
    {
      code: 'step-failed',
      what: step?.title ?? `step ${outcome.index + 1}`,
      on,
      why: `exit code ${outcome.exit}${tail ? `: ${tail.split('\n').slice(-6).join(' | ')}` : ''}`,
      hint: /No space left on device/.test(tail)
        ? 'the disk is full: make room on the host, then retry'
        : `provisioning logs ${input.operation} --server ${input.server} --taskserv ${input.taskserv}`,
    },
    fetching,
  );
}

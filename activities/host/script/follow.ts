import { activityInfo, type CancelledFailure, Context } from '@temporalio/activity';
import type { Dependencies } from '../../dependencies.js';
import { beat } from '../../worked-time.js';
import type { Work, WorkBeat } from '../host.js';
import { cancelSteps, confirmStep, type Job, type Outcome } from '../journal/execute.js';
import type { RunnerEvent } from '../journal/runner.js';
import type { Revealer } from './revealing.js';
import type { ScriptedHost } from './scripted-host.js';

/** How work ended, and how many steps of it were done. */
export type FollowResult = Outcome & { done: number };

/** Follows running work: heartbeats, logs, confirmations by a new connection, and a cancel that lets the current step end. */
export async function followRun(
  host: ScriptedHost,
  work: Work,
  { hide }: Revealer,
  logs: Dependencies['logs'] | undefined,
  run: (onEvent: (event: RunnerEvent) => void) => Promise<Outcome>,
): Promise<FollowResult> {
  const { operation, taskserv, generation, steps } = work;
  const { server } = host;
  const opened = await logs?.open({ operation, server, taskserv, generation, attempt: activityInfo().attempt });
  const log = opened && limitLog(opened);
  const seen: WorkBeat = { server, taskserv, step: steps[0]?.title ?? '', done: 0, total: steps.length };
  // Held on to: what a shared connection calls back with runs in the context of whichever activity opened it.
  const context = Context.current();
  const pulse = setInterval(() => beat(seen, context), 2_000);
  // A cancel is passed on to the host, which ends the current step. A worker that
  // shuts down leaves the work running: the next attempt attaches to it.
  const interrupted = context.cancelled.catch(async (error: CancelledFailure) => {
    if (error.message !== 'CANCELLED') throw error;
    await cancelSteps(await host.open(), work);
    return new Promise<never>(() => {});
  });
  interrupted.catch(() => {});
  const onEvent = (event: RunnerEvent) => {
    const title = 'index' in event ? (steps[event.index]?.title ?? '') : '';
    if (event.event === 'start') {
      // Work of an undo beyond the steps has no title.
      Object.assign(seen, { step: title || seen.step, line: undefined });
      beat(seen, context);
      log?.write(`== ${title}\n`);
    } else if (event.event === 'done' || event.event === 'past') seen.done++;
    else if (event.event === 'output') {
      seen.line = event.text.slice(0, 200);
      log?.write(event.more ? event.text : `${event.text}\n`);
    } else if (event.event === 'failed') log?.write(`== failed with exit code ${event.exit}: ${title}\n`);
    else if (event.event === 'confirm') {
      log?.write('== confirming over a new connection\n');
      void confirmOverNewConnection(host, work, event.index).catch((error) =>
        log?.write(`== not confirmed: ${hide(String(error))}\n`),
      );
    }
  };
  try {
    const outcome = await Promise.race([run(onEvent), interrupted]);
    return { ...outcome, done: seen.done };
  } finally {
    clearInterval(pulse);
    await log?.close();
  }
}

async function confirmOverNewConnection(host: ScriptedHost, job: Job, index: number): Promise<void> {
  const fresh = await host.open({ fresh: true });
  try {
    await confirmStep(fresh, job, index);
  } finally {
    fresh.close();
  }
}

/** Characters of one attempt's log; what comes after is left out. */
const MAX_LOG = 32 * 1024 * 1024;

interface Log {
  write(text: string): void;
  close(): Promise<void>;
}

/** A log that ends before a host that prints without end has filled the disk, or the memory before it. */
function limitLog(log: Log, most = MAX_LOG): Log {
  let written = 0;
  return {
    write(text) {
      if (written > most) return;
      written += text.length;
      log.write(written > most ? `== the log is cut here: more than ${most / 1024 / 1024} MiB\n` : text);
    },
    close: () => log.close(),
  };
}

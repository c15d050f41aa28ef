import { Context, cancellationSignal, sleep } from '@temporalio/activity';
import type { Answer, Question } from '../../core/host/question.js';
import type { Step } from '../../core/host/step.js';
import { awakeMs } from '../awake.js';
import { beatWhile } from '../beating.js';
import type { Dependencies } from '../dependencies.js';
import type { ActResult, Host, HostRef, Work } from '../host/host.js';
import { callContexts } from '../machine/call-context.js';
import type { ConnectionOf } from '../machine/provider-connections.js';
import { beat } from '../worked-time.js';
import { isOfRecords, lookAtRecords } from './look-at-records.js';
import { recordSetter } from './set-records.js';

/** Milliseconds between two looks of a check that fails. */
const PAUSE_MS = 2_000;

type RecordsStep = Extract<Step, { records: unknown }>;
const isOfZone = (step: Step): step is RecordsStep => 'records' in step;

/**
 * Wraps a host so that the worker reads, sets and removes records of zones, with the credentials of their provider,
 * which no host gets. In a unit, such steps come after those of the host.
 */
export function addRecordVerbs(
  host: Host,
  ref: HostRef,
  connectionOf: ConnectionOf,
  { taskQueue }: Pick<Dependencies, 'taskQueue'>,
): Host {
  const { server } = ref;
  const contextOf = callContexts(taskQueue);
  const asked = (questions: readonly Question[]) => lookAtRecords(questions, ref, connectionOf, contextOf(ref.scope));
  const setter = () => recordSetter(ref, connectionOf, contextOf(ref.scope));

  /** The part of the work that is the host's; undefined where none is. */
  const ofHost = (work: Work): Work | undefined => {
    const steps = work.steps.filter((step) => !isOfZone(step));
    return steps.length > 0 || work.steps.length === 0 ? { ...work, steps } : undefined;
  };

  return {
    ...host,
    async look(questions, probeSeconds) {
      const own = questions.filter((one) => !isOfRecords(one));
      if (own.length === questions.length) return host.look(questions, probeSeconds);
      const others = questions.filter(isOfRecords);
      const [{ machine, answers }, found] = await Promise.all([host.look(own, probeSeconds), asked(others)]);
      const inOrder = questions.map((one) => (isOfRecords(one) ? found[others.indexOf(one)] : answers[own.indexOf(one)]) as Answer);
      return { ...(machine && { machine }), answers: inOrder };
    },

    async run(work) {
      const steps = work.steps.filter(isOfZone);
      if (steps.length === 0) return host.run(work);
      const before = ofHost(work);
      const acted = before ? await host.run(before) : { executed: 0 };
      if (acted.paused) return acted;
      await inTurn(server, work, steps, (step) => setter().set(step.records));
      return { executed: work.steps.length };
    },

    async undo(work) {
      const keep = (work.keep ?? []).map((index) => work.steps[index]);
      const steps = work.steps.filter(isOfZone).filter((step) => !keep.includes(step));
      if (!work.steps.some(isOfZone)) return host.undo(work);
      await inTurn(server, work, steps.reverse(), (step) => setter().unset(step.records));
      const before = ofHost(work);
      if (!before) return { executed: work.steps.length };
      // Positions among the steps of the host, which come first.
      const kept = before.steps.flatMap((step, index) => (keep.includes(step) ? [index] : []));
      const undone: ActResult = await host.undo({ ...before, keep: kept });
      return undone.paused ? undone : { executed: work.steps.length };
    },

    async verify(question, withinMs) {
      if (!isOfRecords(question)) return host.verify(question, withinMs);
      const context = Context.current();
      const deadline = awakeMs() + withinMs;
      return beatWhile(async () => {
        for (;;) {
          const [answer] = (await asked([question])) as [Answer];
          if (answer.why === undefined || awakeMs() >= deadline) return answer;
          beat({ server, taskserv: question.unit, step: `Wait until healthy: ${answer.why}` }, context);
          await sleep(PAUSE_MS);
        }
      });
    },
  };
}

/** Does steps one after the other; a pause waits for the end of them, which takes seconds. */
async function inTurn(
  server: string,
  { taskserv }: Work,
  steps: readonly RecordsStep[],
  act: (step: RecordsStep) => Promise<void>,
): Promise<void> {
  await beatWhile(async () => {
    for (const [done, step] of steps.entries()) {
      if (cancellationSignal().aborted) await Context.current().cancelled;
      beat({ server, taskserv, step: step.title, done, total: steps.length });
      await act(step);
    }
  });
}

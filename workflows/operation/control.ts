import { CancellationScope, condition, defineUpdate, setHandler } from '@temporalio/workflow';
import type { ControlEntry, Controller } from '../../core/operation/control.js';
import { SHORT_HASH } from '../../core/plan/plan-lines.js';
import type { CarriedState } from './carried.js';
import { type Answer, type AskedQuestion, ControlDesk, type ControlSubject, type Verdict } from './control-desk.js';
import { CurrentSteps } from './current-steps.js';
import type { Place } from './failures.js';
import { refuse, refuseAbout } from './unsigned-cancel.js';

/** Every one is answered at once, with the line of the record that it made. */
export const pauseUpdate = defineUpdate<ControlEntry, [Controller]>('pause');
export const resumeUpdate = defineUpdate<ControlEntry, [Controller]>('resume');
/** Only while it waits for an approval. */
export const approveUpdate = defineUpdate<ControlEntry, [Verdict]>('approve');
/** Only while it waits after a failure. */
export const decideUpdate = defineUpdate<ControlEntry, [Answer]>('decide');
/** A cancel that says who and why. */
export const stopUpdate = defineUpdate<ControlEntry, [Controller]>('stop');
/** Gives up the current steps while it stops or rolls back: a cancellation can be asked for only once. */
export const forceUpdate = defineUpdate<ControlEntry, [Controller]>('force');

export type Control = ReturnType<typeof createControl>;

/**
 * Registers the updates by which people control a workflow, and answers what the workflow asks about them.
 *
 * @param carried what people did in former runs, as far as something still follows from it
 */
export function createControl(controlled: ControlSubject, carried?: CarriedState['control']) {
  const desk = new ControlDesk(controlled, carried);
  const current = new CurrentSteps();
  takePauses(desk);
  takeAnswers(desk);
  takeStops(desk, current);

  const isHeld = () => desk.paused !== undefined || desk.unsigned !== undefined;

  return {
    /** How many pauses there were. */
    get pauses() {
      return desk.pauses;
    },
    get paused() {
      return desk.paused;
    },
    /** It is paused, or waits for a decision about a cancel. */
    get held() {
      return isHeld();
    },
    /** Nothing new is begun: something failed, or it was canceled. */
    get stopping() {
      return desk.phase !== 'working';
    },
    /** A person stopped it; a failure did not. */
    get canceled() {
      return desk.canceled;
    },
    /** Decision about an unsigned cancel. */
    get chosen() {
      return desk.chosen;
    },
    /** From now on nothing new is begun, and the current steps can be given up. */
    beginStopping() {
      if (desk.phase === 'working') desk.phase = 'stopping';
      desk.changed();
    },
    /** Its work is to roll back: the current steps can be given up from the beginning. */
    rollBack() {
      desk.rollsBack = true;
    },
    /** Asks work in flight to stop between two steps, without anybody having said so: what was asked goes on when it is begun again. */
    pauseWork() {
      controlled.pause?.(++desk.pauses);
    },
    /** From now on every update is refused. */
    end() {
      desk.phase = 'ended';
    },
    /** Waits while it is paused, or waits for a decision about a cancel. */
    async untilResumed(): Promise<void> {
      while (isHeld()) {
        controlled.authority?.expire();
        await condition(() => !isHeld());
      }
    },
    /** The same, and decides after a wait whether its principal may still do this. Throws `authority-lost`. */
    async go(): Promise<void> {
      while (isHeld()) {
        controlled.authority?.expire();
        await condition(() => !isHeld());
      }
      const confirmed = desk.phase === 'working' ? controlled.authority?.confirm() : undefined;
      if (confirmed) await confirmed;
    },
    askDecision: (text: string, at: Place, required?: boolean) =>
      ask<Answer>(desk, { kind: 'decision', text, at, required }, controlled.authority),
    /** About one thing that could not be undone. */
    askUndo: (text: string, at: Place) => ask<Answer>(desk, { kind: 'undo', text, at }, controlled.authority),
    /** About the plan of this hash. */
    askApproval: (text: string, at: Place, plan: string) =>
      ask<Verdict>(desk, { kind: 'approval', text, at, plan }, controlled.authority),
    /**
     * Runs work that a force gives up. It then ends at once with `GivenUp`. Begun work is stopped, not retried, and
     * not awaited.
     */
    unlessForced: <T>(at: Place, work: () => Promise<T>): Promise<T> => current.unlessForced(at, work),
  };
}

function takePauses(desk: ControlDesk): void {
  setHandler(pauseUpdate, (by) => desk.pause(by), {
    validator(_by) {
      desk.refuseEnded();
      const { paused } = desk;
      if (paused) throw refuse('already-paused', `it was paused by ${paused.actor} at ${paused.at}`);
    },
  });
  setHandler(resumeUpdate, (by) => desk.resume(by), {
    validator({ freeze }) {
      desk.refuseEnded();
      // The end of a freeze resumes what a freeze has paused, and not what a person paused before.
      if (freeze !== undefined && desk.paused?.freeze === undefined) throw refuse('not-paused', 'no freeze has paused it');
      if (!desk.paused && !desk.unsigned) throw refuse('not-paused', 'it is not paused');
    },
  });
}

function takeAnswers(desk: ControlDesk): void {
  setHandler(approveUpdate, (verdict) => desk.approve(verdict), {
    validator({ plan }) {
      const { asked } = desk;
      if (asked?.kind !== 'approval' || asked.answer) throw refuse('not-waiting', 'it does not wait for an approval');
      if (plan !== undefined && !isSamePlan(plan, asked.plan))
        throw refuse('plan-changed', `it waits with another plan, ${asked.plan?.slice(0, SHORT_HASH)}: look at that`);
    },
  });
  setHandler(decideUpdate, (answer) => desk.decide(answer), {
    validator(answer) {
      const { asked, unsigned } = desk;
      if (unsigned) return refuseAbout(answer.decision, desk.rollsBack);
      const isAsked = asked?.kind === 'decision' || asked?.kind === 'undo';
      if (!isAsked || asked.answer) throw refuse('not-waiting', 'the operation does not wait for a decision');
      if (asked.kind === 'undo' && answer.decision === 'rollback')
        throw refuse('not-waiting', 'it is already rolling back: retry, skip or keep');
      if (answer.decision === 'skip' && asked.required) throw refuse('cannot-skip', 'the operation cannot continue without it');
      desk.judgeInput(answer);
    },
  });
}

/** Whether a hash, or the beginning of one as people are shown it, is that of the plan. */
const isSamePlan = (given: unknown, plan = ''): boolean =>
  typeof given === 'string' && given.length >= SHORT_HASH && plan.startsWith(given);

function takeStops(desk: ControlDesk, current: CurrentSteps): void {
  setHandler(stopUpdate, (by) => desk.stop(by), {
    validator(_by) {
      desk.refuseEnded();
      if (desk.phase === 'stopping') throw refuse('already-stopping', 'it is already stopping or rolling back');
    },
  });
  const force = (by: Controller) => {
    const entry = desk.noted('force', by, current.only);
    current.giveUp(by);
    return entry;
  };
  setHandler(forceUpdate, force, {
    validator(_by) {
      desk.refuseEnded();
      if (desk.phase !== 'stopping' && !desk.rollsBack) throw refuse('not-stopping', 'it is neither stopping nor rolling back');
      if (current.size === 0) throw refuse('not-stopping', 'no current step can be abandoned');
    },
  });
  CancellationScope.current()
    .cancelRequested.catch(() => desk.cancelUnsigned())
    .catch(() => {});
}

async function ask<T extends Answer | Verdict>(
  desk: ControlDesk,
  question: AskedQuestion,
  authority: ControlSubject['authority'],
): Promise<T> {
  desk.asked = question;
  authority?.expire();
  desk.changed();
  try {
    await condition(() => question.answer !== undefined);
  } finally {
    desk.asked = undefined;
    desk.changed();
  }
  return question.answer as T;
}

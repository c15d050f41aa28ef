import { CancellationScope, condition, defineUpdate, setHandler } from '@temporalio/workflow';
import type { Definition } from '../../core/definition/definition.js';
import { type By, type ControlAction, type ControlEntry, type Question, UNKNOWN_ACTOR } from '../../core/operation/control.js';
import type { Decision } from '../../core/operation/operation.js';
import { GivenUp, type Place } from './failures.js';
import { questionAbout, refuse, refuseAbout } from './unsigned-cancel.js';

/** A person's answer to a failure. `retry` may bring other input. */
export interface Answer extends By {
  decision: Decision;
  definition?: Definition;
}

/** An approval, or its refusal. */
export interface Verdict extends By {
  approved: boolean;
}

/** Every one is answered at once, with the line of the record that it made. */
export const pauseUpdate = defineUpdate<ControlEntry, [By]>('pause');
export const resumeUpdate = defineUpdate<ControlEntry, [By]>('resume');
/** Only while it waits for an approval. */
export const approveUpdate = defineUpdate<ControlEntry, [Verdict]>('approve');
/** Only while it waits after a failure. */
export const decideUpdate = defineUpdate<ControlEntry, [Answer]>('decide');
/** A cancel that says who and why. */
export const stopUpdate = defineUpdate<ControlEntry, [By]>('stop');
/** Gives up the current steps while it stops or rolls back: a cancellation can be asked for only once. */
export const forceUpdate = defineUpdate<ControlEntry, [By]>('force');

/** What an operation shows of its control. */
export interface ControlState {
  question?: { kind: Question; text: string };
  paused?: ControlEntry;
}

/** What is controlled, and how it is told. */
export interface Controlled {
  /** The record that every line is added to. */
  record: ControlEntry[];
  /** Status and details are to be brought up to date. */
  changed(state: ControlState): void;
  /** Cancels the work. */
  stop(): void;
  /** Asks work in flight to stop between two steps; `count` is how many pauses there were with this one. */
  pause?(count: number): void;
  /** Throws where the operation cannot go on with this definition. */
  judgeInput?(definition: Definition): void;
}

interface Asked {
  kind: Question;
  text: string;
  at: Place;
  /** Nothing can go on without it. */
  required?: boolean;
  answer?: Answer | Verdict;
}

const DID = { retry: 'retried', skip: 'skipped', rollback: 'rollback', keep: 'keep' } as const satisfies Record<
  Decision,
  ControlAction
>;

export type Control = ReturnType<typeof controlOf>;

/** Registers the updates by which people control a workflow, and answers what the workflow asks about them. */
export function controlOf({ record, changed, stop, pause, judgeInput }: Controlled) {
  let paused: ControlEntry | undefined;
  /** A cancel that came past the platform, until somebody says what it means. */
  let unsigned: ControlEntry | undefined;
  let chosen: 'rollback' | 'keep' | undefined;
  let pauses = 0;
  let asked: Asked | undefined;
  let phase: 'working' | 'stopping' | 'ended' = 'working';
  let canceled = false;
  let rollsBack = false;
  const current = new Map<(by: By) => void, Place>();

  const state = (): ControlState => {
    const question = unsigned ? { kind: 'cancel' as const, text: questionAbout(unsigned, rollsBack) } : asked;
    return { ...(question ? { question } : {}), ...(paused ? { paused } : {}) };
  };
  /** Nothing is held back, and nobody is asked about a cancel any more. */
  const goAhead = () => {
    paused = undefined;
    unsigned = undefined;
  };
  const note = (did: ControlAction, { actor, why }: By, at?: Place): ControlEntry => {
    const entry = { at: new Date(Date.now()).toISOString(), actor, did, ...(why ? { why } : {}), ...at };
    record.push(entry);
    return entry;
  };
  const noted = (did: ControlAction, by: By, at?: Place) => {
    const entry = note(did, by, at);
    changed(state());
    return entry;
  };
  const refuseEnded = () => {
    if (phase === 'ended') throw refuse('not-running', 'it has ended');
  };

  setHandler(
    pauseUpdate,
    (by) => {
      pauses++;
      paused = note('paused', by);
      changed(state());
      pause?.(pauses);
      return paused;
    },
    {
      validator(_by) {
        refuseEnded();
        if (paused) throw refuse('already-paused', `it was paused by ${paused.actor} at ${paused.at}`);
      },
    },
  );
  setHandler(
    resumeUpdate,
    (by) => {
      goAhead();
      return noted('resumed', by);
    },
    {
      validator(_by) {
        refuseEnded();
        if (!paused && !unsigned) throw refuse('not-paused', 'it is not paused');
      },
    },
  );
  setHandler(
    approveUpdate,
    (verdict) => {
      const { at } = asked as Asked;
      (asked as Asked).answer = verdict;
      return noted(verdict.approved ? 'approved' : 'rejected', verdict, at);
    },
    {
      validator(_verdict) {
        if (asked?.kind !== 'approval' || asked.answer) throw refuse('not-waiting', 'it does not wait for an approval');
      },
    },
  );
  setHandler(
    decideUpdate,
    (answer) => {
      if (unsigned) return endAs(answer);
      const { at } = asked as Asked;
      (asked as Asked).answer = answer;
      if (answer.decision === 'rollback' || answer.decision === 'keep') paused = undefined;
      return noted(answer.definition ? 'retried-with-input' : DID[answer.decision], answer, at);
    },
    {
      validator({ decision, definition }) {
        if (unsigned) return refuseAbout(decision, rollsBack);
        if (asked?.kind !== 'decision' || asked.answer) throw refuse('not-waiting', 'the operation does not wait for a decision');
        if (decision === 'skip' && asked.required) throw refuse('cannot-skip', 'nothing can go on without it');
        if (!definition) return;
        if (decision !== 'retry' || !judgeInput)
          throw refuse('no-input-taken', 'other input goes with a retry of work that has some');
        judgeInput(definition);
      },
    },
  );
  setHandler(
    stopUpdate,
    (by) => {
      canceled = true;
      phase = 'stopping';
      goAhead();
      const entry = noted('cancel', by);
      stop();
      return entry;
    },
    {
      validator(_by) {
        refuseEnded();
        if (phase === 'stopping') throw refuse('already-stopping', 'it stops already, or rolls back what it did');
      },
    },
  );
  setHandler(
    forceUpdate,
    (by) => {
      const [first] = current.values();
      const entry = noted('force', by, current.size === 1 ? first : undefined);
      for (const giveUp of [...current.keys()]) giveUp(by);
      return entry;
    },
    {
      validator(_by) {
        refuseEnded();
        if (phase !== 'stopping' && !rollsBack) throw refuse('not-stopping', 'it neither stops nor rolls anything back');
        if (current.size === 0) throw refuse('not-stopping', 'there is no current step that could be given up');
      },
    },
  );
  // A cancel that came past the platform brings no actor: nothing follows from it but that somebody is asked.
  CancellationScope.current()
    .cancelRequested.catch(() => {
      if (canceled || phase === 'ended') return;
      const entry = note('cancel', { actor: UNKNOWN_ACTOR });
      if (phase === 'working') {
        unsigned = entry;
        pause?.(++pauses);
      } else {
        phase = 'stopping';
        goAhead();
        stop();
      }
      changed(state());
    })
    .catch(() => {});

  /** What became of a cancel that nobody signed: the operation ends as the answer says. */
  function endAs(answer: Answer): ControlEntry {
    chosen = answer.decision as 'rollback' | 'keep';
    canceled = true;
    phase = 'stopping';
    goAhead();
    const entry = noted(DID[answer.decision], answer);
    stop();
    return entry;
  }

  async function ask<T extends Answer | Verdict>(question: Asked): Promise<T> {
    asked = question;
    changed(state());
    try {
      await condition(() => question.answer !== undefined);
    } finally {
      asked = undefined;
      changed(state());
    }
    return question.answer as T;
  }

  return {
    /** How many pauses there were. */
    get pauses() {
      return pauses;
    },
    get paused() {
      return paused;
    },
    /** Nothing new is begun: something failed, or it was canceled. */
    get stopping() {
      return phase !== 'working';
    },
    /** Somebody stopped it; a failure did not. */
    get canceled() {
      return canceled;
    },
    /** What was answered about a cancel that nobody signed. */
    get chosen() {
      return chosen;
    },
    /** From now on nothing new is begun, and the current steps can be given up. */
    beginStopping() {
      if (phase === 'working') phase = 'stopping';
      changed(state());
    },
    /** Its work is to roll back: the current steps can be given up from the beginning. */
    rollBack() {
      rollsBack = true;
    },
    /** From now on every update is refused. */
    end() {
      phase = 'ended';
    },
    /** Waits while it is paused, or somebody is asked about a cancel. */
    async go(): Promise<void> {
      while (paused || unsigned) await condition(() => paused === undefined && unsigned === undefined);
    },
    askDecision: (text: string, at: Place, required?: boolean) => ask<Answer>({ kind: 'decision', text, at, required }),
    askApproval: (text: string, at: Place) => ask<Verdict>({ kind: 'approval', text, at }),
    /**
     * Does work that a force gives up: then it ends at once with `GivenUp`. What
     * was begun is told to stop, is tried no more, and is waited for no longer.
     */
    async unlessForced<T>(at: Place, work: () => Promise<T>): Promise<T> {
      const scope = new CancellationScope();
      let giveUp = (_by: By) => {};
      const forced = new Promise<never>((_, reject) => {
        giveUp = (by) => {
          reject(new GivenUp(at, by));
          scope.cancel();
        };
      });
      current.set(giveUp, at);
      try {
        return await Promise.race([scope.run(work), forced]);
      } finally {
        current.delete(giveUp);
      }
    },
  };
}

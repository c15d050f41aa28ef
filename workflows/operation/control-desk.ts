import type { Definition } from '../../core/definition/definition.js';
import type { ControlAction, ControlEntry, Controller, Question } from '../../core/operation/control.js';
import { UNKNOWN_ACTOR } from '../../core/operation/control.js';
import type { Decision } from '../../core/operation/operation.js';
import type { CarriedState } from './carried.js';
import type { Place } from './failures.js';
import type { Authority } from './frame/authority.js';
import { questionAbout, refuse } from './unsigned-cancel.js';

/** A person's answer to a failure. `retry` may bring other input. */
export interface Answer extends Controller {
  decision: Decision;
  definition?: Definition;
}

/** An approval, or its refusal. */
export interface Verdict extends Controller {
  approved: boolean;
  /** The hash of the plan that was seen, or its beginning; absent from who does not say. */
  plan?: string;
}

/** Visible control of an operation. */
export interface ControlState {
  question?: { kind: Question; text: string };
  paused?: ControlEntry;
}

/** Controlled operation, and its callbacks. */
export interface ControlSubject {
  /** The record that every line is added to. */
  record: ControlEntry[];
  /** Status and details need an update. */
  changed(state: ControlState): void;
  /** Cancels the work. */
  stop(): void;
  /** Asks work in flight to stop between two steps; `count` is how many pauses there were with this one. */
  pause?(count: number): void;
  /** Whether its principal may still do what it does; absent: that is never asked. */
  authority?: Authority | undefined;
  /** Throws where the operation cannot go on with this definition. */
  judgeInput?(definition: Definition): void;
}

/** An open question. */
export interface AskedQuestion {
  kind: Question;
  text: string;
  at: Place;
  /** Nothing can go on without it. */
  required?: boolean;
  /** For an approval: the hash of the plan. */
  plan?: string;
  answer?: Answer | Verdict;
}

const DID = { retry: 'retried', skip: 'skipped', rollback: 'rollback', keep: 'keep' } as const satisfies Record<
  Decision,
  ControlAction
>;

/**
 * Present control of an operation, and the effects of people's actions. Callers check before whether an action is
 * allowed.
 */
export class ControlDesk {
  paused: ControlEntry | undefined;
  /** A cancel that did not come through the platform, until a person decides about it. */
  unsigned: ControlEntry | undefined;
  /** Decision about it. */
  chosen: 'rollback' | 'keep' | undefined;
  pauses = 0;
  asked: AskedQuestion | undefined;
  phase: 'working' | 'stopping' | 'ended' = 'working';
  canceled = false;
  rollsBack = false;
  readonly #controlled: ControlSubject;

  constructor(controlled: ControlSubject, carried?: CarriedState['control']) {
    this.#controlled = controlled;
    this.pauses = carried?.pauses ?? 0;
    this.canceled = carried?.canceled ?? false;
  }

  /** Shows how it stands now. */
  changed(): void {
    const { unsigned, asked, paused } = this;
    const question = unsigned ? { kind: 'cancel' as const, text: questionAbout(unsigned, this.rollsBack) } : asked;
    this.#controlled.changed({ ...(question ? { question } : {}), ...(paused ? { paused } : {}) });
  }

  /** Writes a line into the record, and shows it. */
  noted(did: ControlAction, by: Controller, at?: Place): ControlEntry {
    const entry = this.#note(did, by, at);
    this.changed();
    return entry;
  }

  refuseEnded(): void {
    if (this.phase === 'ended') throw refuse('not-running', 'it has ended');
  }

  pause(by: Controller): ControlEntry {
    this.pauses++;
    this.paused = this.#note('paused', by);
    this.changed();
    this.#controlled.pause?.(this.pauses);
    return this.paused;
  }

  resume(by: Controller): ControlEntry {
    this.#goAhead();
    return this.noted('resumed', by);
  }

  approve(verdict: Verdict): ControlEntry {
    const asked = this.asked as AskedQuestion;
    asked.answer = verdict;
    return this.noted(verdict.approved ? 'approved' : 'rejected', verdict, asked.at);
  }

  decide(answer: Answer): ControlEntry {
    const ends = answer.decision === 'rollback' || answer.decision === 'keep' ? answer.decision : undefined;
    if (this.unsigned) {
      this.chosen = ends;
      return this.stop(answer, DID[answer.decision]);
    }
    const asked = this.asked as AskedQuestion;
    asked.answer = answer;
    if (ends) this.paused = undefined;
    return this.noted(answer.definition ? 'retried-with-input' : DID[answer.decision], answer, asked.at);
  }

  /** Throws where the operation cannot go on with other input, or not with this. */
  judgeInput({ decision, definition }: Answer): void {
    if (!definition) return;
    const { judgeInput } = this.#controlled;
    if (decision !== 'retry' || !judgeInput || this.asked?.kind === 'undo')
      throw refuse('no-input-taken', 'new input is only possible for a retry of work that has input');
    judgeInput(definition);
  }

  /** Ends the operation, by a cancel or by the decision about an unsigned one. */
  stop(by: Controller, did: ControlAction = 'cancel'): ControlEntry {
    this.canceled = true;
    this.phase = 'stopping';
    this.#goAhead();
    const entry = this.noted(did, by);
    this.#controlled.stop();
    return entry;
  }

  /** A cancel that did not come through the platform has no actor. Its only effect is a question. */
  cancelUnsigned(): void {
    if (this.canceled || this.phase === 'ended') return;
    const entry = this.#note('cancel', { actor: UNKNOWN_ACTOR });
    if (this.phase === 'working') {
      this.unsigned = entry;
      this.#controlled.pause?.(++this.pauses);
    } else {
      this.phase = 'stopping';
      this.#goAhead();
      this.#controlled.stop();
    }
    this.changed();
  }

  /** Ends pauses and the question about a cancel. */
  #goAhead(): void {
    this.paused = undefined;
    this.unsigned = undefined;
  }

  #note(did: ControlAction, { actor, why, freeze }: Controller, at?: Place): ControlEntry {
    const time = new Date(Date.now()).toISOString();
    const entry = { at: time, actor, did, ...(why ? { why } : {}), ...at, ...(freeze ? { freeze } : {}) };
    this.#controlled.record.push(entry);
    return entry;
  }
}

import type * as z from 'zod';
import type { approvalPoint } from '../schema/request-fields.js';

/** What people did to an operation while it ran. */
export type ControlAction =
  | 'paused'
  | 'resumed'
  | 'approved'
  | 'rejected'
  | 'retried'
  | 'retried-with-input'
  | 'skipped'
  | 'rollback'
  | 'keep'
  | 'cancel'
  | 'force';

/** One line of an operation's own record of control. */
export interface ControlEntry {
  /** ISO time. */
  at: string;
  /** Who did it: `user@host`; `unknown` for a cancel that came past the platform. */
  actor: string;
  did: ControlAction;
  /** The reason that was given. */
  why?: string;
  /** The title of the step it was about, and on what. */
  step?: string;
  on?: string;
  /** The freeze that it was done for; absent: a person did it to this operation alone. */
  freeze?: string;
}

/** Who controls, and why. */
export interface Controller {
  actor: string;
  why?: string;
  /** The freeze that they do it for. */
  freeze?: string;
}

/**
 * Where an operation waits until somebody approves. `per-batch-stage` is a
 * batch's: it waits before each of its stages.
 */
export type ApprovalPoint = z.output<typeof approvalPoint>;

/** All that an operation can wait for. */
export const QUESTIONS = ['decision', 'undo', 'approval', 'cancel'] as const;
/**
 * What an operation in status `waiting` waits for: an answer to a failure, to one within a roll-back (`undo`), an
 * approval, or what to do about a cancel that nobody signed.
 */
export type Question = (typeof QUESTIONS)[number];

/** The actor of what nobody signed. */
export const UNKNOWN_ACTOR = 'unknown';

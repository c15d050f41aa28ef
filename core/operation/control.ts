import type * as z from 'zod';
import type { approvalPoint } from '../schema/request-fields.js';

/** Actions of people on a running operation. */
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

/** One line of an operation's record of control. */
export interface ControlEntry {
  /** ISO time. */
  at: string;
  /** Actor: `user@host`; `unknown` for a cancel that did not come through the platform. */
  actor: string;
  did: ControlAction;
  /** The reason that was given. */
  why?: string;
  /** The title of the step it was about, and on what. */
  step?: string;
  on?: string;
  /** Freeze that caused it. Absent: a person did it to this operation only. */
  freeze?: string;
}

/** Controlling person, with the reason. */
export interface Controller {
  actor: string;
  why?: string;
  /** The freeze that they do it for. */
  freeze?: string;
}

/**
 * Point at which an operation waits for an approval. `per-batch-stage` is for batches, which wait before each of their
 * stages.
 */
export type ApprovalPoint = z.output<typeof approvalPoint>;

/** All that an operation can wait for. */
export const QUESTIONS = ['decision', 'undo', 'approval', 'cancel'] as const;
/**
 * Question for which an operation in status `waiting` waits: about a failure, a failure within a roll-back (`undo`),
 * an approval, or an unsigned cancel.
 */
export type Question = (typeof QUESTIONS)[number];

/** Actor of unsigned actions. */
export const UNKNOWN_ACTOR = 'unknown';

import type * as z from 'zod';
import type { batchOnFailure } from '../schema/request-fields.js';
import type { ControlEntry } from './control.js';
import type { Intent, OperationKind } from './operation.js';

/** Operations that may be at work at once, in a batch or on an account. */
export const MOST_PARALLEL = 2_000;

/** Effect of a failed operation of a batch on the others. */
export type BatchOnFailure = z.output<typeof batchOnFailure>;

/** Indices of operations, compact: single ones, and runs `[first, last]`. */
export type Indices = (number | [first: number, last: number])[];

/** One line of a batch's record. */
export interface BatchRow {
  index: number;
  name: string;
  kind: OperationKind;
  verb: Exclude<Intent['verb'], 'rollback' | 'switch-over'>;
  infra: string;
  stage: number;
  mark: BatchMark;
  /** The id of its operation, once it was begun. */
  operation?: string;
  /** The id of the operation that rolls it back, once that was begun. */
  undo?: string;
  /** Why it waits, was skipped, failed, or is left. */
  why?: string;
}

/** One row of `batch list`. */
export interface BatchSummary {
  batch: string;
  status: BatchStatus;
  actor: string;
  /** ISO times. */
  started: string;
  ended?: string;
}

/** How one operation of a batch stands. */
export type BatchMark =
  | 'waiting'
  | 'asking'
  | 'running'
  | 'done'
  | 'failed'
  | 'skipped'
  | 'canceled'
  | 'superseded'
  | 'undoing'
  | 'undone'
  | 'left';

/** Marks as kept: one letter an operation. */
export const MARKS: Record<BatchMark, string> = {
  waiting: '.',
  asking: 'a',
  running: 'r',
  done: 'd',
  failed: 'f',
  skipped: 's',
  canceled: 'c',
  superseded: 'o',
  undoing: 'u',
  undone: 'b',
  left: 'l',
};
export const MARK_OF: Record<string, BatchMark> = Object.fromEntries(
  Object.entries(MARKS).map(([mark, letter]) => [letter, mark as BatchMark]),
);

/** `superseded`: nothing was done, since the infras had received definitions that were submitted later. */
export type BatchStatus = 'running' | 'waiting' | 'rolling-back' | 'done' | 'failed' | 'rolled-back' | 'canceled' | 'superseded';

/** `resume` answers an unsigned cancel. `keep` then stops the batch, and keeps its effects. */
export type BatchDecision = 'retry' | 'skip' | 'rollback' | 'rollback-branch' | 'keep' | 'resume';

/** State of a batch: the answer of its query, and its result. */
export interface BatchState {
  batch: string;
  name: string;
  workspace: string;
  status: BatchStatus;
  onFailure: BatchOnFailure;
  parallel: number;
  accounts: Record<string, number>;
  operations: number;
  pageSize: number;
  pages: string[];
  stages: number[];
  /** A letter an operation (`MARKS`). */
  marks: string;
  /** By index: the generation of an operation that was tried again. */
  again: Record<string, number>;
  /** By index: why it failed, or what of it is left; the first ones only. */
  why: Record<string, string>;
  /** Decision for which it waits. */
  waiting?: string;
  /** Failed ones that a person has not decided about. */
  undecided: number[];
  /** Nothing new is begun any more, and why. */
  stopping?: 'failure' | 'canceled';
  /** When Temporal was told to cancel it past the platform (ISO time): nothing new is begun until a person says what that means. */
  unsigned?: string;
  /** It stops, and what runs goes on to its end. */
  letsRun?: true;
  /** A person chose to roll back the failed branch when all is over. */
  branch?: true;
  /** Why it ended without a word of its own: terminated from outside. Operations that are marked as running go on without it. */
  cut?: string;
  /** Operations that are being rolled back. */
  undo?: Indices;
  /** Those marked as undone of which there was nothing to undo. */
  nothing?: Indices;
  /** The ended batch that this one rolls back: the one that did it all, also where an earlier try left some of it. */
  of?: string;
  /** Stages that may be begun. */
  approved: number;
  /** Actions of people on it, with their reasons, in order. */
  control: ControlEntry[];
  /** Runs of the workflow before this one. */
  continued: number;
  actor: string;
}

/** The end of one operation, as it tells its batch. */
export interface BatchReport {
  index: number;
  operation: string;
  status: 'done' | 'failed' | 'canceled' | 'superseded';
  why?: string;
  left?: string[];
}

/** The id of a batch's operation: `-2` and up for those that were tried again, `-undo` for rolling it back. */
export const batchOperationId = (batch: string, index: number, generation = 1, undo = false): string =>
  `${batch}-${index + 1}${generation > 1 ? `-${generation}` : ''}${undo ? '-undo' : ''}`;

/** One by one, in order. */
export function* each(indices: Indices = []): Generator<number> {
  for (const one of indices) {
    if (typeof one === 'number') yield one;
    else for (let index = one[0]; index <= one[1]; index++) yield index;
  }
}

/** Whether an index is among these. */
export const includes = (indices: Indices = [], index: number): boolean =>
  indices.some((one) => (typeof one === 'number' ? one === index : one[0] <= index && index <= one[1]));

/** Sorted numbers as single ones and runs. */
export function compact(sorted: readonly number[]): Indices {
  const result: [number, number][] = [];
  for (const index of sorted) {
    const last = result.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else if (!last || last[1] < index) result.push([index, index]);
  }
  return result.map(([first, last]) => (first === last ? first : [first, last]));
}

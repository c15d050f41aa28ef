import { type ErrorKind, kindOf } from './error-kinds.js';
import type { ErrorDetails } from './errors.js';
import type { BatchState } from './operation/batch.js';
import type { OperationResult } from './operation/operation.js';

/** Exit codes of commands. Scripts depend on them, so they keep their values. */
export const EXIT = {
  done: 0,
  failed: 1,
  badInput: 2,
  notReached: 3,
  waits: 4,
  canceled: 5,
  superseded: 6,
  changes: 7,
  notFollowed: 8,
  interrupted: 130,
} as const;

/** Their texts, for help and manuals. */
export const EXIT_TEXTS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'failed, or rolled back',
  badInput: 'bad input',
  notReached: 'cannot be reached',
  waits: 'waits for a person',
  canceled: 'canceled, or a person said no',
  superseded: 'superseded by a definition that was submitted later',
  changes: 'a preview has changes (--detailed-exitcode)',
  notFollowed: 'goes on, and cannot be followed',
  interrupted: 'Ctrl-C',
};

/** Returns the exit code of an operation, at its end or in its present state. */
export function exitCodeOf({ status, error }: Pick<OperationResult, 'status' | 'error'>): number {
  if (['done', 'running', 'queued', 'paused'].includes(status)) return EXIT.done;
  if (status === 'waiting') return EXIT.waits;
  if (status === 'canceled') return EXIT.canceled;
  if (status === 'superseded') return EXIT.superseded;
  return status === 'failed' ? (error?.exitCode ?? EXIT.failed) : EXIT.failed;
}

/** Returns the exit code of a batch, at its end or in its present state. */
export function exitCodeOfBatch({ status }: Pick<BatchState, 'status'>): number {
  if (status === 'done' || status === 'running' || status === 'rolling-back') return EXIT.done;
  if (status === 'waiting') return EXIT.waits;
  if (status === 'superseded') return EXIT.superseded;
  return status === 'canceled' ? EXIT.canceled : EXIT.failed;
}

/** Code of the error of a command that stops following. Its operation continues. */
export const NOT_FOLLOWED = 'not-followed';

const EXIT_BY_KIND = {
  'bad-input': EXIT.badInput,
  unauthenticated: EXIT.badInput,
  forbidden: EXIT.badInput,
  'not-found': EXIT.badInput,
  conflict: EXIT.badInput,
  'too-large': EXIT.badInput,
  'too-many': EXIT.notReached,
  unavailable: EXIT.notReached,
  internal: EXIT.failed,
} as const satisfies Readonly<Record<ErrorKind, number>>;

/** Returns the exit code of an error kind: the request is impossible, something cannot be reached, or it failed. */
export const exitCodeOfKind = (kind: ErrorKind): 1 | 2 | 3 => EXIT_BY_KIND[kind];

/** Returns the exit code of an error. */
export const exitCodeOfError = (details: Pick<ErrorDetails, 'code' | 'blame' | 'absent'>): 1 | 2 | 3 =>
  exitCodeOfKind(kindOf(details));

/** Returns the exit code of a command that ends with an error. */
export const exitCodeOfCommand = (details: Pick<ErrorDetails, 'code' | 'blame' | 'absent'>): 1 | 2 | 3 | 8 =>
  details.code === NOT_FOLLOWED ? EXIT.notFollowed : exitCodeOfError(details);

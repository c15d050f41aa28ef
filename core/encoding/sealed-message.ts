/**
 * Content of a sealed payload. A message names its purpose, so a recorded message cannot be used for another one. The
 * codec (encryption/) checks that it was sealed for this workflow or activity, and interceptors check the rest.
 */

import type { Lock } from '../infra/lock.js';

/** Purpose of a message. A continued run has a start, too. */
export type MessageKind = 'start' | 'signal' | 'update' | 'query' | 'activity' | 'result';

export interface SealedMessage {
  kind: MessageKind;
  /** Name of the workflow, signal, update, query or activity. */
  name: string;
  /** A sender never uses it twice. For an update, it is its id in Temporal. */
  id: string;
  /** When it was sealed, in milliseconds since 1970. */
  at: number;
  /** After this time it begins nothing, in milliseconds since 1970. Absent: it is good for as long as its receiver runs. */
  until?: number;
  /** The run that an activity, or its result, is of. */
  run?: string;
  /** For an activity: time limit of all its attempts together, in milliseconds. Absent: no limit. */
  patienceMs?: number;
  /** For an activity: the lock under which its operation runs it. */
  under?: Lock;
  /** For an activity: it changes the world, so the worker checks that the lock is still held. */
  changes?: true;
  /** For an activity: the run from which its own run was reset. */
  resetOf?: string;
  /** The id of the message that started this run: one such message starts one run. */
  start?: string;
  /**
   * For a query: the caller accepts an answer of any size in the payload. Without it, a large answer is kept in the
   * store.
   */
  inline?: true;
  /** Messages that a run has received, for the next run. */
  seen?: SeenState;
  args: unknown[];
}

/** Messages that were received, as a run hands them to the next. */
export interface SeenState {
  /** Messages that were sealed before this time are refused, in milliseconds since 1970. */
  horizon: number;
  /** Ids with the time at which they were sealed, oldest first. */
  ids: [id: string, at: number][];
}

/**
 * Validity of a message that begins something, in milliseconds. It is longer than delivery is attempted, and longer
 * than the clocks of a team's machines differ.
 */
export const GOOD_FOR_MS = 10 * 60_000;

/** Why a message was refused. `unknown-key`: it may be ours, sealed with a key that this process does not have. */
export type Refusal = 'not-sealed' | 'not-for-this' | 'unknown-key' | 'expired' | 'repeated' | 'too-old' | 'too-large' | 'reset';

export const REFUSALS: Record<Refusal, string> = {
  'not-sealed': 'it was not sealed by this set-up',
  'not-for-this': 'it was sealed for something else',
  'unknown-key': 'it was sealed with a key that this set-up does not have',
  expired: `it was sealed more than ${GOOD_FOR_MS / 60_000} minutes ago, or the clocks of two machines differ by as much`,
  repeated: 'it was received before',
  'too-old': 'it is older than what is remembered of received messages',
  'too-large': 'it is larger than what Temporal takes, compressed and encrypted',
  reset: 'it is of a run that was reset, which only operations go on with',
};

/** The type of failures that say so. */
export const REFUSAL_TYPE = 'refused';

const MARK = '$refused';

/** Replacement of a refused payload. Decoding must not fail, because one message would then stop a workflow. */
export const createRefusal = (why: Refusal) => ({ [MARK]: why });

/** Returns the reason of a refused payload. Undefined for all other values. */
export function parseRefusal(value: unknown): Refusal | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, MARK)) return undefined;
  return (value as Record<string, Refusal>)[MARK];
}

/** Properties that a message must have. */
export interface ExpectedMessage {
  kind: MessageKind;
  name: string;
  /** Demanded where it is given. */
  id?: string;
  run?: string;
}

/** The one message in these arguments, or why it is refused. */
export function openMessage(args: readonly unknown[], expected: ExpectedMessage): SealedMessage | Refusal {
  const refusal = args.map(parseRefusal).find((why) => why !== undefined);
  if (refusal) return refusal;
  const [message] = args as (Partial<SealedMessage> | undefined | null)[];
  if (args.length !== 1 || typeof message !== 'object' || message === null || !Array.isArray(message.args)) return 'not-sealed';
  if (typeof message.id !== 'string' || typeof message.at !== 'number') return 'not-sealed';
  const { kind, name, id, run } = expected;
  const fits = message.kind === kind && message.name === name;
  if (!fits || (id !== undefined && message.id !== id) || (run !== undefined && message.run !== run)) return 'not-for-this';
  return message as SealedMessage;
}

/** Whether a message that begins something is still good: neither too old nor from a clock that is far ahead. */
export const isGood = ({ at, until = Number.POSITIVE_INFINITY }: SealedMessage, now: number): boolean =>
  now <= until && at <= now + GOOD_FOR_MS;

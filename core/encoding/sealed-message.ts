/**
 * What travels inside a sealed payload: a message says what it is, so that one
 * that was recorded cannot be passed off as another. The codec (encryption/)
 * sees that it was sealed for this workflow or activity, interceptors see the rest.
 */

import type { Lock } from '../infra/lock.js';

/** What a message is for. A continued run starts too. */
export type MessageKind = 'start' | 'signal' | 'update' | 'query' | 'activity' | 'result';

export interface SealedMessage {
  kind: MessageKind;
  /** Of the workflow, signal, update, query or activity that it is for. */
  name: string;
  /** Never used twice by who seals. Of an update, its id in Temporal. */
  id: string;
  /** When it was sealed, in milliseconds since 1970. */
  at: number;
  /** After this time it begins nothing, in milliseconds since 1970. Absent: it is good for as long as its receiver runs. */
  until?: number;
  /** The run that an activity, or its result, is of. */
  run?: string;
  /** Of an activity: what all its attempts together may work, in milliseconds. Absent: as long as it takes. */
  patienceMs?: number;
  /** Of an activity: the lock under which its operation does it. */
  under?: Lock;
  /** Of an activity: it changes the world, so that the worker asks whether that lock still holds. */
  changes?: true;
  /** Of an activity: the run of which its own is a *Reset*. */
  resetOf?: string;
  /** The id of the message that started this run: one such message starts one run. */
  start?: string;
  /** Of a query: who asks takes an answer that is in the payload itself, whatever its size. Without it a large one is kept in the store. */
  inline?: true;
  /** What a run tells the next of the messages that it has had. */
  seen?: SeenState;
  args: unknown[];
}

/** Messages that were received, as a run hands them to the next. */
export interface SeenState {
  /** What was sealed before this is refused, in milliseconds since 1970. */
  horizon: number;
  /** Ids with the time at which they were sealed, oldest first. */
  ids: [id: string, at: number][];
}

/**
 * How long a message that begins something is good, in milliseconds: longer than
 * anybody tries to deliver it, and than the clocks of a team's machines differ.
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

/** What stands in place of a payload that was refused: decoding itself must not fail, or one message would stop a workflow. */
export const createRefusal = (why: Refusal) => ({ [MARK]: why });

/** Why this is no value of ours; undefined for all others. */
export function parseRefusal(value: unknown): Refusal | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, MARK)) return undefined;
  return (value as Record<string, Refusal>)[MARK];
}

/** What a message must be to be taken. */
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

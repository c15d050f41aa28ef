import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { SealedMessage } from '../core/encoding/sealed-message.js';
import { inputError, type ProvisioningError } from '../core/errors.js';
import type { GrantQuery, Lock } from '../core/infra/lock.js';
import { askOpen } from './ask-open.js';
import { beatWhile } from './beating.js';

/** How long a yes is good, in milliseconds: an operation of many activities, or a batch, asks once in this time. */
export const GOOD_FOR_MS = 1_000;
/**
 * Wait of a reset run before its work, in milliseconds. Attempts of the former run learn by their next heartbeat that
 * they are over. Heartbeats come every 2 s and are sent at most once a second.
 */
const TOLD_MS = 5_000;
/** How long the entity may take to answer, in milliseconds. */
const ANSWER_MS = 10_000;

/** Under which lock an attempt works. */
interface Hold extends Lock {
  operation: string;
  run: string;
  isReset: boolean;
}

const holds = new WeakMap<Context, Hold>();
const asking = new WeakMap<Context, () => Promise<boolean>>();

/**
 * Notes under which lock an attempt works, where its message says so and it has to ask about it.
 *
 * @param isReset the run is a *Reset*, in which every activity asks
 */
export function beginUnder(context: Context, { under, changes }: SealedMessage, isReset: boolean): void {
  const { workflowId: operation = '', runId: run = '' } = context.info.workflowExecution ?? {};
  if (under && (changes || isReset)) holds.set(context, { ...under, operation, run, isReset });
}

/** Returns the number of the current activity's grant, if it has one. */
export const readCurrentGrant = (context: Context = Context.current()): number | undefined => holds.get(context)?.grant;

/** The entity of the infra that the current activity changes under a lock, `infra/WORKSPACE/INFRA`. */
export const readHeldEntity = (context: Context = Context.current()): string | undefined => holds.get(context)?.entity;

/**
 * Returns a function that asks again whether the current activity's grant holds, if it has one. It never uses a former
 * answer.
 */
export const checkGrant = (context: Context = Context.current()): (() => Promise<boolean>) | undefined => asking.get(context);

/** Prevents an attempt whose lock is lost. */
export type Fence = () => Promise<void>;

/** A fence that asks the entities of infras. */
export function createFence(temporal: Client): Fence {
  const stillHolds = holdsAsked(temporal);
  const settled = onceForEach((_run) => sleep(TOLD_MS));

  /** @throws `grant-lost` */
  return async () => {
    const context = Context.current();
    const hold = holds.get(context);
    if (!hold) return;
    asking.set(context, () => stillHolds(hold, true));
    const isHeld = await beatWhile(async () => {
      if (hold.isReset) await settled(hold.run);
      return stillHolds(hold);
    });
    if (isHeld) return;
    throw lockLost(hold);
  };
}

/** The suggestion depends on what was done to the operation from outside. */
const lockLost = ({ operation, isReset }: Hold): ProvisioningError =>
  inputError({
    ...{ code: 'grant-lost', what: 'go on with the operation', on: operation },
    ...(isReset
      ? {
          why: 'it was reset after it had given its lock back, or after another operation had got it',
          hint: 'its former work stays, and nothing was changed after the reset; submit it again as a new operation, which does what is left',
        }
      : {
          why: 'its lock has expired or belongs to another operation',
          hint: `nothing more was changed; provisioning workflow status ${operation} shows the completed steps`,
        }),
  });

interface Question extends GrantQuery {
  resolve(isHeld: boolean): void;
  reject(error: unknown): void;
}

/** Asks entities who holds what: while one is asked, further questions to it wait and go out together. */
function holdsAsked(temporal: Client) {
  /** Until when a yes is good, by what was asked. */
  const good = new Map<string, number>();
  const waiting = new Map<string, Question[]>();

  async function answer(entity: string, questions: Question[]): Promise<void> {
    const until = performance.now() + GOOD_FOR_MS;
    try {
      const asked = questions.map(({ operation, grant }) => ({ operation, ...(grant !== undefined && { grant }) }));
      const answers = await askEntity(temporal, entity, asked);
      for (const [index, question] of questions.entries()) {
        if (answers[index]) good.set(keyOf(entity, question), until);
        question.resolve(answers[index] === true);
      }
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }

  async function answerAll(entity: string, questions: Question[]): Promise<void> {
    while (questions.length > 0) await answer(entity, questions.splice(0));
    waiting.delete(entity);
    const now = performance.now();
    for (const [key, until] of good) if (until < now) good.delete(key);
  }

  return ({ entity, operation, grant }: Hold, isAgain = false): Promise<boolean> => {
    const asked: GrantQuery = { operation, ...(grant !== undefined && { grant }) };
    if (!isAgain && (good.get(keyOf(entity, asked)) ?? 0) > performance.now()) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const question = { ...asked, resolve, reject };
      const others = waiting.get(entity);
      if (others) return void others.push(question);
      const questions = [question];
      waiting.set(entity, questions);
      void answerAll(entity, questions);
    });
  };
}

const keyOf = (entity: string, { operation, grant }: GrantQuery) => `${entity} ${operation} ${grant ?? ''}`;

async function askEntity(temporal: Client, entity: string, asked: GrantQuery[]): Promise<boolean[]> {
  const query = () => askOpen<boolean[], [GrantQuery[]]>(temporal, entity, 'ask who holds the lock', 'holds', asked);
  const said = await temporal.connection.withDeadline(Date.now() + ANSWER_MS, query);
  if ('answer' in said) return said.answer;
  return asked.map(() => said.none === 'unable');
}

/** Does it once for each name, however many ask; those of long ago are forgotten. */
function onceForEach(work: (name: string) => Promise<unknown>): (name: string) => Promise<unknown> {
  const known = new Map<string, Promise<unknown>>();
  return (name) => {
    const done = known.get(name) ?? work(name);
    known.set(name, done);
    if (known.size > 1_000) known.delete(known.keys().next().value as string);
    return done;
  };
}

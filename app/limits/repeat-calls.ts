import { createHash, randomUUID } from 'node:crypto';
import { canonical } from '../../core/encoding/hash.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { type IdempotencyKey, idempotencyKeys } from '../../stores/rows/idempotency-keys.js';
import type { Rows } from '../../stores/rows.js';
import type { CallMethod, Passage } from '../method.js';
import { attributesOfWorkflow } from '../temporal/attributes-of-workflow.js';
import { type HeldKey, holdKey, isoAfter, LEASE_MS } from './hold-key.js';
import { hashKey } from './key-of-call.js';
import { SECRET_ANSWERS } from './secret-answers.js';

/** How long a key is kept, in milliseconds. */
export const KEPT_MS = 24 * 3_600_000;

/**
 * Creates a function that answers repeated calls with the same key, and stores the answers of first calls. A call that
 * fails frees its key. The claim on a key is one write in the store, which all instances share.
 *
 * @param rows opened at the first such call
 */
export function repeatCalls(rows: () => Promise<Rows>) {
  /** @throws inputError `idempotency-key-refused`, `idempotency-key-reused`, `idempotency-key-in-use`, `idempotency-outcome-unknown` */
  return async function repeat(passage: Passage): Promise<void> {
    const { key, method, caller, input } = passage;
    if (key === undefined || method.kind === 'stream') return;
    if (SECRET_ANSWERS.has(method.name)) {
      const why = 'its answer has a secret, which is not stored for a second call';
      throw inputError({ code: 'idempotency-key-refused', what: 'take the key', on: method.name, why, hint: 'send no key' });
    }
    const id = hashKey(caller.principal, key);
    const asked = createHash('sha256')
      .update(canonical([method.name, input]))
      .digest('hex');
    const table = (await rows()).table(idempotencyKeys);
    const found = await table.get({ id });
    if (found && Date.parse(found.row.expiresAt) > Date.now()) {
      const { row } = found;
      if (row.asked !== asked) throw reused(method.name);
      if (row.until === undefined) return answerAgain(passage, row);
      const leftMs = Date.parse(row.until) - Date.now();
      if (leftMs > 0) throw inUse(method.name, Math.min(leftMs, 1_000));
      // The former call with this key has ended without an answer.
      if (!method.startedBefore && !method.repeatable) throw unknownOutcome(method.name);
    }
    const held = await take();
    passage.seed = id;
    passage.keep = (answers) => answerOnce(answers, held, found !== undefined && found.row.asked === asked);
    passage.release = (error) => (method.startedBefore && mayHaveBegun(error) ? held.leave() : held.free());

    async function take() {
      const expiresAt = isoAfter(KEPT_MS);
      const row: IdempotencyKey = {
        ...{ id, asked, holder: randomUUID(), until: isoAfter(LEASE_MS), expiresAt },
        // All keys of a day have ended when it begins.
        day: isoAfter(KEPT_MS + 86_400_000).slice(0, 10),
        ...(found && found.row.asked === asked && { cut: true as const }),
      };
      const revision = await table.compareAndSet(row, found?.revision);
      if (revision === undefined) throw inUse(method.name, 1_000);
      return holdKey(table, { row, revision });
    }

    async function* answerOnce(answers: AsyncIterable<unknown>, key: HeldKey, isSecond: boolean) {
      for await (const answer of isSecond ? startedOr(answers, passage) : answers) {
        // The call was done, whether its answer can be stored or not. Without it the next call reports an unknown
        // outcome.
        await key.answer(answer).catch(() => {});
        passage.release = undefined;
        yield answer;
      }
    }
  };
}

/** Continues a call that another call began, without starting its work a second time. */
async function* startedOr(answers: AsyncIterable<unknown>, { caller, method, input, seed }: Passage): AsyncGenerator<unknown> {
  try {
    yield* answers;
  } catch (error) {
    const { startedBefore } = method as CallMethod;
    const isThere = error instanceof ProvisioningError && error.details.code === 'operation-exists';
    if (!isThere || !startedBefore) throw error;
    const started = startedBefore(input as never, seed as string);
    const attributes = await attributesOfWorkflow(caller.engine.temporal, started.id);
    if (attributes?.actor !== caller.principal.actor) throw error;
    yield 'read' in started ? await started.read(caller) : started.answer;
  }
}

/** Whether failed work may have been started: the call was not refused. */
const mayHaveBegun = (error: unknown): boolean => !(error instanceof ProvisioningError) || error.details.blame !== 'user';

function answerAgain(passage: Passage, row: IdempotencyKey): void {
  const { method } = passage;
  if (row.tooLarge) {
    const why = 'the call was done, and its answer was too large to be kept';
    throw inputError({ code: 'idempotency-answer-not-kept', what: 'answer again', on: method.name, why });
  }
  passage.answers = (async function* () {
    yield row.answer === undefined ? undefined : (JSON.parse(row.answer) as unknown);
  })();
}

const reused = (on: string) =>
  inputError({
    code: 'idempotency-key-reused',
    what: 'take the key',
    on,
    why: 'another request was sent with this key in the last 24 hours',
    hint: 'use a new key for each request, and the same only to repeat it unchanged',
  });

const inUse = (on: string, retryAfterMs: number) =>
  inputError({
    code: 'idempotency-key-in-use',
    what: 'take the key',
    on,
    why: 'the first request with this key is still running',
    hint: 'repeat the request later',
    retryAfterMs,
  });

const unknownOutcome = (on: string) =>
  inputError({
    code: 'idempotency-outcome-unknown',
    what: 'answer again',
    on,
    why: 'the first request with this key was cut, and may have been done',
    hint: 'look at what it was to change, and use a new key',
  });

import { describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { inputError } from '../errors.js';
import type { Cell, Progress } from './operation.js';
import { type Askable, ProgressCopy } from './progress-copy.js';
import { ANSWER_BYTES, type PartsAnswer, selectParts } from './progress-parts.js';

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('__proto__', '\ud800', 'é'.repeat(200)));
const cell: fc.Arbitrary<Cell> = fc.record(
  {
    server: fc.constantFrom('web-1', 'web-2', 'db-1'),
    taskserv: fc.constantFrom('nginx', 'redis'),
    state: fc.constantFrom('pending', 'running', 'done', 'failed'),
    step: text,
    done: fc.nat(9),
  },
  { requiredKeys: ['server', 'state'] },
);
const line = fc.record({ on: text, title: text, step: fc.option(fc.dictionary(text, text), { nil: undefined }) });
const compensation = fc.record({
  undo: fc.constant('host-steps'),
  server: text,
  begun: fc.constant(undefined as true | undefined),
});

const progressOf = (cells: unknown[], plan: unknown[], more: object = {}) =>
  ({
    ...{ operation: 'op', kind: 'cluster', workspace: 'default', infra: 'shop', status: 'running' },
    ...{ steps: { executed: 0, planned: 9 }, services: [], plan, control: [], cells },
    ...more,
  }) as unknown as Progress;

const progress = fc
  .record({
    cells: fc.array(cell, { maxLength: 200 }),
    plan: fc.array(line, { maxLength: 200 }),
    notes: fc.array(text),
    left: fc.option(fc.array(text), { nil: undefined }),
    compensations: fc.array(compensation),
    waiting: fc.option(text, { nil: undefined }),
  })
  .map(({ cells, plan, ...more }) => progressOf(cells, plan, more));

/** Change between two looks. */
type Change = (progress: Progress) => Progress | undefined;
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(cell, fc.nat()).map(
    ([one, at]): Change =>
      (now) =>
        void now.cells.splice(at % (now.cells.length + 1), 1, one),
  ),
  fc.tuple(cell, fc.nat()).map(
    ([one, at]): Change =>
      (now) =>
        void now.cells.splice(at % (now.cells.length + 1), 0, one),
  ),
  fc.array(line, { maxLength: 60 }).map(
    (plan): Change =>
      (now) => ({ ...now, plan: plan as Progress['plan'] }),
  ),
  fc.array(line, { maxLength: 9 }).map(
    (plan): Change =>
      (now) => ({ ...now, plan: [...now.plan, ...(plan as Progress['plan'])] }),
  ),
  fc.constant((now: Progress) => {
    for (const one of now.compensations ?? []) if (one.undo === 'host-steps') one.begun = true;
    return undefined;
  }),
  fc.nat(9).map(
    (executed): Change =>
      (now) =>
        void Object.assign(now.steps, { executed }),
  ),
  // Handed on to a new run, or replayed: no object is one that was there before.
  fc.constant<Change>((now) => structuredClone(now)),
  // Another operation, or another form of the same.
  progress.map(
    (other): Change =>
      () =>
        structuredClone(other),
  ),
);

const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** An operation that answers as a worker does, by what it is at that moment. */
const operationOf = (now: () => Progress, most: number, note: (answer: PartsAnswer) => void = () => {}): Askable => ({
  async query<Answer>(name: string, ...args: unknown[]): Promise<Answer> {
    expect(name).toBe('progressParts');
    const answer = sent(selectParts(now(), args[0] as string, Math.min(most, args[1] as number)));
    note(answer);
    return answer as Answer;
  },
});
const never = () => false;

describe('a copy of where an operation stands', () => {
  test('is what a whole answer says, whatever happens between two looks, and in the same order', async () => {
    const looks = fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
    const run = fc.asyncProperty(progress, looks, fc.constantFrom(1, 300, 5_000, ANSWER_BYTES), async (first, rounds, most) => {
      const copy = new ProgressCopy();
      let now = structuredClone(first);
      for (const changes of [[], ...rounds]) {
        for (const one of changes) now = one(now) ?? now;
        const seen = await copy.ask(
          operationOf(() => now, most),
          never,
        );
        expect(JSON.stringify(seen)).toBe(JSON.stringify(now));
      }
    });
    await fc.assert(run, { numRuns: 300 });
  });

  test('is as it was at the last answer where it changes between pages', async () => {
    const run = fc.asyncProperty(progress, fc.array(change, { minLength: 1, maxLength: 8 }), async (first, changes) => {
      let now = structuredClone(first);
      const left = [...changes];
      const next = () => {
        now = left.shift()?.(now) ?? now;
        return now;
      };
      const seen = await new ProgressCopy().ask(operationOf(next, 200), never);
      expect(JSON.stringify(seen)).toBe(JSON.stringify(now));
    });
    await fc.assert(run, { numRuns: 200 });
  });

  test('never takes more at a time than one answer may have, but for one item of its own', async () => {
    const most = 100_000;
    const run = fc.asyncProperty(fc.array(fc.nat(60_000), { maxLength: 60 }), async (sizes) => {
      const plan = sizes.map((size, index) => ({ on: `web-${index}`, title: 'x'.repeat(size) }));
      const answers: PartsAnswer[] = [];
      const operation = operationOf(
        () => progressOf([], plan),
        most,
        (answer) => answers.push(answer),
      );
      expect((await new ProgressCopy().ask(operation, never)).plan).toEqual(plan);
      const sizesOf = answers.map(({ parts }) => Buffer.byteLength(JSON.stringify(parts.map(({ items }) => items))));
      expect(Math.max(...sizesOf)).toBeLessThan(most + 66_000);
      expect(answers.filter(({ whole }) => whole)).toHaveLength(1);
    });
    await fc.assert(run, { numRuns: 50 });
  });

  test('asks one that has ended for all at once, and for less where that is too much', async () => {
    const plan = Array.from({ length: 11_000 }, (_, index) => ({ on: `web-${index}`, title: 'x'.repeat(1_000) }));
    const now = progressOf([], plan);
    const asked: number[] = [];
    /** Takes answers of so many bytes, as Temporal does. */
    const upTo = (bytes: number, refusal: Error): Askable => ({
      async query<Answer>(_name: string, ...[has, most]: unknown[]): Promise<Answer> {
        asked.push(most as number);
        const answer = JSON.stringify(selectParts(now, has as string, most as number));
        if (answer.length > bytes) throw refusal;
        return JSON.parse(answer) as Answer;
      },
    });
    expect(await new ProgressCopy().askEnded(upTo(100e6, new Error('never')), never)).toEqual(now);
    expect(asked).toEqual([64 * ANSWER_BYTES]);
    asked.length = 0;
    const tooLarge = inputError({ code: 'too-large', what: 'read the answer', why: 'it is more than one may have' });
    expect(await new ProgressCopy().askEnded(upTo(5e6, tooLarge), never)).toEqual(now);
    expect(asked.map((most) => most / ANSWER_BYTES)).toEqual([64, 16, 4, 4, 4]);
    const words = new Error('query result size exceeds limit');
    await expect(new ProgressCopy().askEnded(upTo(500_000, words), never)).rejects.toBe(words);
  });

  test('asks a worker that does not know how for the whole', async () => {
    const whole = progressOf([{ server: 'web-1', state: 'done' }], []);
    const unknown = new Error('no such query');
    const operation: Askable = {
      async query<Answer>(name: string, ..._args: unknown[]): Promise<Answer> {
        if (name === 'progress') return whole as Answer;
        throw unknown;
      },
    };
    const copy = new ProgressCopy();
    expect(await copy.ask(operation, (error) => error === unknown)).toBe(whole);
    await expect(copy.ask(operation, never)).rejects.toBe(unknown);
    // A worker of this build has come in its place.
    const now = progressOf([{ server: 'web-1', state: 'undone' }], []);
    expect(
      await copy.ask(
        operationOf(() => now, ANSWER_BYTES),
        never,
      ),
    ).toEqual(now);
  });
});

describe('an operation of 5,000 servers with two services each', () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `web-${index + 1}`);
  const services = ['nginx', 'redis'];
  const cells = names.flatMap((server): Cell[] => [
    { server, state: 'done', step: 'Create the server' },
    ...services.map((taskserv): Cell => ({ server, taskserv, state: 'pending', step: 'wave 1 of 1' })),
  ]);
  const plan = names.flatMap((on) => [
    { on, title: 'Create the server', machine: 'create' },
    ...services.flatMap((taskserv) =>
      Array.from({ length: 4 }, (_, index) => ({
        ...{ on, taskserv, title: `Write /etc/${taskserv}/${index}.conf`, expected: true },
        step: { kind: 'file', title: 'Write it', path: `/etc/${taskserv}/${index}.conf`, content: `name ${on}\n`.repeat(30) },
      })),
    ),
  ]);
  const large = progressOf(cells, plan);
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

  test('is told in pages, and then in what has changed', async () => {
    const answers: PartsAnswer[] = [];
    const operation = operationOf(
      () => large,
      ANSWER_BYTES,
      (answer) => answers.push(answer),
    );
    const copy = new ProgressCopy();
    expect(await copy.ask(operation, never)).toEqual(large);
    expect(bytes(large)).toBeGreaterThan(8 * ANSWER_BYTES);
    expect(answers.length).toBeLessThan(bytes(large) / ANSWER_BYTES + 4);
    for (const answer of answers) expect(bytes(answer)).toBeLessThan(1.1 * ANSWER_BYTES);

    answers.length = 0;
    await copy.ask(operation, never);
    expect([answers.length, answers[0]?.parts]).toEqual([1, []]);
    expect(bytes(answers)).toBeLessThan(1_000);
    expect(copy.has.length).toBeLessThan(24_000);

    // A window of 500 has moved on by fifty, and fifty services are rows of the result now.
    answers.length = 0;
    for (let index = 6_000; index < 6_050; index++) cells[index] = { ...(cells[index] as Cell), state: 'done' };
    for (let index = 6_500; index < 6_550; index++) cells[index] = { ...(cells[index] as Cell), state: 'running' };
    large.services = names.slice(0, 50).map((server) => ({ server, taskserv: 'nginx', version: '1.28', healthy: true }));
    expect(await copy.ask(operation, never)).toEqual(large);
    expect(answers).toHaveLength(1);
    expect(bytes(answers)).toBeLessThan(60_000);
  });

  test('keeps what has not changed as it is', async () => {
    const copy = new ProgressCopy();
    const operation = operationOf(() => large, ANSWER_BYTES);
    const before = await copy.ask(operation, never);
    cells[9_000] = { ...(cells[9_000] as Cell), state: 'failed' };
    const after = await copy.ask(operation, never);
    expect(after.cells[9_000]?.state).toBe('failed');
    expect(after.plan.every((one, index) => one === before.plan[index])).toBe(true);
    const changed = after.cells.filter((one, index) => one !== before.cells[index]);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(1_500);
  });
});

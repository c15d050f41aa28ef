import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockEdit } from '../../../authoring/lock-file/lock-edit.js';
import { inputError, unreachableError } from '../../../core/errors.js';
import type { OperationRequest, OperationResult } from '../../../core/operation/operation.js';
import type { PlannedStep } from '../../../core/plan/planned-step.js';
import { lockText } from '../../../definition/lock-file/lock-text.js';
import { type FakeOptions, type Fakes, fakeClient, fakeSession, progressOf, resultOf } from '../../fake-session.js';
import { operate } from '../operate.js';
import type { Edit } from './edited-files.js';

const STEP: PlannedStep = { on: 'web', taskserv: 'traefik', title: 'Unpack traefik 3.3.5', change: 'change' };
const [BEFORE, AFTER] = ['version: 3.3.4\n', 'version: 3.3.5\n'];

describe('a file that is written for an operation', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edited-'));
    file = join(folder, 'shop.yaml');
    await writeFile(file, BEFORE);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const says = () => readFile(file, 'utf8');
  /** Runs an operation with a plan of one step and this result. The file's text at submission is recorded. */
  async function run(
    end: Partial<OperationResult>,
    flags: Parameters<typeof operate>[1],
    options: FakeOptions = {},
    edits: Edit[] = [{ file, before: BEFORE, after: AFTER, lines: ['@@ -1 +1 @@', '-version: 3.3.4', '+version: 3.3.5'] }],
  ) {
    const { client, submitted } = fakeClient((request) => [
      { type: 'end', result: resultOf(request, request.check ? { plan: [STEP] } : end) },
    ]);
    const at: string[] = [];
    const submit: Fakes['operations.submit'] = async (input) => {
      if (!input.request.check) at.push(await says());
      return (client['operations.submit'] as NonNullable<Fakes['operations.submit']>)(input);
    };
    const session = fakeSession({ ...options, client: { ...client, 'operations.submit': submit, ...options.client } });
    const wish = { kind: 'taskserv' as const, infra: 'demo', intent: { verb: 'ensure' as const }, edits };
    const code = await operate(session, flags, wish).catch((error: unknown) => error);
    return { code, session, at, submitted: submitted.filter((request: OperationRequest) => !request.check) };
  }

  test('has its new text before the operation begins, and keeps it', async () => {
    const { code, session, at } = await run({}, { yes: true });
    expect([code, at, await says()]).toEqual([0, [AFTER], AFTER]);
    expect(session.said()).toContain('+version: 3.3.5');
    expect(session.said()).toContain('shop.yaml says the new version\n');
  });

  test('is shown and asked about with the steps, and stays as it was where a person says no', async () => {
    const { code, session, submitted } = await run({}, {}, { interactive: true, answers: [false] });
    expect([code, submitted, await says()]).toEqual([5, [], BEFORE]);
    expect(session.asked).toEqual([`Run this step on demo, and write ${file}?`]);
    expect(session.said()).toContain('-version: 3.3.4\n');
  });

  describe('that is a lock file', () => {
    const lockEdit = async (): Promise<LockEdit> => {
      const { dev, ino } = await stat(folder);
      const after = { traefik: [{ asked: '^3', version: '3.3.5' }] };
      const about = { infra: 'demo', before: {}, after, lines: ['+after'], folder: { dev, ino } };
      return { file: join(folder, 'provisioning.lock'), ...about, definition: 'shop.yaml', quiet: true };
    };
    const there = () => readdir(folder);

    test('is written with the others, and nobody is asked about it', async () => {
      const { code, session } = await run({}, {}, { interactive: true, answers: [true] }, [await lockEdit()]);
      expect([code, session.asked, await there()]).toEqual([0, ['Run this step on demo?'], ['provisioning.lock', 'shop.yaml']]);
      expect(session.said()).toContain('provisioning.lock has the versions that constraints came to');
      expect(session.said()).not.toContain('+after');
    });

    test('goes again where nothing is left, and is not written by a check', async () => {
      const { session } = await run({ status: 'rolled-back', left: [] }, { yes: true }, { json: true }, [await lockEdit()]);
      expect(JSON.parse(session.said()).files).toEqual([
        { file: join(folder, 'provisioning.lock'), lock: true, state: 'restored' },
      ]);
      expect(await there()).toEqual(['shop.yaml']);
      const looked = await run({}, { check: true }, { json: true }, [await lockEdit()]);
      expect([JSON.parse(looked.session.said()).files, await there()]).toEqual([undefined, ['shop.yaml']]);
    });

    test('that another apply wrote meanwhile is not overwritten', async () => {
      const edit = await lockEdit();
      await writeFile(edit.file, lockText({ demo: { traefik: [{ asked: '^3', version: '3.3.4' }] } }) ?? '');
      const { code, submitted } = await run({}, { yes: true }, {}, [edit]);
      expect([code, submitted]).toMatchObject([{ details: { code: 'definition-changed', what: 'write the lock file' } }, []]);
    });
  });

  test('is only shown with --check', async () => {
    const { code, session } = await run({}, { check: true }, { json: true });
    expect([code, await says()]).toEqual([0, BEFORE]);
    expect(JSON.parse(session.said()).files).toEqual([{ file, lines: ['@@ -1 +1 @@', '-version: 3.3.4', '+version: 3.3.5'] }]);
  });

  test.each([
    ['rolled back', { status: 'rolled-back', left: [] }, BEFORE, 'restored'],
    ['superseded', { status: 'superseded' }, BEFORE, 'restored'],
    ['failed before anything', { status: 'failed', left: [] }, BEFORE, 'restored'],
    ['kept by half', { status: 'failed', left: ['taskserv traefik on web'] }, AFTER, 'written'],
    ['rolled back by half', { status: 'rolled-back', left: ['taskserv traefik on web'] }, AFTER, 'written'],
  ] as const)('where it was %s', async (_, end, text, state) => {
    const { session, at } = await run({ ...end, left: 'left' in end ? [...end.left] : undefined }, { yes: true }, { json: true });
    expect([at, await says(), JSON.parse(session.said()).files]).toEqual([[AFTER], text, [{ file, state }]]);
  });

  test('that somebody changed is not overwritten, neither before nor after', async () => {
    await writeFile(file, 'version: 3.3.3\n');
    const { code, submitted } = await run({}, { yes: true });
    expect([code, submitted]).toMatchObject([{ details: { code: 'definition-changed' } }, []]);
    expect(await says()).toBe('version: 3.3.3\n');
    await writeFile(file, BEFORE);
    const change: Fakes['operations.submit'] = async ({ request }) => {
      await writeFile(file, 'version: 4\n');
      return { operation: request.id ?? '' };
    };
    const follow = async function* () {
      yield { type: 'end' as const, result: resultOf({ id: 'op', kind: 'taskserv' }, { status: 'rolled-back' }) };
    };
    const meanwhile = { 'operations.submit': change, 'operations.follow': follow };
    const { session } = await run({}, { yes: true }, { json: true, client: meanwhile });
    expect([await says(), JSON.parse(session.said()).files]).toEqual(['version: 4\n', [{ file, state: 'changed-since' }]]);
  });

  test('has its former text again where the operation is refused, and stays where nobody knows whether it began', async () => {
    const failing = (error: Error) => ({ client: { 'operations.submit': () => Promise.reject(error) } });
    const about = { code: 'a', what: 'submit', why: 'it is so' };
    await run({}, { yes: true }, failing(inputError(about)));
    expect(await says()).toBe(BEFORE);
    await run({}, { yes: true }, failing(unreachableError({ ...about, code: 'no-worker' })));
    expect(await says()).toBe(BEFORE);
    await run({}, { yes: true }, failing(unreachableError(about)));
    expect(await says()).toBe(AFTER);
  });

  test('stays where nobody here sees the end, which is said', async () => {
    const left = await run({}, { yes: true, wait: false });
    expect([left.session.said(), await says()]).toEqual([expect.stringContaining('where the operation is rolled back'), AFTER]);
    await writeFile(file, BEFORE);
    const follow = async function* () {
      yield { type: 'waiting' as const, progress: progressOf({ status: 'waiting', question: 'decision' }) };
    };
    const waiting = await run({}, { yes: true }, { json: true, client: { 'operations.follow': follow } });
    expect([waiting.code, await says()]).toEqual([4, AFTER]);
    expect(waiting.session.complained()).toContain('shop.yaml says the new version');
  });
});

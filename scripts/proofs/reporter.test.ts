import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import EndedTests, { WHOLE } from './reporter.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reporter-'));
  vi.stubEnv('ENDED_ROOT', '/repository');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the reporter's notes for a file with this state and this number of passed tests. */
function noted(state: 'passed' | 'failed' | 'skipped', passed: number, isCanceled = false) {
  const path = join(folder, `${state}-${passed}-${isCanceled}`);
  vi.stubEnv('ENDED_TESTS', path);
  const reporter = new EndedTests();
  reporter.onInit({
    onCancel(listen) {
      if (isCanceled) listen('test-failure');
      return () => {};
    },
  });
  reporter.onTestModuleEnd({
    moduleId: '/repository/test/a.test.ts',
    state: () => state,
    children: { allTests: () => Array.from({ length: passed }) },
    diagnostic: () => ({ duration: 1500, collectDuration: 600 }),
  } as unknown as TestModule);
  return JSON.parse(readFileSync(path, 'utf8'));
}

test('a file is proven if it passed, and something of it was played', () => {
  expect(noted('passed', 2)).toEqual({ file: 'test/a.test.ts', proven: true, failed: false, seconds: 3 });
  expect(noted('failed', 2)).toMatchObject({ proven: false, failed: true });
  expect(noted('skipped', 0)).toMatchObject({ proven: false, failed: false });
  expect(noted('passed', 0)).toMatchObject({ proven: false, failed: false });
});

test('a file that ends in a run that is canceled is not proven: the rest of it was skipped', () =>
  expect(noted('passed', 2, true)).toMatchObject({ proven: false, failed: false }));

/** Returns the last line for a run with these failed files and these unhandled errors. */
function lastLine(failed: string[], unhandledIn: (string | undefined)[], isCanceled = false): unknown {
  const path = join(mkdtempSync(join(folder, 'end-')), 'ended');
  vi.stubEnv('ENDED_TESTS', path);
  const reporter = new EndedTests();
  reporter.onInit({
    onCancel(listen) {
      if (isCanceled) listen('test-failure');
      return () => {};
    },
  });
  const modules = ['a', 'b'].map((moduleId) => ({ moduleId, state: () => (failed.includes(moduleId) ? 'failed' : 'passed') }));
  const errors = unhandledIn.map((at) => ({ message: 'refused', ...(at && { VITEST_TEST_PATH: at }) }));
  reporter.onTestRunEnd(modules as unknown as TestModule[], errors);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

test('a run is whole if nothing failed in it but files', () => {
  expect(lastLine([], [])).toBe(WHOLE);
  expect(lastLine(['a'], [])).toBe(WHOLE);
  expect(lastLine(['a'], ['a'])).toBe(WHOLE);
  expect(lastLine(['a'], ['a', 'b'])).toBeUndefined();
  expect(lastLine(['a'], [undefined])).toBeUndefined();
  expect(lastLine(['a'], [], true)).toBeUndefined();
});

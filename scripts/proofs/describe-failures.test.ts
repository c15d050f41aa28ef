import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { describeFailedChecks, describeFailedTests, readChecks } from './describe-failures.js';

test('each failed check is named, with the end of its output', () => {
  const output = `${Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n')}\n\n`;
  const lines = describeFailedChecks([
    { script: 'check:types', output: 'a.ts(1,1): error\n' },
    { script: 'check:dead', output },
  ]);
  expect(lines.slice(0, 4)).toEqual(['check:types:', '  a.ts(1,1): error', 'the last 30 of 40 lines of check:dead:', '  line 10']);
  expect(lines.slice(-2)).toEqual(['  line 39', 'static checks failed: check:types, check:dead']);
  expect(lines).toHaveLength(34);
});

test('nothing is said of checks and tests that pass', () => {
  expect(describeFailedChecks([])).toEqual([]);
  expect(describeFailedTests('quick unit tests', { exitCode: 0, ended: [] })).toEqual([]);
});

test('failed test files are named, and an error outside of them is called so', () => {
  const ended = [
    { file: 'a.test.ts', proven: false, failed: true, seconds: 1 },
    { file: 'b.test.ts', proven: true, failed: false, seconds: 1 },
    { file: 'c.test.ts', proven: false, failed: true, seconds: 1 },
  ];
  expect(describeFailedTests('slow tests', { exitCode: 1, ended })).toEqual(['slow tests failed: a.test.ts, c.test.ts']);
  expect(describeFailedTests('slow tests', { exitCode: 1, ended: [] })).toEqual([
    'slow tests failed: an error outside of their files, see above',
  ]);
});

test('the checks of package.json are found', () => {
  const { scripts } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const checks = readChecks(scripts.check ?? '');
  expect(checks).toContain('check:format');
  expect(checks.sort()).toEqual(
    Object.keys(scripts)
      .filter((name) => name.startsWith('check:'))
      .sort(),
  );
});

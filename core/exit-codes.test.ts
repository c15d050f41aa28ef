import { expect, test } from 'vitest';
import { EXIT, exitCodeOf, exitCodeOfBatch } from './exit-codes.js';

test.each([
  ['done', EXIT.done],
  ['running', EXIT.done],
  ['queued', EXIT.done],
  ['paused', EXIT.done],
  ['waiting', EXIT.waits],
  ['canceled', EXIT.canceled],
  ['superseded', EXIT.superseded],
  ['failed', EXIT.failed],
  ['rolled-back', EXIT.failed],
] as const)('an operation that is %s ends with %i', (status, code) => {
  expect(exitCodeOf({ status } as never)).toBe(code);
});

test('a failed operation ends with the code of its error, a rolled back one does not', () => {
  const error = { exitCode: EXIT.badInput } as never;
  expect(exitCodeOf({ status: 'failed', error })).toBe(EXIT.badInput);
  expect(exitCodeOf({ status: 'rolled-back', error })).toBe(EXIT.failed);
});

test.each([
  ['done', EXIT.done],
  ['running', EXIT.done],
  ['rolling-back', EXIT.done],
  ['waiting', EXIT.waits],
  ['canceled', EXIT.canceled],
  ['superseded', EXIT.superseded],
  ['failed', EXIT.failed],
  ['rolled-back', EXIT.failed],
] as const)('a batch that is %s ends with %i', (status, code) => {
  expect(exitCodeOfBatch({ status } as never)).toBe(code);
});

import { ApplicationFailure } from '@temporalio/workflow';
import { expect, test } from 'vitest';
import { isStepFailed } from './failures.js';

test.each([
  ['step-failed', true],
  ['share-expired', true],
  ['share-not-made', false],
  ['host-unreachable', false],
])('after %s steps have begun on the host: %s', (code, begun) => {
  const details = { code, blame: 'user', what: 'join', why: 'it failed' };
  expect(isStepFailed(ApplicationFailure.create({ message: 'failed', type: code, details: [details] }))).toBe(begun);
});

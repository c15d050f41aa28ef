import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { inputError } from '../core/errors.js';
import { placeOf } from './worker-log.js';

test('an error in the log of the worker is its code and its place, and no text of it', () => {
  const said = 'CANARY-of-a-host\n    at root (/etc/passwd:1:1) CANARY\n    at x CANARY';
  const errors = [
    new Error(said),
    inputError({ code: 'step-failed', what: said, on: 'web-1', why: said }),
    ApplicationFailure.create({ message: said, type: 'step-failed', details: [said], cause: new Error(said) }),
    Object.assign(new Error(said), { code: said }),
    new SyntaxError(said),
  ];
  for (const error of errors) {
    expect(placeOf(error)).not.toContain('CANARY');
    expect(placeOf(error)).toMatch(/at .*worker-log\.test\.ts:\d+:\d+/);
  }
  expect(placeOf(errors[1])).toMatch(/^ProvisioningError step-failed\n/);
  expect(placeOf(errors[2])).toContain('caused by Error');
  expect(placeOf(Object.assign(new Error(said), { code: 'ECONNRESET', syscall: 'read' }))).toMatch(/^Error ECONNRESET \(read\)/);
});

import { expect, test } from 'vitest';
import { inputError, ProvisioningError, unreachableError } from '../../../core/errors.js';
import { startAgainOnFailure } from './start-again.js';

const differs = inputError({
  code: 'store-differs',
  what: 'switch the store',
  on: 'files',
  why: 'it differs',
  hint: 'compare again',
});
const noPort = unreachableError({ code: 'engine-not-running', what: 'start the worker', why: 'its port is taken' });
const fail = (error: unknown) => async () => {
  throw error;
};

test('work that succeeds starts nothing', async () => {
  expect(await startAgainOnFailure(async () => 1, fail(noPort))).toBe(1);
});

test('work that fails has the worker started, and its own error', async () => {
  let started = 0;
  await expect(startAgainOnFailure(fail(differs), async () => started++)).rejects.toBe(differs);
  expect(started).toBe(1);
});

test('the error of the work says if the worker did not start either', async () => {
  const error = await startAgainOnFailure(fail(differs), fail(noPort)).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(ProvisioningError);
  expect(error).toMatchObject({
    details: {
      ...{ code: 'store-differs', blame: 'user', on: 'files' },
      why: 'it differs; the worker was not started again: cannot start the worker: its port is taken',
      hint: 'compare again; start the worker: provisioning up',
    },
    cause: differs,
  });
  await expect(startAgainOnFailure(fail(new Error('no space')), fail(noPort))).rejects.toThrow(
    'no space; the worker was not started again: cannot start the worker: its port is taken',
  );
});

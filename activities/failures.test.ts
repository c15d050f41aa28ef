import { expect, test } from 'vitest';
import { activityEnvironment } from '../test/support/activity-environment.js';
import { createFailure } from './failures.js';

const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: 'write', path: '/home/me/x' });

test.each([
  ['ENOSPC', 'make room (`df -h`, `df -i`): until then it is retried'],
  ['EMFILE', 'raise the limit of open files (`ulimit -n`): until then it is retried'],
])('%s of the worker is retried, and its hint is whole', async (code, hint) => {
  const failure = await activityEnvironment().run(async () => createFailure(systemError(code)));
  expect(failure).toMatchObject({ nonRetryable: false, details: [expect.objectContaining({ hint })] });
});

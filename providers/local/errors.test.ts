import { describe, expect, it } from 'vitest';
import { createFailure } from '../../activities/failures.js';
import { exitCodeOfError } from '../../core/exit-codes.js';
import { ProvisioningError } from '../../sdk/index.js';
import { describeFailure } from '../../workflows/operation/failures.js';
import { openDocker } from './docker/docker.js';
import { call, translate } from './errors.js';

const failure = (message: string, more: object) => Object.assign(new Error(message), more);
const translated = (error: unknown) => {
  const result = translate('create the server', 'web-1', error);
  if (!(result instanceof ProvisioningError)) throw new Error('not translated');
  return result.details;
};

describe('a failure of Docker', () => {
  it.each([
    ['connect ENOENT', { code: 'ENOENT' }, 'docker-not-running', 'user'],
    ['connect ECONNREFUSED', { code: 'ECONNREFUSED' }, 'docker-not-running', 'weather'],
    ['connect EACCES', { code: 'EACCES' }, 'docker-not-permitted', 'user'],
    ['(HTTP code 404) no such container - No such image: x:1', { statusCode: 404 }, 'host-image-missing', 'user'],
    ['(HTTP code 404) unexpected - network abc not found', { statusCode: 404 }, 'network-missing', 'user'],
    [
      '(HTTP code 403) forbidden - error while removing network: has active endpoints',
      { statusCode: 403 },
      'network-in-use',
      'weather',
    ],
    ['(HTTP code 500) server error - write: no space left on device', { statusCode: 500 }, 'disk-full', 'user'],
    ['(HTTP code 500) server error - could not find an available address pool', { statusCode: 500 }, 'no-subnet-left', 'user'],
    ['(HTTP code 500) server error - something', { statusCode: 500 }, 'docker-failed', 'weather'],
    ['(HTTP code 400) bad parameter - something', { statusCode: 400 }, 'docker-refused', 'user'],
  ])('%s is told as ours', (message, more, code, blame) => {
    expect(translated(failure(message, more))).toMatchObject({ code, blame, what: 'create the server', on: 'web-1' });
  });

  it('says why without the dress of HTTP', () => {
    expect(translated(failure('(HTTP code 500) server error - something\n broke ', { statusCode: 500 })).why).toBe(
      'something broke',
    );
  });

  it('that is an abort or a mistake of ours passes unchanged', () => {
    for (const error of [failure('aborted', { name: 'AbortError', code: 'ABORT_ERR' }), new TypeError('x is not a function')]) {
      expect(translate('a', 'b', error)).toBe(error);
    }
  });
});

it('a missing engine is told with what to do, is not tried again, and ends with 3', async () => {
  const docker = await openDocker({ socketPath: '/nonexistent/docker.sock' });
  const error = await call('list the servers', 'demo', undefined, () => docker.listContainers()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ details: { code: 'docker-not-running', hint: 'run `provisioning up --local`' } });
  expect(exitCodeOfError((error as ProvisioningError).details)).toBe(3);
  expect(createFailure(error).nonRetryable).toBe(true);
  expect(describeFailure(createFailure(error), { step: 'create the server', on: 'web' }).exitCode).toBe(3);
});

it('a call ends when its signal is aborted, though Docker does not answer', async () => {
  const never = new Promise<never>(() => {});
  const signal = AbortSignal.timeout(20);
  await expect(call('a', 'b', signal, () => never)).rejects.toThrow(/timeout/);
});

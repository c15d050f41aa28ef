import { expect, test } from 'vitest';
import { restoreEnvironment } from './restore-environment.js';

test('each file of a process starts with the same environment, except variables of Vitest', () => {
  const env: NodeJS.ProcessEnv = { HOME: '/root', PATH: '/bin', VITEST_POOL_ID: '1' };
  const kept = {};
  restoreEnvironment(env, kept);
  expect(env).toEqual({ HOME: '/root', PATH: '/bin', VITEST_POOL_ID: '1' });
  Object.assign(env, { HCLOUD_TOKEN: 'secret', PATH: '/other', VITEST_POOL_ID: '2', VITEST_WORKER_ID: '7' });
  delete env.HOME;
  restoreEnvironment(env, kept);
  expect(env).toEqual({ HOME: '/root', PATH: '/bin', VITEST_POOL_ID: '2', VITEST_WORKER_ID: '7' });
});

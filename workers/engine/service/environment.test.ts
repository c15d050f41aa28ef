import { expect, test } from 'vitest';
import { buildEnvironment, engineEnvironment } from './environment.js';

const GIVEN = {
  PATH: '/bin',
  HOME: '/home/ann',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  GOMEMLIMIT: '256MiB',
  GOPROXY: 'https://proxy.example',
  HTTPS_PROXY: 'http://proxy.example:3128',
  HCLOUD_TOKEN: 'secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  UPCLOUD_PASSWORD: 'secret',
  PROVISIONING_ENCRYPTION_KEY: 'secret',
  PROVISIONING_SECRET_DB: 'secret',
  TEMPORAL_API_KEY: 'secret',
  PGPASSWORD: 'secret',
  GITHUB_TOKEN: 'secret',
  LD_PRELOAD: '/tmp/evil.so',
  GOFLAGS: '-toolexec=/tmp/evil',
};

const COMMON = { PATH: '/bin', HOME: '/home/ann', TMPDIR: '/tmp', LANG: 'C.UTF-8' };

test('the engine gets its limit of memory, no cloud token, no secret of ours, nothing it does not need', () => {
  expect(engineEnvironment(GIVEN)).toEqual({ ...COMMON, GOMEMLIMIT: '256MiB' });
});

test('a build gets the ways to the module proxy, not the limit of the engine, and no secret', () => {
  expect(buildEnvironment(GIVEN)).toEqual({
    ...COMMON,
    GOPROXY: 'https://proxy.example',
    HTTPS_PROXY: 'http://proxy.example:3128',
  });
});

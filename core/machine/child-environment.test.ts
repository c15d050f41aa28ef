import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { childEnvironment } from './child-environment.js';

it('passes on what programs need, and nothing else', () => {
  const env = { PATH: '/bin', LC_ALL: 'C', https_proxy: 'http://p', HCLOUD_TOKEN: 'x', LC_ALL_TOKEN: 'x', HOME: undefined };
  expect(childEnvironment(env, { LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' })).toEqual({
    PATH: '/bin',
    LC_ALL: 'C.UTF-8',
    https_proxy: 'http://p',
    DEBIAN_FRONTEND: 'noninteractive',
  });
});

it('is what all programs get that activities and providers start', () => {
  const root = resolve(import.meta.dirname, '../..');
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'activities/**.ts', 'providers/**.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && !path.endsWith('.test.ts'));
  const starts = (path: string) =>
    /^import (?!type\b).*from '(?:execa|node:child_process)'/m.test(readFileSync(resolve(root, path), 'utf8'));
  expect(files.filter(starts).sort()).toEqual([
    'activities/host/this-machine/this-machine.ts',
    'providers/local/prepare/run-program.ts',
  ]);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { thisMachine } from './this-machine.js';

const NAME = 'PROVISIONING_SECRET_OF_THE_WORKER';
const isRoot = process.getuid?.() === 0;

beforeAll(() => {
  process.env[NAME] = 'hunter2';
});
afterAll(() => {
  delete process.env[NAME];
});

it.runIf(isRoot)('gives scripts none of the environment of the worker', async () => {
  const { exit, stdout } = await thisMachine.exec('env');
  expect(exit).toBe(0);
  const names = stdout.split('\n').flatMap((line) => line.split('=')[0] || []);
  expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME']));
  expect(
    names.filter((name) => !['HOME', 'LC_ALL', 'LOGNAME', 'OLDPWD', 'PATH', 'PWD', 'SHELL', 'SHLVL', 'USER', '_'].includes(name)),
  ).toEqual([]);
  expect(stdout).not.toContain('hunter2');
});

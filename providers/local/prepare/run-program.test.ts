import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from './run-program.js';

beforeAll(() => {
  process.env.HCLOUD_TOKEN_OF_TEST = 'hunter2';
});
afterAll(() => {
  delete process.env.HCLOUD_TOKEN_OF_TEST;
});

it('gives a program no token of our environment', async () => {
  const { stdout } = await runProgram('env', [], { env: { DEBIAN_FRONTEND: 'noninteractive' } });
  expect(stdout).toContain('DEBIAN_FRONTEND=noninteractive');
  expect(stdout).toMatch(/^PATH=/m);
  expect(stdout).not.toContain('hunter2');
});

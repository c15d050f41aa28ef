import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cacheOf } from '../../home/home.js';
import { copyOfRepository, here } from './copy.js';
import { follow, instructionsIn } from './follow.js';

let copy: string;
let home: string;

beforeAll(async () => {
  [copy, home] = await Promise.all([copyOfRepository(), mkdtemp(join(tmpdir(), 'provisioning-guide-home-'))]);
  await execa('npm', ['run', '-s', 'generate'], { cwd: copy });
  const by = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  await execa('git', ['add', '-A'], { cwd: copy });
  await execa('git', [...by, 'commit', '-qm', 'as it is'], { cwd: copy });
});
afterAll(async () => {
  await provisioning('down');
  for (const folder of [copy, home]) await rm(folder, { recursive: true, force: true });
});

const provisioning = (...args: string[]) => {
  const env = { PROVISIONING_HOME: home, PROVISIONING_CACHE: cacheOf() };
  return execa(process.execPath, [join(copy, 'bin/provisioning.js'), ...args], { env });
};

test('who follows docs/guides/add-a-command.md has a command', { timeout: 900_000 }, async () => {
  for (const instruction of instructionsIn(await readFile(join(here, 'docs/guides/add-a-command.md'), 'utf8')))
    await follow(instruction, copy);
  expect(await readFile(join(copy, 'docs/cli.md'), 'utf8')).toContain('## greet');
});

test('who follows docs/guides/add-a-method.md can ask it of a running platform', { timeout: 900_000 }, async () => {
  for (const instruction of instructionsIn(await readFile(join(here, 'docs/guides/add-a-method.md'), 'utf8')))
    await follow(instruction, copy);
  // One new file of the method's; what else is new was made by the generators.
  const { stdout } = await execa('git', ['status', '--short', '-uall'], { cwd: copy });
  expect(stdout.split('\n').filter((line) => line.includes('app/') || line.includes('client/'))).toEqual([
    '?? app/methods/operations/count.ts',
  ]);
  expect(await readFile(join(copy, 'docs/methods.md'), 'utf8')).toMatch(/### operations\.count\n[^#]*permission `operation:read`/);

  await provisioning('up');
  expect((await provisioning('workflow', 'count')).stdout).toBe('count: 0');
  await provisioning('apply', join(copy, 'examples/demo.yaml'), '--check');
  const counted = await provisioning('workflow', 'count', '--infra', 'demo', '--json');
  expect(JSON.parse(counted.stdout)).toEqual({ count: 1 });
  expect(JSON.parse((await provisioning('workflow', 'count', '--infra', 'other', '--json')).stdout)).toEqual({ count: 0 });
});

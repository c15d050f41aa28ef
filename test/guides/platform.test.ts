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
  await commit();
});
afterAll(async () => {
  await provisioning('down');
  for (const folder of [copy, home]) await rm(folder, { recursive: true, force: true });
});

async function commit(): Promise<void> {
  const by = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  await execa('git', ['add', '-A'], { cwd: copy });
  await execa('git', [...by, 'commit', '-qm', 'as it is'], { cwd: copy });
}

async function followGuide(name: string): Promise<void> {
  for (const instruction of instructionsIn(await readFile(join(here, 'docs/guides', name), 'utf8')))
    await follow(instruction, copy);
}

/** What changed in the copy since the last commit, as Git says it. */
const changes = async () => (await execa('git', ['status', '--short', '-uall'], { cwd: copy })).stdout.split('\n');

const provisioning = (...args: string[]) => {
  const env = { PROVISIONING_HOME: home, PROVISIONING_CACHE: cacheOf() };
  return execa(process.execPath, [join(copy, 'bin/provisioning.js'), ...args], { env });
};

test('who follows docs/guides/add-a-command.md has a command', { timeout: 1_800_000 }, async () => {
  await followGuide('add-a-command.md');
  expect(await readFile(join(copy, 'docs/cli.md'), 'utf8')).toContain('## greet');
  await commit();
});

test('who follows docs/guides/add-a-workflow.md can have it run', { timeout: 1_800_000 }, async () => {
  await followGuide('add-a-workflow.md');
  const guide = await readFile(join(here, 'docs/guides/add-a-workflow.md'), 'utf8');
  // What it makes and changes, and the guide does not say, nobody would find again.
  const touched = (await changes()).map((line) => line.slice(3)).filter((path) => !/^(docs|cli)\/|request-schemas/.test(path));
  expect(touched.length).toBeGreaterThan(8);
  expect(touched.filter((path) => !guide.includes(`\`${path}\``))).toEqual([]);

  await provisioning('up');
  const accounts = async (...more: string[]) =>
    JSON.parse((await provisioning('provider', 'accounts', ...more, '--json')).stdout).accounts as string[];
  expect(await accounts()).toEqual(expect.arrayContaining(['demo', 'local']));
  expect(await accounts('--provider', 'demo')).toEqual(['demo']);
  await commit();
});

test('who follows docs/guides/add-a-method.md can ask it of a running platform', { timeout: 1_800_000 }, async () => {
  await followGuide('add-a-method.md');
  // One new file of the method's; what else is new was made by the generators.
  expect((await changes()).filter((line) => line.includes('app/') || line.includes('client/'))).toEqual([
    '?? app/methods/operations/count.ts',
  ]);
  expect(await readFile(join(copy, 'docs/methods.md'), 'utf8')).toMatch(/### operations\.count\n[^#]*permission `operation:read`/);

  await provisioning('up');
  const count = async (...more: string[]) => JSON.parse((await provisioning('workflow', 'count', ...more, '--json')).stdout);
  expect((await provisioning('workflow', 'count')).stdout).toBe('count: 0');
  await provisioning('apply', join(copy, 'examples/demo.yaml'), '--yes');
  expect(await count('--infra', 'demo')).toEqual({ count: 1 });
  expect(await count('--infra', 'other')).toEqual({ count: 0 });
});

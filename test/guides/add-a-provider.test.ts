import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { follow, instructionsIn } from './follow.js';

const here = resolve(import.meta.dirname, '../..');
let copy: string;

/** The repository as it is here, committed or not. */
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'provisioning-guide-'));
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard'], { cwd: here });
  for (const path of stdout.split('\n')) {
    await mkdir(join(copy, dirname(path)), { recursive: true });
    await cp(join(here, path), join(copy, path)).catch((error: NodeJS.ErrnoException) => {
      // Deleted here, and not committed yet.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await symlink(join(here, 'node_modules'), join(copy, 'node_modules'));
  await execa('git', ['init', '-q'], { cwd: copy });
});
afterAll(() => rm(copy, { recursive: true, force: true }));

test('what the guide says to read is there', async () => {
  const guide = await readFile(join(here, 'docs/guides/add-a-provider.md'), 'utf8');
  const paths = [...guide.matchAll(/`((?:providers|test)\/[^`\s]+)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !path.includes('/acme') && !existsSync(join(here, path)))).toEqual([]);
});

test('who follows docs/guides/add-a-provider.md has a provider that keeps the contract', { timeout: 900_000 }, async () => {
  const instructions = instructionsIn(await readFile(join(here, 'docs/guides/add-a-provider.md'), 'utf8'));
  const runs: { command: string; passed: number; skipped: number }[] = [];
  for (const instruction of instructions) {
    const said = await follow(instruction, copy);
    if (instruction.kind === 'edit' || !instruction.command.includes('vitest run')) continue;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    const plain = said.replace(/\u001b\[\d+m/g, '');
    const summary = /Tests\s+(.*)/.exec(plain)?.[1] ?? '';
    const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0);
    runs.push({ command: instruction.command, passed: count('passed'), skipped: count('skipped') });
  }
  console.log(runs);
  const [first, all] = runs;
  expect(runs).toHaveLength(2);
  expect(first?.passed).toBeGreaterThanOrEqual(18);
  expect(all?.passed).toBeGreaterThan((first?.passed ?? 0) + 8);
});

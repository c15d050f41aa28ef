import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyOfRepository, here } from './copy.js';
import { follow, instructionsIn } from './follow.js';

let copy: string;

beforeAll(async () => {
  copy = await copyOfRepository();
});
afterAll(() => rm(copy, { recursive: true, force: true }));

test('what the guide says to read is there', async () => {
  const guide = await readFile(join(here, 'docs/guides/add-a-provider.md'), 'utf8');
  const paths = [...guide.matchAll(/`((?:providers|test)\/[^`\s]+)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !path.includes('/acme') && !existsSync(join(here, path)))).toEqual([]);
});

test('who follows docs/guides/add-a-provider.md has a provider that keeps the contract', { timeout: 1_800_000 }, async () => {
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

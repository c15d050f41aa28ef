import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mayMount } from '../support/journal-host.js';
import { copyOfRepository, here } from './copy.js';
import { follow, instructionsIn } from './follow.js';

let copy: string;
beforeAll(async () => {
  copy = await copyOfRepository();
  await execa('npm', ['run', '-s', 'generate'], { cwd: copy });
});
afterAll(() => rm(copy, { recursive: true, force: true }));

test('who follows docs/guides/add-a-step-kind.md has a step that is done and undone', { timeout: 1_800_000 }, async () => {
  const runs: string[] = [];
  for (const instruction of instructionsIn(await readFile(join(here, 'docs/guides/add-a-step-kind.md'), 'utf8'))) {
    const said = await follow(instruction, copy);
    if (instruction.kind === 'run') runs.push(said);
  }
  // Where nobody may mount a folder over that of a host, the journal is tried nowhere.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
  expect(runs[0]?.replace(/\u001b\[\d+m/g, '')).toMatch(mayMount ? /Tests +1 passed/ : /Tests +1 skipped/);
});

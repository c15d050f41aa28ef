import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whyNoHosts } from '../support/hosts.js';
import { copyOfRepository, here } from './copy.js';
import { follow, instructionsIn } from './follow.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

describe.skipIf(why)('docs/extend/adding-a-taskserv.md', () => {
  let copy: string;
  beforeAll(async () => {
    copy = await copyOfRepository();
  });
  afterAll(() => rm(copy, { recursive: true, force: true }));

  test('who follows it has a small service that is proven on a host', { timeout: 1_800_000 }, async () => {
    const runs: string[] = [];
    for (const instruction of instructionsIn(await readFile(join(here, 'docs/extend/adding-a-taskserv.md'), 'utf8'))) {
      const said = await follow(instruction, copy);
      if (instruction.kind === 'run') runs.push(said);
    }
    expect(runs.at(-1)).toMatch(/^\[ *\d+ s\] beanstalkd: proven, \d+ s$/m);
    expect(await readFile(join(copy, 'docs/reference/catalog.md'), 'utf8')).toMatch(/^\| \[beanstalkd\].* \| proven: 1\.12/m);

    const made = join(copy, 'taskservs/beanstalkd');
    const { stdout } = await execa('find', [made, '-type', 'f', '-not', '-path', '*/cases/*', '-printf', '%f\n']);
    expect(stdout.split('\n').sort()).toEqual(['README.md', 'beanstalkd.ts']);
    expect((await readFile(join(made, 'beanstalkd.ts'), 'utf8')).split('\n').length).toBeLessThan(80);
    await execa('npx', ['biome', 'check', 'taskservs/beanstalkd', 'test/catalog/proofs'], { cwd: copy });
  });
});

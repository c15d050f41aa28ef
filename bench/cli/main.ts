/** `provisioning --help` against an empty node process, in turn. Needs `npm run build`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, time } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

const GOAL = 1.3;
const RUNS = Number(process.env.RUNS ?? 40);

const bin = fileURLToPath(new URL('../../bin/provisioning.js', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'provisioning-bench-cli-'));
const empty = join(folder, 'empty.mjs');
await writeFile(empty, '');

const programs = {
  'node empty.mjs': [empty],
  'provisioning --help': [bin, '--help'],
  'provisioning apply --help': [bin, 'apply', '--help'],
};
type Name = keyof typeof programs;
const names = Object.keys(programs) as Name[];
const seconds: Record<Name, number[]> = { 'node empty.mjs': [], 'provisioning --help': [], 'provisioning apply --help': [] };
const env = { PROVISIONING_HOME: folder };
try {
  // The first turn fills the caches of the disk and is not counted.
  for (let turn = 0; turn <= RUNS; turn++) {
    for (const name of names) {
      const run = await time({ command: process.execPath, args: programs[name], env });
      if (turn > 0) seconds[name].push(run.seconds);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const medians = Object.fromEntries(names.map((name) => [name, median(seconds[name])])) as Record<Name, number>;
const ratio = medians['provisioning --help'] / medians['node empty.mjs'];
process.stdout.write(`${machine()}; medians of ${RUNS} runs each, in turn\n`);
printTable(
  ['program', 'median', 'ratio to empty', 'goal'],
  names.map((name) => [
    name,
    `${(medians[name] * 1000).toFixed(0)} ms`,
    (medians[name] / medians['node empty.mjs']).toFixed(2),
    name === 'provisioning --help' ? `at most ${GOAL}` : '',
  ]),
);
process.stdout.write(`${ratio <= GOAL ? 'reached' : 'MISSED'}: ${ratio.toFixed(2)} of ${GOAL}\n`);
await keepResult('cli', { runs: RUNS, goal: GOAL, ratio, medianSeconds: medians });

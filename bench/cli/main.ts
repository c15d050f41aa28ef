/**
 * Measures the start of the command line against an empty Node process, in turn. It measures the present build, and a
 * build with `MODULES` (200) additional taskservs. Needs `npm run build`. `RUNS` (40).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, time } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';
import { buildWithModules } from './with-modules.js';

const GOAL = 1.3;
const MODULES = Number(process.env.MODULES ?? 200);
const RUNS = Number(process.env.RUNS ?? 40);

const root = fileURLToPath(new URL('../../', import.meta.url));
const definition = join(root, 'examples/quickstart.yaml');
const folder = await mkdtemp(join(tmpdir(), 'provisioning-bench-cli-'));
try {
  const empty = join(folder, 'empty.mjs');
  await writeFile(empty, '');
  const bin = join(root, 'bin/provisioning.js');
  const many = await buildWithModules(root, join(folder, 'many'), MODULES);
  const env = { PROVISIONING_HOME: join(folder, 'home') };
  const available = await time({ command: process.execPath, args: [many, 'taskserv', 'list', '--available', '--json'], env });
  const registered = JSON.parse(available.stdout).taskservs.length;
  if (registered < MODULES) throw new Error(`the build has ${registered} taskservs instead of ${MODULES} and more`);

  const beside = `with ${MODULES} more`;
  const programs = new Map([
    ['node empty.mjs', [empty]],
    ['provisioning --help', [bin, '--help']],
    [`provisioning --help, ${beside}`, [many, '--help']],
    ['provisioning apply --help', [bin, 'apply', '--help']],
    [`provisioning apply --help, ${beside}`, [many, 'apply', '--help']],
    ['provisioning validate', [bin, 'validate', definition]],
    [`provisioning validate, ${beside}`, [many, 'validate', definition]],
    ['provisioning taskserv list --available', [bin, 'taskserv', 'list', '--available']],
    [`provisioning taskserv list --available, ${beside}`, [many, 'taskserv', 'list', '--available']],
  ]);
  const goals = new Set(['provisioning --help', `provisioning --help, ${beside}`]);
  const seconds = new Map<string, number[]>([...programs.keys()].map((name) => [name, []]));
  // The first turn fills the disk caches and does not count.
  for (let turn = 0; turn <= RUNS; turn++) {
    for (const [name, args] of programs) {
      const run = await time({ command: process.execPath, args, env });
      if (turn > 0) seconds.get(name)?.push(run.seconds);
    }
  }

  const floor = median(seconds.get('node empty.mjs') ?? []);
  const rows = [...seconds].map(([name, all]) => ({ name, median: median(all), ratio: median(all) / floor }));
  process.stdout.write(`${machine()}; medians of ${RUNS} runs each, in turn\n`);
  printTable(
    ['program', 'median', 'ratio to empty', 'goal'],
    rows.map(({ name, median, ratio }) => [
      name,
      `${(median * 1000).toFixed(0)} ms`,
      ratio.toFixed(2),
      goals.has(name) ? `at most ${GOAL}: ${ratio <= GOAL ? 'reached' : 'MISSED'}` : '',
    ]),
  );
  await keepResult('cli', { runs: RUNS, modules: registered, goal: GOAL, programs: rows });
} finally {
  await rm(folder, { recursive: true, force: true });
}

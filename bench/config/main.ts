/**
 * Measures settings: seven layers of 1,000 keys in this process, cached and read again; and a cold command with four
 * files against a command without files, in turn. Needs `npm run build`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeOf } from '../../home/home.js';
import { lookAtConfig } from '../../settings/layers/resolve.js';
import { buildRegistry, type Key, variableOf } from '../../settings/registry/registry.js';
import { median, time } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

const GOALS = { knownMs: 5, coldMs: 30 };
const KEYS = 1_000;
const TIMES = Number(process.env.TIMES ?? 5_000);
const RUNS = Number(process.env.RUNS ?? 40);

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'provisioning-bench-config-'));
try {
  const known = await resolved();
  const cold = await commands();
  const load = loadavg().map((one) => one.toFixed(1));
  process.stdout.write(`${machine()}; a load of ${load.join(', ')}\n`);
  const verdict = (goal: number, value: number) => `at most ${goal} ms: ${value <= goal ? 'reached' : 'MISSED'}`;
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  printTable(
    ['what', 'median', '99th percentile', 'goal'],
    [
      [`7 layers of ${KEYS} keys, known`, ms(known.median), ms(known.p99), verdict(GOALS.knownMs, known.p99)],
      [`7 layers of ${KEYS} keys, read`, ms(known.read), '', ''],
      ['provisioning --version', ms(cold.version), '', ''],
      ['provisioning config get, four files', ms(cold.get), '', `over --version ${verdict(GOALS.coldMs, cold.get - cold.version)}`],
    ],
  );
  await keepResult('config', { load, keys: KEYS, times: TIMES, runs: RUNS, goals: GOALS, known, cold });
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Measures the resolution, in milliseconds. */
async function resolved() {
  const keys = Array.from({ length: KEYS }, (_, index): Key => {
    const name = `group${index % 10}.key${index}`;
    return { name, type: { kind: 'number', min: 0, max: 9 }, description: 'x', scope: 'client', default: 0 };
  });
  const registry = buildRegistry(keys);
  const tree = (value: number) => {
    const groups: Record<string, Record<string, number>> = {};
    for (const { name } of keys) {
      const [group = '', key = ''] = name.split('.');
      groups[group] = { ...groups[group], [key]: value };
    }
    return groups;
  };
  const place = {
    home: homeOf({ PROVISIONING_HOME: join(folder, 'home') }),
    env: Object.fromEntries(keys.map(({ name }) => [variableOf(name), '5'])),
    workspaceFolder: join(folder, 'ws'),
    infra: 'shop',
    environment: 'prod',
  };
  const write = async (value: number) => {
    await put('home/config.json', JSON.stringify(tree(value)));
    await put('ws/provisioning.json', JSON.stringify({ config: tree(2) }));
    await put('ws/infra/shop.config.json', JSON.stringify(tree(3)));
    await put('ws/environments/prod.json', JSON.stringify({ config: tree(4) }));
    // Files that have just changed are read again.
    await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const flags = Object.fromEntries(keys.map(({ name }) => [name, 6]));
  const look = async () => {
    const start = process.hrtime.bigint();
    const { settled, problems } = await lookAtConfig(place, { registry, flags });
    const took = Number(process.hrtime.bigint() - start) / 1e6;
    if (problems.length > 0 || settled.get('group9.key999')?.statements.length !== 7) throw new Error('a layer was not read');
    return took;
  };
  const read: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await write(1 + (turn % 2));
    read.push(await look());
  }
  const times: number[] = [];
  for (let turn = 0; turn < TIMES; turn++) times.push(await look());
  times.sort((a, b) => a - b);
  return { median: median(times), p99: times[Math.ceil(times.length * 0.99) - 1] ?? 0, read: median(read.slice(1)) };
}

/** Measures commands: medians in milliseconds, from the start to the end of the process. */
async function commands() {
  await put('cold/home/config.yaml', 'operation:\n  priority: 5\n');
  await put('cold/ws/provisioning.yaml', 'name: cold\nconfig:\n  operation:\n    priority: 4\n');
  await put('cold/ws/infra/shop.config.yaml', 'operation:\n  priority: 3\n');
  await put('cold/ws/environments/prod.yaml', 'config:\n  operation:\n    priority: 2\n');
  const bin = join(root, 'bin/provisioning.js');
  await put('none/ws/readme', '');
  // `--version` runs without files of settings: every command reads them for its colors.
  const run = (where: 'none' | 'cold', args: string[]) =>
    time({
      command: process.execPath,
      args: [bin, ...args],
      env: { PROVISIONING_HOME: join(folder, where, 'home') },
      cwd: join(folder, where, 'ws'),
    });
  // A folder's settings apply only after its registration.
  await run('cold', ['workspace', 'register', join(folder, 'cold/ws')]);
  const took = { version: [] as number[], get: [] as number[] };
  // The first turn fills the disk caches and does not count.
  for (let turn = 0; turn <= RUNS; turn++) {
    const version = await run('none', ['--version']);
    const get = await run('cold', ['config', 'get', 'operation.priority', '--infra', 'shop', '--env', 'prod']);
    if (get.stdout !== '2') throw new Error(`the setting is "${get.stdout}"`);
    if (turn === 0) continue;
    took.version.push(version.seconds * 1000);
    took.get.push(get.seconds * 1000);
  }
  return { version: median(took.version), get: median(took.get) };
}

async function put(name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

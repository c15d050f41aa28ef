import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cacheOf } from '../../home/home.js';
import { has } from '../../providers/local/prepare/packages.js';
import { formerCheckout, RELEASE } from '../support/former.js';
import { whyNoHosts } from '../support/hosts.js';

const root = resolve(import.meta.dirname, '../..');

/** How a bench is played as small as it gets. */
interface Smallest {
  env: Record<string, string>;
  args?: string[];
  /** Needs containers as hosts. */
  onHosts?: true;
  /** Sees to what it needs; answers further variables. */
  prepare?(): Promise<Record<string, string>>;
}

/** Peers of the comparison that this machine has; the bench installs those that it lacks. */
async function peersHere(): Promise<Record<string, string>> {
  const ansible = (await has('ansible-playbook')) ? ['ansible'] : [];
  const pyinfra = existsSync(join(cacheOf(), 'bench/pyinfra/bin/pyinfra')) ? ['pyinfra'] : [];
  return { PEERS: ['bare ssh', ...ansible, ...pyinfra].join() };
}

const ONE_HOST = { HOSTS: '1', SERVICES: 'redis', ROUNDS: '1' };

const SMALLEST: Record<string, Smallest> = {
  'bench:batch': { env: { FEW: '2', MANY: '2', ENGINES: '1' } },
  'bench:cli': { env: { RUNS: '1', MODULES: '2' } },
  'bench:config': { env: { TIMES: '2', RUNS: '1' } },
  'bench:converge': { env: ONE_HOST, onHosts: true, prepare: peersHere },
  'bench:first-install': { env: ONE_HOST, onHosts: true },
  'bench:follow': { env: { SERVERS: '2', LOOKS: '2' } },
  'bench:large': { env: { SERVERS: '2' } },
  'bench:operation': { env: { RUNS: '1' } },
  // Its other subjects are bench:batch and bench:converge themselves, on two commits.
  'bench:paired': {
    env: { RUNS: '1' },
    args: ['operation', '--against', 'release', '--rounds', '1'],
    prepare: () => formerCheckout(RELEASE).then(() => ({})),
  },
  'bench:plan': { env: { RUNS: '1', SIZES: '20,40' } },
  'bench:queries': { env: { POLLS: '4', SERVERS: '5' } },
  'bench:queues': { env: { COUNT: '1', ROUNDS: '1' } },
  'bench:services': { env: { RUNS: '1', FEW: '1', MANY: '2' }, onHosts: true },
  'bench:starts': { env: { RUNS: '1', SIZES: '0,2' } },
};

const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const benches = Object.keys(scripts).filter((name) => name.startsWith('bench:'));

/** All figures of a result; JSON has `null` for those that are not finite. */
const figuresIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(figuresIn)
    : typeof value === 'number' || value === null
      ? [value]
      : [];

test('each bench has a smallest form', () => expect(Object.keys(SMALLEST).sort()).toEqual(benches.sort()));

const whyNot = await whyNoHosts();
if (whyNot) console.warn(`left out, benches on hosts: ${whyNot}`);

describe.each(Object.entries(SMALLEST))('%s', (name, { env, args = [], onHosts, prepare }) => {
  let results: string;
  beforeAll(async () => {
    results = await mkdtemp(join(tmpdir(), 'bench-results-'));
  });
  afterAll(() => rm(results, { recursive: true, force: true }));

  test.skipIf(onHosts && whyNot)('runs to its end with its smallest sizes, and keeps figures', async () => {
    // All are built by then.
    const [, program = ''] = /^npm run -s (?:build|generate) && tsx (bench\/\S+)$/.exec(scripts[name] ?? '') ?? [];
    const own = Object.entries(process.env).filter(([key]) => !/^(VITEST|TEST|NODE_ENV$|npm_|PROVISIONING_HOME$)/.test(key));
    const { all } = await execa(process.execPath, ['--import', 'tsx', program, ...args], {
      cwd: root,
      env: { ...Object.fromEntries(own), ...env, ...(await prepare?.()), BENCH_RESULTS: results },
      extendEnv: false,
      all: true,
      stdin: 'ignore',
    });
    expect(all).toMatch(/\S +\S.*\n\S/);
    expect(all).not.toMatch(/\b(NaN|Infinity|undefined)\b/);
    const kept = await readdir(results);
    expect(kept).toHaveLength(1);
    const figures = figuresIn(JSON.parse(await readFile(join(results, kept[0] ?? ''), 'utf8')));
    expect(figures.length).toBeGreaterThan(0);
    expect(figures).not.toContain(null);
  });
});

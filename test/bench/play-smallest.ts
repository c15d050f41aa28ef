import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whyNoHosts } from '../support/hosts.js';

const root = resolve(import.meta.dirname, '../..');

/** Smallest size of a bench. */
interface Smallest {
  env: Record<string, string>;
  args?: string[];
  /** Needs containers as hosts. */
  onHosts?: true;
  /** Provides the bench's requirements. Returns further variables. */
  prepare?(): Promise<Record<string, string>>;
}

/** Returns all numbers of a result. JSON has `null` for numbers that are not finite. */
const figuresIn = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(figuresIn)
    : typeof value === 'number' || value === null
      ? [value]
      : [];

/**
 * Plays a bench with its smallest sizes. Each bench has its own test file, so a change makes only the benches stale
 * that run it.
 *
 * @param name of the folder in `bench/`
 */
export async function playSmallest(name: string, { env, args = [], onHosts, prepare }: Smallest): Promise<void> {
  const whyNot = onHosts && (await whyNoHosts());
  if (whyNot) console.warn(`left out, bench:${name}: ${whyNot}`);

  let results: string;
  beforeAll(async () => {
    results = await mkdtemp(join(tmpdir(), 'bench-results-'));
  });
  afterAll(() => rm(results, { recursive: true, force: true }));

  test.skipIf(whyNot)(`bench:${name} runs to its end with its smallest sizes, and keeps figures`, async () => {
    // Everything is built by then.
    const own = Object.entries(process.env).filter(([key]) => !/^(VITEST|TEST|NODE_ENV$|npm_|PROVISIONING_HOME$)/.test(key));
    const { all } = await execa(process.execPath, ['--import', 'tsx', `bench/${name}/main.ts`, ...args], {
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
}

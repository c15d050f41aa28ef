import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FORMER, formerCheckout, RELEASE } from '../../test/support/former.js';
import { plainEngine } from '../../test/support/temporal-cli.js';
import type { Checkout } from '../converge/ours.js';
import { time } from '../measure.js';

/** One side of the comparison: a built checkout, with the results folder of its benchmarks. */
export interface Side extends Required<Checkout> {
  results: string;
}

/** Commits to compare with: the last commit before sealing, or the former release. */
export const OTHERS = { sealing: FORMER, release: RELEASE } as const;

/**
 * Prepares the other commit, and this checkout with its own engine. The commit before sealing uses Temporal's own
 * server.
 */
export async function makeSides(against: keyof typeof OTHERS): Promise<{ former: Side; present: Side; remove(): Promise<void> }> {
  const former = await formerCheckout(OTHERS[against]);
  const results = await mkdtemp(join(tmpdir(), 'bench-results-'));
  const env: Record<string, string> = against === 'sealing' ? { PATH: (await plainEngine()).PATH ?? '' } : {};
  return {
    former: { root: former, env, results: join(former, 'bench/results') },
    present: { root: fileURLToPath(new URL('../..', import.meta.url)), env: { BENCH_RESULTS: results }, results },
    remove: () => rm(results, { recursive: true, force: true }),
  };
}

/** Runs a benchmark of a checkout in a separate process, and returns its stored result. */
export async function resultOf<T>({ root, env, results }: Side, bench: string, more: Record<string, string>): Promise<T> {
  const path = join(results, `${bench}.json`);
  await rm(path, { force: true });
  const args = ['--import', 'tsx', join(root, 'bench', bench, 'main.ts')];
  await time({ command: process.execPath, args, cwd: root, env: { ...env, ...more } });
  return JSON.parse(await readFile(path, 'utf8')) as T;
}

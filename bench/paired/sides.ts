import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FORMER, formerCheckout } from '../../test/support/former.js';
import { plainEngine } from '../../test/support/temporal-cli.js';
import type { Checkout } from '../converge/ours.js';
import { time } from '../measure.js';

/** One of the two that are compared: a built checkout, and where its benchmarks leave their results. */
export interface Side extends Required<Checkout> {
  results: string;
}

/** The former commit with Temporal's own server, which it was written for, and this checkout with its own engine. */
export async function makeSides(): Promise<{ former: Side; present: Side; remove(): Promise<void> }> {
  const former = await formerCheckout(FORMER);
  const results = await mkdtemp(join(tmpdir(), 'bench-results-'));
  return {
    former: { root: former, env: { PATH: (await plainEngine()).PATH ?? '' }, results: join(former, 'bench/results') },
    present: { root: fileURLToPath(new URL('../..', import.meta.url)), env: { BENCH_RESULTS: results }, results },
    remove: () => rm(results, { recursive: true, force: true }),
  };
}

/** Runs one of a checkout's own benchmarks in a process of its own; answers the result that it keeps. */
export async function resultOf<T>({ root, env, results }: Side, bench: string, more: Record<string, string>): Promise<T> {
  const path = join(results, `${bench}.json`);
  await rm(path, { force: true });
  const args = ['--import', 'tsx', join(root, 'bench', bench, 'main.ts')];
  await time({ command: process.execPath, args, cwd: root, env: { ...env, ...more } });
  return JSON.parse(await readFile(path, 'utf8')) as T;
}

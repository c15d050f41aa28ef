import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Used } from './inputs.js';

/** That a test file passed, and on what. */
export interface Proof {
  /** Over the meaning of all of its inputs. */
  hash: string;
  /** When, in UTC, to the minute. */
  on: string;
  /** Of its tests and hooks, beside two others, on the machine that proved it. */
  seconds: number;
  /** The commit that it was played on, or above which. */
  commit: string;
  /** The first number of Node's version. */
  node: string;
}

export type Proofs = Record<string, Proof>;

/** Seconds that a file takes by its proof; of one that was never played, a guess. */
export const secondsOf = (proofs: Proofs, file: string): number => proofs[file]?.seconds ?? 120;

const PROOFS = 'test/proofs/proofs.json';
const INPUTS = 'test/proofs/inputs.json';

export const readProofs = (root: string): Proofs => readJson(root, PROOFS) ?? {};

export const writeProofs = (root: string, proofs: Proofs): void => writeJson(root, PROOFS, sorted(proofs));

/** One hash over those of the inputs. Their paths are not in it: a file that only moved is what it was. */
export const hashOver = (hashes: readonly string[]): string =>
  createHash('sha256')
    .update([...hashes].sort().join('\n'))
    .digest('hex')
    .slice(0, 32);

/** What was recorded of all tests. */
export interface RecordedInputs {
  used: Record<string, Used>;
  /** Modules of which functions run while modules are loaded, in any test. */
  loaded: string[];
}

/** By file, the tests that use it, as bits: three lists of paths for each of a hundred tests are as long as the sources. */
interface Kept {
  /** The number of each test's bit. */
  tests: Record<string, number>;
  loaded: string[];
  ran: Record<string, string>;
  opened: Record<string, string>;
}

export function readInputs(root: string): RecordedInputs {
  const { tests, loaded, ran, opened } = readJson<Kept>(root, INPUTS) ?? { tests: {}, loaded: [], ran: {}, opened: {} };
  const of = (files: Record<string, string>, bit: number) =>
    Object.entries(files).flatMap(([path, bits]) => ((BigInt(`0x${bits}`) >> BigInt(bit)) & 1n ? [path] : []));
  const used = Object.entries(tests).map(([test, bit]): [string, Used] => [test, { ran: of(ran, bit), opened: of(opened, bit) }]);
  return { used: Object.fromEntries(used), loaded };
}

export function writeInputs(root: string, { used, loaded }: RecordedInputs): void {
  const former = readJson<Kept>(root, INPUTS)?.tests ?? {};
  const tests: Record<string, number> = {};
  // A test keeps its bit, so that a new one changes few lines.
  const free = Array.from({ length: Object.keys(used).length * 2 }, (_, bit) => bit).filter(
    (bit) => !bitsOf(former, used).has(bit),
  );
  for (const test of Object.keys(used).sort()) tests[test] = former[test] ?? (free.shift() as number);
  const bits = (kind: keyof Used) => {
    const files = new Map<string, bigint>();
    for (const [test, of] of Object.entries(used))
      for (const path of of[kind]) files.set(path, (files.get(path) ?? 0n) | (1n << BigInt(tests[test] as number)));
    return sorted(Object.fromEntries([...files].map(([path, all]) => [path, all.toString(16)])));
  };
  writeJson(root, INPUTS, { tests, loaded: [...new Set(loaded)].sort(), ran: bits('ran'), opened: bits('opened') } satisfies Kept);
}

/** The bits of tests that are still there. */
const bitsOf = (former: Record<string, number>, used: Record<string, Used>): ReadonlySet<number> =>
  new Set(Object.entries(former).flatMap(([test, bit]) => (test in used ? [bit] : [])));

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

const readJson = <T>(root: string, path: string): T | undefined =>
  existsSync(join(root, path)) ? JSON.parse(readFileSync(join(root, path), 'utf8')) : undefined;

const writeJson = (root: string, path: string, value: unknown): void =>
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 1)}\n`);

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Used } from './inputs.js';

/** Record that a test file passed with certain inputs. */
export interface Proof {
  /** Hash over the effective text of all inputs. */
  hash: string;
  /** Time in UTC, to the minute. */
  on: string;
  /** Duration of its tests and hooks, in parallel with two others, on the machine that proved it. */
  seconds: number;
  /** Commit on which it was played, or its parent. */
  commit: string;
  /** Major version of Node. */
  node: string;
}

export type Proofs = Record<string, Proof>;

/** Returns the duration of a file from its proof; an estimate for a file that was never played. */
export const secondsOf = (proofs: Proofs, file: string): number => proofs[file]?.seconds ?? 120;

const PROOFS = 'test/proofs/proofs.json';
const INPUTS = 'test/proofs/inputs.json';

export const readProofs = (root: string): Proofs => readJson(root, PROOFS) ?? {};

export const writeProofs = (root: string, proofs: Proofs): void => writeJson(root, PROOFS, sorted(proofs));

/** Combines the hashes of inputs. Paths are not included: moving a file does not change the hash. */
export const hashOver = (hashes: readonly string[]): string =>
  createHash('sha256')
    .update([...hashes].sort().join('\n'))
    .digest('hex')
    .slice(0, 32);

/** Recorded inputs of all tests. */
export interface RecordedInputs {
  used: Record<string, Used>;
  /** Modules whose functions run while modules are loaded, in any test. */
  loaded: string[];
}

/**
 * Tests by the files that they use, as bits. Separate path lists for a hundred tests would be as long as the sources.
 */
interface Kept {
  /** Bit number of each test. */
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
  // A test keeps its bit, so that a new test changes few lines.
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

/** Returns the bits of tests that still exist. */
const bitsOf = (former: Record<string, number>, used: Record<string, Used>): ReadonlySet<number> =>
  new Set(Object.entries(former).flatMap(([test, bit]) => (test in used ? [bit] : [])));

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

const readJson = <T>(root: string, path: string): T | undefined =>
  existsSync(join(root, path)) ? JSON.parse(readFileSync(join(root, path), 'utf8')) : undefined;

const writeJson = (root: string, path: string, value: unknown): void =>
  writeFileSync(join(root, path), `${JSON.stringify(value, null, 1)}\n`);

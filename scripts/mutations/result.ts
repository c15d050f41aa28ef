import type { Baseline } from './baseline.js';
import { roomOf } from './draw.js';
import type { Judgement } from './judge.js';
import type { Mutant } from './mutants.js';

/** Change that was played, with its result. */
export interface Tried extends Mutant, Judgement {
  /** Description from `describeMutant`. */
  what: string;
  /** Number of test files that reach it. */
  tests: number;
  seconds: number;
}

/** Renders the result: skipped files, missed changes, and the shares by room and in total. */
export function reportResult(seed: number, tried: readonly Tried[], { leftOut }: Pick<Baseline, 'leftOut'>): string {
  const isNoticed = ({ outcome }: Tried) => outcome === 'noticed';
  const rooms = [...new Set(tried.map(({ path }) => roomOf(path)))].sort();
  const counted = (some: readonly Tried[]) => `${some.filter(isNoticed).length} of ${some.length}`;
  const noticed = tried.filter(isNoticed);
  const mean = tried.reduce((sum, one) => sum + one.processor, 0) / tried.length;
  return [
    ...Object.entries(leftOut).map(([file, why]) => `left out: ${file}: it ${why} without a change`),
    ...tried.filter((one) => !isNoticed(one)).map(({ what, tests }) => `missed: ${what}: ${reachedBy(tests)}`),
    ...rooms.map((room) => `${room}: ${counted(tried.filter(({ path }) => roomOf(path) === room))}`),
    `seed ${seed}: ${counted(tried)} noticed (${Math.round((100 * noticed.length) / tried.length)} %), ${noticed.filter((one) => one.timedOut).length} of them by a time-out, ${mean.toFixed(1)} s of a processor for each`,
  ].join('\n');
}

const reachedBy = (tests: number): string =>
  tests === 0 ? 'no test reaches it' : `${tests} test ${tests === 1 ? 'file reaches' : 'files reach'} it`;

import type { Played } from './closed-copy.js';

/** Verdict of the tests on a change. */
export interface Judgement {
  outcome: 'noticed' | 'missed';
  /** Test that noticed it. */
  by?: string;
  /** Whether the test did not fail but took too long. */
  timedOut: boolean;
  /** Processor seconds of all runs. */
  processor: number;
}

/**
 * Number of tests to play first: most changes are noticed there, and after a failure the other files of a run still
 * load.
 */
const FEW = 3;

/**
 * Plays the tests of a change until one notices it. A test notices a change if it fails with the change in a separate
 * process and passes without it.
 *
 * @param files the tests, most likely ones first.
 * @param play plays tests with or without the change.
 * @param failing receives tests that fail without the change too; they are not played again
 */
export async function judge(
  files: readonly string[],
  play: (files: readonly string[], isChanged: boolean) => Promise<Played>,
  failing: Set<string>,
): Promise<Judgement> {
  let processor = 0;
  const played = async (some: readonly string[], isChanged: boolean) => {
    const result = await play(some, isChanged);
    processor += result.processor;
    return result;
  };
  let left = files.filter((file) => !failing.has(file));
  let size = FEW;
  while (left.length > 0) {
    const some = left.slice(0, size);
    const first = await played(some, true);
    const by = first.failed;
    if (by === undefined) {
      left = left.slice(size);
      size *= 4;
      continue;
    }
    // A file in a shared process may fail because of other files, and a busy machine is slow.
    const isClear = by === left[0] && !first.timedOut;
    const alone = isClear ? first : await played([by], true);
    if (alone.failed !== undefined) {
      if ((await played([by], false)).failed === undefined) return { outcome: 'noticed', by, timedOut: alone.timedOut, processor };
      failing.add(by);
    }
    left = left.slice(left.indexOf(by) + 1);
  }
  return { outcome: 'missed', timedOut: false, processor };
}

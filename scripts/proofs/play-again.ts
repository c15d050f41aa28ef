import type { Played } from './play.js';
import type { Ended } from './reporter.js';

/** If more files of a run fail, the code is at fault and not the machine. They are not played again. */
export const MOST_AGAIN = 10;

/** Verdict on a run: files that failed in parallel were played again separately. */
export interface Judged {
  /** 0 if each file passed, in the first or in the second attempt. */
  exitCode: number;
  /** Last result of each file. */
  ended: Ended[];
  /** Files that failed in parallel and passed separately. Each is a fault to fix. */
  passedAlone: string[];
  /** Files that failed twice. */
  failedTwice: string[];
}

/**
 * Plays the failed files of a run once more, one after the other. A busy machine therefore does not fail a run. The
 * run fails if a file fails twice, or after an error outside of files.
 *
 * @param run its exit code is not 0 if something failed
 * @param playAlone plays one file
 */
export async function playAgain(run: Played, playAlone: (file: string) => Promise<Played>): Promise<Judged> {
  const failed = run.ended.filter((one) => one.failed).map(({ file }) => file);
  const judged: Judged = { exitCode: run.exitCode, ended: run.ended, passedAlone: [], failedTwice: [] };
  if (run.exitCode === 0 || !run.isWhole || failed.length === 0 || failed.length > MOST_AGAIN) return judged;
  const endedAlone = new Map<string, Ended>();
  for (const file of failed) {
    const alone = await playAlone(file);
    const ended = alone.ended.find((one) => one.file === file);
    // A file without played tests has not passed.
    const hasPassed = alone.exitCode === 0 && alone.isWhole && ended?.proven === true;
    if (ended && hasPassed) endedAlone.set(file, ended);
    (hasPassed ? judged.passedAlone : judged.failedTwice).push(file);
  }
  const exitCode = judged.failedTwice.length > 0 ? run.exitCode : 0;
  return { ...judged, exitCode, ended: run.ended.map((one) => endedAlone.get(one.file) ?? one) };
}

/** Returns the messages, one per file. */
export const describeAgain = ({ passedAlone, failedTwice }: Judged): string[] => [
  ...passedAlone.map((file) => `failed beside other tests and passed alone: ${file}`),
  ...failedTwice.map((file) => `failed beside other tests and alone: ${file}`),
];

import type { Played } from './play.js';
import type { Ended } from './reporter.js';

/** If more files of a run fail, the code is at fault and not the machine: each would take its time once more. */
export const MOST_AGAIN = 10;

/** Files of a run that failed beside others, judged by how they ended alone. */
export interface Judged {
  /** 0 if each file passed, at the latest alone. */
  exitCode: number;
  /** How each file ended the last time. */
  ended: Ended[];
  /** Files that failed beside others and passed alone: each is a fault to be fixed. */
  passedAlone: string[];
  /** Files that failed twice. */
  failedTwice: string[];
}

/**
 * Plays the files of a run that failed once more, one after the other. A busy machine costs nobody a landing, but a run
 * fails if a file fails twice, and if something else went wrong than files.
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
    // A file of which nothing was played has not passed.
    const hasPassed = alone.exitCode === 0 && alone.isWhole && ended?.proven === true;
    if (ended && hasPassed) endedAlone.set(file, ended);
    (hasPassed ? judged.passedAlone : judged.failedTwice).push(file);
  }
  const exitCode = judged.failedTwice.length > 0 ? run.exitCode : 0;
  return { ...judged, exitCode, ended: run.ended.map((one) => endedAlone.get(one.file) ?? one) };
}

/** The lines that say so, one a file. */
export const describeAgain = ({ passedAlone, failedTwice }: Judged): string[] => [
  ...passedAlone.map((file) => `failed beside other tests and passed alone: ${file}`),
  ...failedTwice.map((file) => `failed beside other tests and alone: ${file}`),
];

import { expect, test } from 'vitest';
import { type Played, readEnded } from './play.js';
import { describeAgain, MOST_AGAIN, playAgain } from './play-again.js';
import { type Ended, WHOLE } from './reporter.js';

const ended = (file: string, failed: boolean, seconds = 1): Ended => ({ file, failed, proven: !failed, seconds });
const ofRun = (files: Ended[], more: Partial<Played> = {}): Played => ({
  exitCode: files.some(({ failed }) => failed) ? 1 : 0,
  ended: files,
  isWhole: true,
  ...more,
});

/** Returns the judgement of a run if its files end like this when played separately, and the order of these files. */
async function judge(run: Played, alone: Record<string, Played>) {
  const played: string[] = [];
  const judged = await playAgain(run, async (file) => {
    played.push(file);
    return alone[file] ?? ofRun([ended(file, true)]);
  });
  return { ...judged, played, lines: describeAgain(judged) };
}

test('a file that failed beside others and passes alone does not fail the run, and is named', async () => {
  const run = ofRun([ended('a', false), ended('b', true), ended('c', false)]);
  expect(await judge(run, { b: ofRun([ended('b', false, 7)]) })).toEqual({
    exitCode: 0,
    ended: [ended('a', false), ended('b', false, 7), ended('c', false)],
    passedAlone: ['b'],
    failedTwice: [],
    played: ['b'],
    lines: ['failed beside other tests and passed alone: b'],
  });
});

test('a file that fails twice fails the run, whatever the others do', async () => {
  const judged = await judge(ofRun([ended('a', true), ended('b', true)]), { b: ofRun([ended('b', false)]) });
  expect(judged).toMatchObject({ exitCode: 1, passedAlone: ['b'], failedTwice: ['a'], played: ['a', 'b'] });
  expect(judged.ended).toEqual([ended('a', true), ended('b', false)]);
  expect(judged.lines).toContain('failed beside other tests and alone: a');
});

test('a file passes alone only if the run of it says so: its end, its exit code, and that something was played', async () => {
  const first = ofRun([ended('a', true)]);
  const passed = [ended('a', false)];
  expect((await judge(first, { a: ofRun(passed) })).exitCode).toBe(0);
  for (const alone of [
    ofRun(passed, { exitCode: 1 }),
    ofRun(passed, { isWhole: false }),
    ofRun([]),
    ofRun([{ ...ended('a', false), proven: false }]),
  ]) {
    expect(await judge(first, { a: alone })).toMatchObject({ exitCode: 1, failedTwice: ['a'], ended: first.ended });
  }
});

test('what is no failure of files fails the run, and nothing is played again', async () => {
  const failed = [ended('a', true)];
  const interrupted = ofRun(failed, { isWhole: false });
  const nobodys = ofRun([ended('a', false)], { exitCode: 1 });
  for (const run of [interrupted, nobodys]) expect(await judge(run, {})).toMatchObject({ exitCode: 1, played: [] });
});

test('if many files fail, none is played again', async () => {
  const files = (count: number) => Array.from({ length: count }, (_, index) => ended(`${index}`, true));
  expect((await judge(ofRun(files(MOST_AGAIN)), {})).played).toHaveLength(MOST_AGAIN);
  expect(await judge(ofRun(files(MOST_AGAIN + 1)), {})).toMatchObject({ exitCode: 1, played: [] });
});

test('a run without failures is what it was', async () => {
  expect(await judge(ofRun([ended('a', false)]), {})).toMatchObject({ exitCode: 0, played: [], lines: [] });
});

test('a run whose reporter did not write its last line was not whole', () => {
  const line = JSON.stringify(ended('a', true));
  expect(readEnded(`${line}\n`)).toEqual({ ended: [ended('a', true)], isWhole: false });
  expect(readEnded(`${line}\n${JSON.stringify(WHOLE)}\n`)).toEqual({ ended: [ended('a', true)], isWhole: true });
  expect(readEnded('')).toEqual({ ended: [], isWhole: false });
});

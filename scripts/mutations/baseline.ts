import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClosedCopy, closeCopy } from './closed-copy.js';
import { describeMutant, type Mutant, withReports } from './mutants.js';

/** Result of running all unit tests without a change. */
export interface Baseline {
  /** Seconds of each test file that passed. */
  seconds: Record<string, number>;
  /** Reason why a test file is skipped: it needs a socket, an identity, or another resource of the machine. */
  leftOut: Record<string, string>;
  /** Test files by the place that they reach, in the format of `describeMutant`. */
  reached: Record<string, string[]>;
}

/** Limit of own time for a test file without a change, in seconds. Most take less than one. */
const LIMIT = 60;

/** Number of files that share a process, whose memory use adds up. */
const AT_ONCE = 60;

/**
 * Plays all unit tests once in the closed copy, each with separate modules.
 *
 * @param texts of the modules, by path
 * @param mutants whose places report that they are reached
 */
export async function playBaseline(
  copy: string,
  texts: ReadonlyMap<string, string>,
  mutants: readonly Mutant[],
): Promise<Baseline> {
  const folder = join(copy, 'reached-places');
  await mkdir(folder);
  const changed = [...new Set(mutants.map(({ path }) => path))];
  const textOf = (path: string) => texts.get(path) as string;
  for (const path of changed) {
    const places = new Map([...mutants.entries()].filter(([, mutant]) => mutant.path === path));
    await writeFile(join(copy, path), withReports(textOf(path), places));
  }
  const player = closeCopy(copy, ['--first'], {
    REACHED_ROOT: copy,
    REACHED_FOLDER: folder,
    NODE_OPTIONS: `--import ${join(copy, 'scripts/mutations/reached.mjs')}`,
  });
  let first: Omit<Baseline, 'reached'>;
  let reached: Baseline['reached'];
  try {
    first = await playEach(player, await player.files());
    reached = await readReached(
      folder,
      mutants.map((one) => describeMutant(textOf(one.path), one)),
    );
  } finally {
    await player.close();
    for (const path of changed) await writeFile(join(copy, path), textOf(path));
    await rm(folder, { recursive: true });
  }
  // Tests that read the sources fail because of the reports in them.
  const again = closeCopy(copy, []);
  try {
    const { seconds, leftOut } = await playEach(again, Object.keys(first.leftOut), 1);
    return { seconds: { ...first.seconds, ...seconds }, leftOut, reached };
  } finally {
    await again.close();
  }
}

/**
 * Plays all files, and continues after a file that hangs or ends the process.
 *
 * @param atOnce number of files that share a process
 */
export async function playEach(
  player: Pick<ClosedCopy, 'play'>,
  files: readonly string[],
  atOnce = AT_ONCE,
): Promise<Omit<Baseline, 'reached'>> {
  const [seconds, leftOut]: [Record<string, number>, Record<string, string>] = [{}, {}];
  let left = files;
  while (left.length > 0) {
    const some = left.slice(0, atOnce);
    const played = await player.play({ files: some, changed: [] }, () => LIMIT);
    for (const one of played.ended) {
      if (one.failed) leftOut[one.file] = 'fails';
      else seconds[one.file] = one.seconds;
    }
    const ended = new Set(played.ended.map(({ file }) => file));
    const [halted = some.find((file) => !ended.has(file))] = [played.failed].filter((file) => file && !ended.has(file));
    if (halted !== undefined) leftOut[halted] = played.timedOut ? `takes longer than ${LIMIT} s` : 'ends the process';
    left = left.filter((file) => !ended.has(file) && file !== halted);
  }
  return { seconds, leftOut };
}

async function readReached(folder: string, places: readonly string[]): Promise<Record<string, string[]>> {
  const reached: Record<string, string[]> = Object.fromEntries(places.map((place) => [place, []]));
  for (const name of (await readdir(folder)).sort()) {
    const notes = (await readFile(join(folder, name), 'utf8')).split('\n').filter(Boolean);
    for (const place of new Set(notes)) reached[places[Number(place)] as string]?.push(name.replaceAll('%', '/'));
  }
  return reached;
}

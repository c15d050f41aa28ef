import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing, namesIn } from './listing.js';

/** Ending of a complete line: a line without it was truncated. */
export const WHOLE = ' .';

/** Feeds that need not be read again while they do not grow. */
const KNOWN = 10_000;

/** The files of a feed, the newest last. */
export const segmentsIn = async (folder: string): Promise<string[]> =>
  (await namesIn(folder)).filter((name) => /^\d+\.feed$/.test(name));

/** Finds out how far feeds are, from the numbers before their sealed entries. A file is read again when its size has changed. */
export function feedLengths() {
  const known = new Map<string, { path: string; size: number; last: number }>();

  /** Returns the sequence of the last entry in a feed's folder; 0 if the feed is empty. */
  async function of(folder: string): Promise<number> {
    for (;;) {
      const newest = (await segmentsIn(folder)).at(-1);
      if (newest === undefined) return 0;
      const path = join(folder, newest);
      const there = known.get(folder);
      if (there?.path === path && (await ignoreMissing(stat(path)))?.size === there.size) return there.last;
      const text = await ignoreMissing(readFile(path, 'utf8'));
      // The file was replaced by a newer one.
      if (text === undefined) continue;
      const last = lastIn(text);
      known.delete(folder);
      known.set(folder, { path, size: Buffer.byteLength(text), last });
      if (known.size > KNOWN) known.delete(known.keys().next().value as string);
      return last;
    }
  }
  return { of };
}

function lastIn(text: string): number {
  let last = 0;
  for (const line of text.split('\n')) if (line.endsWith(WHOLE)) last = Math.max(last, Number(line.slice(0, line.indexOf(' '))));
  return last;
}

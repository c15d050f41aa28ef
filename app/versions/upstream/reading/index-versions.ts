import { runInNewContext } from 'node:vm';
import { unreadable } from '../upstream-errors.js';

/** How long a regular expression may look through a page, in milliseconds. */
const LOOKS_MS = 5_000;
/** Versions that are taken from a page. */
const MOST = 10_000;

/** Runs apart, where it can be stopped: on a page that somebody made for it, a regular expression may take forever. */
const LOOK = `
  const found = new Set();
  for (const { groups } of text.matchAll(new RegExp(pattern, 'g'))) {
    if (groups.version !== undefined && groups.version.length <= 100) found.add(groups.version);
    if (found.size >= most) break;
  }
  JSON.stringify([...found]);
`;

/**
 * What the group `version` of a regular expression finds in a text.
 *
 * @param on the source, for the error
 * @throws unreachableError `versions-unreadable` where it takes longer than `withinMs` milliseconds
 */
export function indexVersions(text: string, pattern: string, on: string, withinMs = LOOKS_MS): string[] {
  try {
    return JSON.parse(runInNewContext(LOOK, { text, pattern, most: MOST }, { timeout: withinMs })) as string[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw unreadable(on, `its regular expression does not come to an end on what is there within ${withinMs / 1_000} s`);
  }
}

import { RE2JS, RE2JSSyntaxException } from 're2js';
import { unreadable } from '../upstream-errors.js';

/** Versions that are taken from a page. */
const MOST = 10_000;

/**
 * What the group `version` of a regular expression finds in a text. Both may be a stranger's: the engine takes time in
 * proportion to them, whatever they say.
 *
 * @param on the source, for the error
 * @throws unreachableError `versions-unreadable` where the engine knows no such expression: it looks neither ahead nor back
 */
export function indexVersions(text: string, pattern: string, on: string): string[] {
  const matcher = compiled(pattern, on).matcher(text);
  const found = new Set<string>();
  while (found.size < MOST && matcher.find()) {
    const version = matcher.group('version');
    if (version != null && version.length <= 100) found.add(version);
  }
  return [...found];
}

function compiled(pattern: string, on: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw unreadable(on, `its regular expression is not valid in RE2: ${error.message}`);
  }
}

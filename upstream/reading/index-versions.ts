import { RE2JS, RE2JSSyntaxException } from 're2js';
import { unreadable } from '../upstream-errors.js';

/** Maximum number of versions to read from a page. */
const MOST = 10_000;

/**
 * Returns what the group `version` of a regular expression matches. Text and expression may be untrusted: RE2 takes
 * time in proportion to both.
 *
 * @param on the source, for the error
 * @throws unreachableError `versions-unreadable` if RE2 does not support the expression, for example a lookahead
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

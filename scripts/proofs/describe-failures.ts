import type { Failure } from '../side-by-side.js';
import type { Judged } from './play-again.js';

/** Lines of a failed check that are repeated. Together with the rest of the summary they fit the end of a log. */
const LINES = 30;

/**
 * Returns the lines that end a run with failed checks: their names, and the end of the output of each. Long logs are
 * often shown from their end, so the reason must be there.
 */
export function describeFailedChecks(failures: readonly Failure[]): string[] {
  if (failures.length === 0) return [];
  const ends = failures.flatMap(({ script, output }) => {
    const lines = output.trimEnd().split('\n');
    const left = lines.length - LINES;
    const title = left > 0 ? `the last ${LINES} of ${lines.length} lines of ${script}:` : `${script}:`;
    return [title, ...lines.slice(-LINES).map((line) => `  ${line}`)];
  });
  return [...ends, `static checks failed: ${failures.map(({ script }) => script).join(', ')}`];
}

/**
 * Returns the line that ends a run with failed tests: the names of their files.
 *
 * @param what the kind of tests: `quick unit tests`
 */
export function describeFailedTests(what: string, { exitCode, ended }: Pick<Judged, 'exitCode' | 'ended'>): string[] {
  if (exitCode === 0) return [];
  const files = ended.filter(({ failed }) => failed).map(({ file }) => file);
  return [`${what} failed: ${files.length > 0 ? files.join(', ') : 'an error outside of their files, see above'}`];
}

/** Returns the names of the scripts that `npm run check` runs, from its line in package.json. */
export const readChecks = (line: string): string[] => line.split(/\s+/).filter((word) => /^check:[a-z-]+$/.test(word));

import { type Glob, parseGlob } from './glob.js';

/** Result of a `.gitignore` for a path: ignored, kept, or no match. */
export type Verdict = 'ignored' | 'kept' | undefined;

/** The rules of one `.gitignore`. */
export interface IgnoreFile {
  /** Number of rules. */
  rules: number;
  /**
   * Returns the verdict on a path.
   *
   * @param path from the folder of the file, without a final slash; bytes, one per character
   */
  verdictOf(path: string, isFolder: boolean): Verdict;
}

interface Rule {
  glob: Glob;
  negated: boolean;
  foldersOnly: boolean;
  /** Whether only the last part of a path is compared. */
  nameOnly: boolean;
}

/** Converts a text to its UTF-8 bytes, one per character: Git compares bytes. */
export const bytesText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/**
 * Parses a `.gitignore` by the rules of gitignore(5).
 *
 * @param text its bytes, one per character
 */
export function ignoreFile(text: string): IgnoreFile {
  const rules = text
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split('\n')
    .flatMap(ruleOf)
    // The last matching rule wins.
    .reverse();
  return {
    rules: rules.length,
    verdictOf(path, isFolder) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      for (const { glob, negated, foldersOnly, nameOnly } of rules)
        if ((isFolder || !foldersOnly) && glob(nameOnly ? name : path)) return negated ? 'kept' : 'ignored';
      return undefined;
    },
  };
}

function ruleOf(line: string): Rule[] {
  if (line.startsWith('#')) return [];
  // Git ends a line at a NUL byte.
  let pattern = withoutSpaces(line.replace(/\r$/, '').split('\0', 1)[0] ?? '');
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const nameOnly = !pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  const glob = pattern === '' ? undefined : parseGlob(pattern, !nameOnly);
  return glob ? [{ glob, negated, foldersOnly, nameOnly }] : [];
}

/** Removes trailing spaces, except after a backslash. */
function withoutSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  const slashes = /\\*$/.exec(line.slice(0, end))?.[0].length ?? 0;
  return end < line.length && slashes % 2 === 1 ? line.slice(0, end + 1) : line.slice(0, end);
}

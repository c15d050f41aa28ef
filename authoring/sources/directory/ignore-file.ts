import { type Glob, parseGlob } from './glob.js';

/** What a `.gitignore` says of a path: to leave it out, to keep it, or nothing. */
export type Verdict = 'ignored' | 'kept' | undefined;

/** The rules of one `.gitignore`. */
export interface IgnoreFile {
  /** How many there are. */
  rules: number;
  /** @param path from the folder of the file, without a slash at its end; bytes, one a character */
  verdictOf(path: string, isFolder: boolean): Verdict;
}

interface Rule {
  glob: Glob;
  negated: boolean;
  foldersOnly: boolean;
  /** Compared with the last part of a path alone. */
  nameOnly: boolean;
}

/** Text as its bytes in UTF-8, one a character: Git compares bytes. */
export const bytesText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Reads a `.gitignore` by the rules of gitignore(5). @param text its bytes, one a character */
export function ignoreFile(text: string): IgnoreFile {
  const rules = text
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split('\n')
    .flatMap(ruleOf)
    // The last one that matches counts.
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
  // A line of Git's ends at a NUL byte.
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

/** Without spaces at the end, but those behind a backslash. */
function withoutSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  const slashes = /\\*$/.exec(line.slice(0, end))?.[0].length ?? 0;
  return end < line.length && slashes % 2 === 1 ? line.slice(0, end + 1) : line.slice(0, end);
}

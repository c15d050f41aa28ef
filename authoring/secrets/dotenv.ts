/** Entry of a dotenv file with its position. */
export interface DotenvEntry {
  name: string;
  value: string;
  /** Counted from 1. */
  line: number;
}

export interface DotenvFault {
  line: number;
  message: string;
}

const NAME = /^(?:export\s+)?([A-Za-z0-9][A-Za-z0-9_.-]*)\s*=[^\S\n]*/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
/** Values that need no quotes. */
const PLAIN = /^[A-Za-z0-9_./:@%+,=-]*$/;

/**
 * Reads a dotenv file: `NAME=value`; `#` begins a comment. Single-quoted values are literal. Double-quoted values
 * support `\n`, `\r`, `\t` and a backslash before any other character. Quoted values may span several lines. `$NAME`
 * is not expanded.
 */
export function readDotenv(text: string): { entries: DotenvEntry[]; faults: DotenvFault[] } {
  const entries: DotenvEntry[] = [];
  const faults: DotenvFault[] = [];
  let rest = text.replaceAll('\r\n', '\n');
  let line = 1;
  const take = (length: number): string => {
    const taken = rest.slice(0, length);
    rest = rest.slice(length);
    line += taken.split('\n').length - 1;
    return taken;
  };
  const endOfLine = (): number => (rest.includes('\n') ? rest.indexOf('\n') + 1 : rest.length);
  while (rest !== '') {
    if (/^[^\S\n]*(?:#|\n|$)/.test(rest)) {
      take(endOfLine());
      continue;
    }
    take(/^[^\S\n]*/.exec(rest)?.[0].length ?? 0);
    const at = line;
    const [start, name] = NAME.exec(rest) ?? [];
    if (start === undefined || name === undefined) {
      faults.push({ line: at, message: 'write each entry as NAME=value' });
      take(endOfLine());
      continue;
    }
    take(start.length);
    const [quoted] = /^(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*")/.exec(rest) ?? [];
    if (quoted === undefined && /^['"]/.test(rest)) {
      faults.push({ line: at, message: 'the quote at its beginning is not closed' });
      take(rest.length);
      continue;
    }
    const raw = quoted === undefined ? rest.slice(0, endOfLine()) : quoted;
    take(raw.length);
    const value = quoted === undefined ? raw.replace(/(?:^|\s)#.*$/m, '').trim() : unquoted(quoted);
    if (quoted !== undefined) {
      const after = take(endOfLine());
      // The match includes the line end, because `$` does not match before one.
      if (!/^\s*(?:#[^\n]*)?\n?$/.test(after)) faults.push({ line: at, message: 'something follows the closing quote' });
    }
    entries.push({ name, value, line: at });
  }
  return { entries, faults };
}

const unquoted = (quoted: string): string =>
  quoted.startsWith("'")
    ? quoted.slice(1, -1)
    : quoted.slice(1, -1).replace(/\\([\s\S])/g, (_, one: string) => ESCAPES[one] ?? one);

/** Returns whether a dotenv file can have a secret with this name. */
export const isDotenvName = (name: string): boolean => !name.includes('/');

/** Writes the format that `readDotenv` reads. */
export function writeDotenv(values: ReadonlyMap<string, string>): string {
  const quote = (value: string) =>
    PLAIN.test(value)
      ? value
      : `"${value
          .replace(/[\\"$`]/g, '\\$&')
          .replaceAll('\n', '\\n')
          .replaceAll('\r', '\\r')}"`;
  return [...values].map(([name, value]) => `${name}=${quote(value)}\n`).join('');
}

import type { SecretRef, Text } from '../index.js';

/** Line of a file, without its end; a list of parts if it refers to secrets. */
export type Line = string | (string | SecretRef)[];

/** Splits a text into lines; undefined if the last line has no end. */
export function linesOf(text: Text): Line[] | undefined {
  const lines: (string | SecretRef)[][] = [[]];
  for (const part of typeof text === 'string' ? [text] : text) {
    const [first, ...others]: (string | SecretRef)[] = typeof part === 'string' ? part.split('\n') : [part];
    if (first !== undefined && first !== '') lines.at(-1)?.push(first);
    for (const other of others) lines.push(other === '' ? [] : [other]);
  }
  if (lines.length === 1 || lines.pop()?.length !== 0) return undefined;
  return lines.map((parts) => (parts.every((part) => typeof part === 'string') ? parts.join('') : parts));
}

/** Joins lines in the form of `text`: adjacent strings are merged; without secrets the result is a single string. */
export function textOf(lines: readonly Line[]): Text {
  const parts: (string | SecretRef)[] = [];
  for (const part of lines.flatMap((line) => [line, '\n'].flat())) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  }
  const [only = '', ...others] = parts;
  return typeof only === 'string' && others.length === 0 ? only : parts;
}

/** Returns a file in the form of cases: with `lines` instead of a `content` that ends in a newline. */
export function splitIntoLines<File extends object>(file: File): object {
  const lines = 'content' in file ? linesOf(file.content as Text) : undefined;
  const entries = Object.entries(file).map(([key, value]) => (key === 'content' && lines ? ['lines', lines] : [key, value]));
  return Object.fromEntries(entries);
}

/** Returns a file in the form of steps and facts. */
export function joinLines(file: object): object {
  const entries = Object.entries(file).map(([key, value]) => (key === 'lines' ? ['content', textOf(value)] : [key, value]));
  return Object.fromEntries(entries);
}

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TEMPLATES = join(import.meta.dirname, '../templates');

export interface SourceFile {
  path: string;
  text: string;
}

/** Words that cannot name a variable. */
export const RESERVED = new Set(
  (
    'abstract as await break case catch class const continue debugger default delete do else enum export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public ' +
    'return static super switch this throw true try typeof var void while with yield eval arguments undefined'
  ).split(' '),
);

/** Returns the files of a template, with paths from the root of the repository. */
export function templatesOf(kind: string): SourceFile[] {
  const folder = join(TEMPLATES, kind);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tmpl'))
    .sort()
    .map((path) => ({ path: path.replace(/\.tmpl$/, ''), text: readFileSync(join(folder, path), 'utf8') }));
}

/** Returns the first of these paths that exists. */
export const takenOf = (paths: readonly string[]): string | undefined => paths.find((path) => existsSync(path));

/** Writes files and their folders, and returns the paths. */
export function writeAll(files: readonly SourceFile[]): string[] {
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return files.map(({ path }) => path);
}

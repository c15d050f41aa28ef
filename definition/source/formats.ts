import { extname } from 'node:path';
import { readJson, readYaml, type Source } from './source.js';

/** Reads the text of a definition file. */
type Reader = (file: string, text: string) => Source | Promise<Source>;

/** How data is read, by the ending of its file. Another format joins as a line here. */
export const formats: Readonly<Record<string, Reader>> = {
  '.yaml': readYaml,
  '.yml': readYaml,
  '.json': readJson,
  '.toml': async (file, text) => (await import('./read-toml.js')).readToml(file, text),
};

const PROGRAMS: ReadonlySet<string> = new Set(['.ts', '.k', '.ncl']);

/** Whether a file is one that is evaluated (languages/read-named.ts), and never read as data. */
export const isProgram = (file: string): boolean => PROGRAMS.has(extname(file).toLowerCase());

import { readJson, readYaml, type Source } from './source.js';

/** Reads the text of a definition file. */
type Reader = (file: string, text: string) => Source;

/** How a definition is read, by the ending of its file. Another format joins as a line here. */
export const formats: Readonly<Record<string, Reader>> = {
  '.yaml': readYaml,
  '.yml': readYaml,
  '.json': readJson,
};

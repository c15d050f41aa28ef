import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import { clipText } from '../../core/text.js';
import { dataFaults } from './data-faults.js';
import { findHiddenFault, placeAt } from './hidden.js';
import type { Place, Source } from './source.js';
import { tomlExcess } from './toml-bounds.js';
import { tomlPlaces } from './toml-places.js';
import { versionsIn } from './versions-in.js';

const START: Place = { line: 1, column: 1 };

/** Reads TOML 1.0. Reports faults of the text; does not throw for what it says. */
export function readToml(file: string, text: string): Source {
  const failed = (...faults: Source['faults']): Source => ({ file, value: undefined, faults, place: () => START });
  const fault = findHiddenFault(text) ?? tomlExcess(text);
  if (fault) return failed({ ...placeAt(text, fault.offset), message: fault.message });
  let program: AST.TOMLProgram;
  try {
    program = parseTOML(text, { tomlVersion: '1.0.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const place = { line: error.lineNumber, column: error.column + 1 };
    return failed({ ...place, message: `it is not valid TOML: ${clipText(error.message, 200)}` });
  }
  const { place, written, faults } = tomlPlaces(program);
  if (faults.length > 0) return failed(...faults);
  const value: unknown = getStaticTOMLValue(program);
  const found = dataFaults(value).map(({ path, at, message }) => ({ ...place(path, at), message }));
  if (found.length > 0) return failed(...found);
  for (const { path, entry } of versionsIn(value)) entry.version = written(path) ?? entry.version;
  return { file, value, faults: [], place };
}

import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import { excessOf } from '../../core/definition/weight.js';
import { LIMITS } from '../../core/limits.js';
import { RESERVED } from '../../core/merge/merge.js';
import { hiddenIn } from '../../core/text.js';
import type { Path } from '../../definition/source/problem.js';
import type { Place, Source } from '../../definition/source/source.js';

const START: Place = { line: 1, column: 1 };

/** Reads TOML. Reports faults of the text; does not throw for what it says. */
export function readToml(file: string, text: string): Source {
  const failed = (place: Place, message: string): Source => ({
    file,
    value: undefined,
    faults: [{ ...place, message }],
    place: () => START,
  });
  const hidden = hiddenIn(text.replaceAll('\r\n', '\n'));
  if (hidden) return failed(START, `the character ${hidden} does not belong in a file of settings`);
  let program: AST.TOMLProgram;
  try {
    program = parseTOML(text, { tomlVersion: '1.0.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return failed({ line: error.lineNumber, column: error.column + 1 }, `it is no TOML: ${error.message}`);
  }
  const places = placesOf(program);
  for (const [path, place] of places) {
    const name = path.split('\n').at(-1) ?? '';
    if (RESERVED.has(name)) return failed(place, `no key may be called "${name}"`);
  }
  const value: unknown = getStaticTOMLValue(program);
  const excess = excessOf(value, LIMITS.fileResolved, LIMITS.fileResolved);
  if (excess) return failed(START, excess);
  return { file, value, faults: [], place: (path) => nearest(places, path) };
}

/** The key at a path, or the nearest one around it. */
function nearest(places: ReadonlyMap<string, Place>, path: Path): Place {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(path.slice(0, length).join('\n'));
    if (place) return place;
  }
  return START;
}

function placesOf(program: AST.TOMLProgram): Map<string, Place> {
  const places = new Map<string, Place>();
  const note = (prefix: readonly string[], { keys }: AST.TOMLKey): string[] => {
    const path = [...prefix];
    for (const key of keys) {
      path.push(key.type === 'TOMLBare' ? key.name : key.value);
      const at = path.join('\n');
      if (!places.has(at)) places.set(at, { line: key.loc.start.line, column: key.loc.start.column + 1 });
    }
    return path;
  };
  const visit = (prefix: readonly string[], entries: readonly (AST.TOMLKeyValue | AST.TOMLTable)[]): void => {
    for (const entry of entries) {
      const path = note(prefix, entry.key);
      if (entry.type === 'TOMLTable') visit(path, entry.body);
      else if (entry.value.type === 'TOMLInlineTable') visit(path, entry.value.body);
    }
  };
  for (const table of program.body) visit([], table.body);
  return places;
}

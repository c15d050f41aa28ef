import type { AST } from 'toml-eslint-parser';
import { RESERVED_NAMES } from '../../core/merge/merge.js';
import type { Path } from './problem.js';
import type { Place } from './source.js';

/** Places of a TOML file, by path. */
export interface TomlPlaces {
  /** Returns the place of a path's key or value. A missing one has the place of the nearest value around it. */
  place(path: Path, at: 'key' | 'value'): Place;
  /** How a number is written. */
  written(path: Path): string | undefined;
  /** Names that reach into the language, and values that no other format has. To be asked before the data is built. */
  faults: (Place & { message: string })[];
}

const START: Place = { line: 1, column: 1 };

type Node = AST.TOMLContentNode;

/** Finds the places of a program's keys and values. */
export function tomlPlaces(program: AST.TOMLProgram): TomlPlaces {
  const keys = new Map<string, Place>();
  const values = new Map<string, Place>();
  const numbers = new Map<string, string>();
  const faults: TomlPlaces['faults'] = [];

  const note = (prefix: Path, { keys: parts }: AST.TOMLKey): Path => {
    let path = prefix;
    for (const key of parts) {
      const name = key.type === 'TOMLBare' ? key.name : key.value;
      if (RESERVED_NAMES.has(name)) faults.push({ ...placeOf(key), message: `no key may be called "${name}"` });
      path = [...path, name];
      if (!keys.has(idOf(path))) keys.set(idOf(path), placeOf(key));
    }
    return path;
  };
  const entries = (prefix: Path, body: readonly AST.TOMLKeyValue[]) => {
    for (const { key, value } of body) valued(note(prefix, key), value);
  };
  const valued = (path: Path, node: Node): void => {
    values.set(idOf(path), placeOf(node));
    if (node.type === 'TOMLInlineTable') entries(path, node.body);
    else if (node.type === 'TOMLArray') for (const [index, element] of node.elements.entries()) valued([...path, index], element);
    else if (node.kind === 'integer' || node.kind === 'float') {
      numbers.set(idOf(path), node.number);
      if (node.kind === 'integer' && BigInt(node.value) !== node.bigint)
        faults.push({ ...placeOf(node), message: 'this number is too large: write it as a text, in quotes' });
    } else if (node.kind.includes('date') || node.kind.includes('time'))
      faults.push({ ...placeOf(node), message: 'write a date or time as a text, in quotes' });
  };
  for (const entry of program.body[0].body) {
    if (entry.type === 'TOMLKeyValue') entries([], [entry]);
    else {
      note([], entry.key);
      header(entry, keys);
      entries(entry.resolvedKey, entry.body);
    }
  }
  return {
    faults,
    written: (path) => numbers.get(idOf(path)),
    place(path, at) {
      const own = at === 'value' ? values.get(idOf(path)) : undefined;
      for (let length = path.length; !own && length > 0; length--) {
        const id = idOf(path.slice(0, length));
        const place = length < path.length || at === 'value' ? (values.get(id) ?? keys.get(id)) : (keys.get(id) ?? values.get(id));
        if (place) return place;
      }
      return own ?? START;
    },
  };
}

/** The place of a table is its header. The place of an entry of a list of tables is its own header. */
function header({ key, resolvedKey }: AST.TOMLTable, keys: Map<string, Place>): void {
  let part = 0;
  resolvedKey.forEach((name, depth) => {
    const node = key.keys[typeof name === 'number' ? part - 1 : part++];
    const id = idOf(resolvedKey.slice(0, depth + 1));
    if (node && !keys.has(id)) keys.set(id, placeOf(node));
  });
}

const idOf = (path: Path): string => path.join('\n');

const placeOf = ({ loc: { start } }: { loc: AST.SourceLocation }): Place => ({ line: start.line, column: start.column + 1 });

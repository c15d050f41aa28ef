import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, type Node } from 'yaml';
import { findExcess } from '../../core/definition/weight.js';
import { LIMITS } from '../../core/limits.js';
import { clipText } from '../../core/text.js';
import { dataOf, parseYaml, RAW } from './parse-yaml.js';
import type { Path, Problem } from './problem.js';

export interface Place {
  line: number;
  column: number;
  /** Name of the file and the path there, if it is another file than the source's. */
  file?: string;
  path?: Path;
}

/** A definition file as read: its data, and where each part of it stands. */
export interface Source {
  file: string;
  /** Undefined when the text cannot be understood. */
  value: unknown;
  faults: (Place & { message: string })[];
  /** Returns the place of a path's key or value. A missing one has the place of the nearest value around it. */
  place(path: Path, at: 'key' | 'value'): Place;
  /** Whether the text at a path is written with `!raw`. */
  isRaw?(path: Path): boolean;
  /** Bytes of its text. */
  bytes?: number;
  /** The files that it was read from, as they were. */
  texts?: readonly FileText[];
  /** Warnings for the reader. */
  warnings?: readonly Problem[];
}

/** A file and what it said when it was read. */
export interface FileText {
  file: string;
  text: string;
}

const START: Place = { line: 1, column: 1 };

/** Reads YAML. Reports faults of the text; does not throw. */
export const readYaml = (file: string, text: string): Source => read(file, text, false);

/** Reads JSON, strictly, by the parser that knows positions. Reports faults of the text; does not throw. */
export const readJson = (file: string, text: string): Source => read(file, text, true);

function read(file: string, text: string, json: boolean): Source {
  const { lines, document, faults: found, whole, alias } = parseYaml(text, { json });
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const faults = found.map(({ offset, message }) => ({ ...placeOf(offset), message }));
  const root = document?.contents as Node | null | undefined;
  const start = root?.range ? placeOf(root.range[0]) : START;
  const source: Source = { file, value: undefined, faults, place: () => start };
  if (!document || !root) return source;
  source.place = (path, at) => placeIn(document, root, path, at, placeOf) ?? start;
  if (!whole) return source;
  source.isRaw = (path) => isRawIn(document, root, path);
  const no = json ? notJson(text) : undefined;
  if (no && faults.length === 0) faults.push({ ...start, message: no });
  keepVersions(root);
  const data = dataOf(document);
  // Only aliases make a file say more than it has.
  const from = alias === undefined ? start : placeOf(alias);
  if ('fault' in data) faults.push({ ...from, message: data.fault });
  else {
    const excess = findExcess(data.value, LIMITS.fileResolved, LIMITS.fileResolved);
    if (excess) faults.push({ ...from, message: `with its aliases resolved, ${excess}` });
    else source.value = data.value;
  }
  return source;
}

/** Returns the fault of JSON that the YAML parser accepts, such as a comma before the end. */
function notJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `this is no JSON: ${clipText((error as Error).message)}`;
  }
}

function isRawIn(document: Document.Parsed, root: Node, path: Path): boolean {
  let node: unknown = root;
  for (const key of path) node = child(isAlias(node) ? node.resolve(document) : node, key)?.value;
  const found = isAlias(node) ? node.resolve(document) : node;
  return isScalar(found) && found.tag === RAW;
}

/** Returns the place of a path's key or value. A missing one has the place of the nearest value around it. */
function placeIn(
  document: Document.Parsed,
  root: Node,
  path: Path,
  at: 'key' | 'value',
  placeOf: (offset: number) => Place,
): Place | undefined {
  let node: unknown = root;
  let found: Place | undefined;
  path.forEach((key, depth) => {
    const last = depth === path.length - 1;
    const next = child(isAlias(node) ? node.resolve(document) : node, key);
    if (!next) {
      node = undefined;
      return;
    }
    const keyed = isNode(next.key) ? next.key : undefined;
    const valued = isNode(next.value) && next.value.range ? next.value : undefined;
    const chosen = last && at === 'key' ? (keyed ?? valued) : (valued ?? keyed);
    if (chosen?.range) found = placeOf(chosen.range[0]);
    node = next.value;
  });
  return found;
}

function child(node: unknown, key: string | number): { key?: unknown; value: unknown } | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(key)];
    return value === undefined ? undefined : { value };
  }
  if (!isMap(node)) return undefined;
  return node.items.find((pair) => (isScalar(pair.key) ? String(pair.key.value) : pair.key) === String(key));
}

/** Versions are text: `version: 1.20` means 1.20, which as a number would be 1.2. */
function keepVersions(root: Node): void {
  const keepText = (list: unknown): void => {
    if (!isSeq(list)) return;
    for (const entry of list.items) {
      if (!isMap(entry)) continue;
      const pair = entry.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === 'version');
      if (pair && isScalar(pair.value) && typeof pair.value.value === 'number') {
        pair.value.value = pair.value.source ?? String(pair.value.value);
      }
    }
  };
  if (!isMap(root)) return;
  keepText(root.get('taskservs', true));
  const servers = root.get('servers', true);
  if (isSeq(servers)) for (const server of servers.items) if (isMap(server)) keepText(server.get('taskservs', true));
}

import { extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isCollection, isMap, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { formats } from '../source/formats.js';
import { RAW } from '../source/parse-yaml.js';
import { type Path, pathText } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import type { RewriteResult } from './write-version.js';

/** A value, and its path in the file. Missing maps on the way are created. */
export interface ValueToWrite {
  path: Path;
  value: unknown;
}

/**
 * Returns the text of a definition file with other values. Everything else stays, character by character in YAML and
 * JSON: comments, quotes, order. The new text is read again and compared, so a value that an alias shares is refused.
 *
 * @param text a valid text in YAML, JSON or TOML, by the extension of `file`
 */
export async function writeValues(file: string, text: string, changes: readonly ValueToWrite[]): Promise<RewriteResult> {
  const kind = extname(file).toLowerCase();
  const read = formats[kind];
  if (!read) return { why: 'it is a program, which cannot be edited automatically' };
  const wanted: unknown = JSON.parse(JSON.stringify((await read(file, text)).value ?? null));
  for (const change of changes) {
    const why = changeAt(wanted, change);
    if (why !== undefined) return { why };
  }
  const written = kind === '.toml' ? await inToml(text, changes) : inYaml(text, changes, kind === '.json');
  if (written === undefined || !isDeepStrictEqual((await read(file, written)).value, wanted))
    return { why: 'the value is shared with others, or cannot be changed on its own' };
  return { text: written };
}

/** Changes the value in what a file says. @returns why that is not possible */
function changeAt(whole: unknown, { path, value }: ValueToWrite): string | undefined {
  let inside = whole as Record<string | number, unknown>;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    const next = inside[key];
    if (next === undefined || next === null) inside[key] = {};
    // `use: web` is the short form of `use: { web: {} }`.
    else if (typeof next === 'string' && next === path[depth + 1]) inside[key] = { [next]: {} };
    else if (!isRecord(next) && !Array.isArray(next)) return `"${pathText(path.slice(0, depth + 1))}" is not a map`;
    inside = inside[key] as Record<string | number, unknown>;
  }
  const last = path.at(-1) as string | number;
  if (typeof inside[last] === 'string' && inside[last].includes('{{')) return 'its value is an expression';
  inside[last] = value;
  return undefined;
}

interface Splice {
  from: number;
  to: number;
  by: string;
}

function inYaml(text: string, changes: readonly ValueToWrite[], json: boolean): string | undefined {
  let now = text;
  for (const change of changes) {
    const splice = spliceFor(now, change, json);
    if (!splice) return undefined;
    now = now.slice(0, splice.from) + splice.by + now.slice(splice.to);
  }
  return now;
}

/** Returns the change of the text for one value: it replaces the present value, or adds a key to the nearest map. */
function spliceFor(text: string, { path, value }: ValueToWrite, json: boolean): Splice | undefined {
  const document = parseDocument(text, { customTags: [{ tag: RAW, resolve: (raw: string) => raw }], version: '1.2' });
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true) as Node | undefined;
    const rest = path.slice(depth);
    if (node === undefined) continue;
    if (rest.length === 0) return replace(text, document.getIn(path.slice(0, -1), true), path, node, valueText(value, json));
    if (isMap(node)) return addKey(text, node, rest, value, json);
    // `use: web`, or a key without a value.
    const isShort = isScalar(node) && node.value === rest[0];
    if (!isShort && !(isScalar(node) && node.value === null)) return undefined;
    return replace(text, document.getIn(path.slice(0, depth - 1), true), path.slice(0, depth), node, nested(rest, value, json));
  }
  return isMap(document.contents) ? addKey(text, document.contents, path, value, json) : undefined;
}

function replace(text: string, around: unknown, path: Path, node: Node, by: string): Splice | undefined {
  if (!node.range) return undefined;
  const [from, end] = node.range;
  // A block of lines ends before its last line break.
  const to = isCollection(node) && !node.flow ? from + text.slice(from, end).trimEnd().length : end;
  if (from !== to) return { from, to, by };
  // A key without a value: the value follows the colon.
  const pair = isMap(around) ? pairOf(around, path.at(-1)) : undefined;
  const key = pair && isScalar(pair.key) ? pair.key.range : undefined;
  const colon = key ? text.indexOf(':', key[1]) : -1;
  return colon === -1 ? undefined : { from: colon + 1, to: colon + 1, by: ` ${by}` };
}

const pairOf = (map: YAMLMap, key: string | number | undefined): Pair | undefined =>
  map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key));

function addKey(text: string, map: YAMLMap, path: Path, value: unknown, json: boolean): Splice | undefined {
  const [key = '', ...rest] = path;
  const written = rest.length > 0 ? nested(rest, value, json) : valueText(value, json);
  const entry = `${json ? JSON.stringify(String(key)) : key}: ${written}`;
  const last = map.items.at(-1);
  if (!map.range) return undefined;
  if (!last) return { from: map.range[0], to: map.range[1], by: `{ ${entry} }` };
  const first = map.items[0]?.key;
  const end = endOf(last, text);
  if (!isScalar(first) || !first.range || end === undefined) return undefined;
  const isOnLines = /\n[^\S\n]*$/.test(text.slice(0, first.range[0]));
  if (json || map.flow)
    return { from: end, to: end, by: isOnLines ? `,\n${indentOf(text, first.range[0])}${entry}` : `, ${entry}` };
  // After the comment of the line.
  const newline = text.indexOf('\n', end);
  const at = newline === -1 ? text.length : newline;
  const before = text[at - 1] === '\r' ? at - 1 : at;
  return { from: before, to: before, by: `${before < at ? '\r\n' : '\n'}${indentOf(text, first.range[0])}${entry}` };
}

/** End of an entry's text, without the blank lines that follow. */
function endOf({ key, value }: Pair, text: string): number | undefined {
  const range = (value as Node | null)?.range ?? (key as Node).range;
  return range ? range[0] + text.slice(range[0], range[1]).trimEnd().length : undefined;
}

/** Blanks up to the column of an offset. */
const indentOf = (text: string, offset: number): string => ' '.repeat(offset - (text.lastIndexOf('\n', offset - 1) + 1));

const nested = (path: Path, value: unknown, json: boolean): string =>
  path.reduceRight<string>((text, key) => `{ ${json ? JSON.stringify(String(key)) : key}: ${text} }`, valueText(value, json));

/** Texts that YAML reads as texts, alone and inside brackets. */
const PLAIN = /^[A-Za-z][A-Za-z0-9_./-]*$/;
const OTHERWISE = /^(true|false|null|yes|no|on|off|y|n)$/i;

const valueText = (value: unknown, json: boolean): string =>
  !json && typeof value === 'string' && PLAIN.test(value) && !OTHERWISE.test(value) ? value : JSON.stringify(value);

async function inToml(text: string, changes: readonly ValueToWrite[]): Promise<string | undefined> {
  const { parse, patch } = await import('@decimalturn/toml-patch');
  const tree = parse(text) as Record<string, unknown>;
  for (const change of changes) if (changeAt(tree, change) !== undefined) return undefined;
  return patch(text, tree);
}

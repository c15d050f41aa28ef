import { extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, type Node, type Pair, parseDocument, Scalar, type YAMLMap } from 'yaml';
import { formats } from '../source/formats.js';
import { RAW } from '../source/parse-yaml.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';

/** An entry of a taskserv, by where it stands in its file, and the version that it is to say. */
export interface VersionToWrite {
  path: Path;
  taskserv: string;
  version: string;
}

/** A text with other versions, or why they cannot be written into it. */
export type RewriteResult = { text: string; why?: undefined } | { text?: undefined; why: string };

/**
 * The text of a definition file whose entries say other versions. All else of it stays, character by character in YAML and
 * JSON: comments, quotes, order. Only what the file says afterwards is taken for done: it is read again, and compared.
 *
 * @param text one that could be read, in YAML, JSON or TOML by the ending of `file`
 */
export async function writeVersions(file: string, text: string, changes: readonly VersionToWrite[]): Promise<RewriteResult> {
  const read = formats[extname(file).toLowerCase()];
  if (!read) return { why: 'it is a program, which cannot be edited automatically' };
  // The value of an alias is resolved here, so a change of another entry through an alias is a fault.
  const wanted: unknown = JSON.parse(JSON.stringify((await read(file, text)).value ?? null));
  for (const { path, taskserv, version } of changes) {
    const why = changeAt(wanted, path, taskserv, version);
    if (why !== undefined) return { why };
  }
  const json = extname(file).toLowerCase() === '.json';
  const written = extname(file).toLowerCase() === '.toml' ? await inToml(text, changes) : inYaml(text, changes, json);
  if (written === undefined || !isDeepStrictEqual((await read(file, written)).value, wanted))
    return { why: 'the entry is shared with others, or cannot be changed on its own' };
  return { text: written };
}

/** Changes the version in what a file says. @returns why that is not possible */
function changeAt(value: unknown, path: Path, taskserv: string, version: string): string | undefined {
  const list = path.slice(0, -1).reduce<unknown>((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], value);
  const entry = Array.isArray(list) ? (list[Number(path.at(-1))] as unknown) : undefined;
  if (entry === taskserv) {
    (list as unknown[])[Number(path.at(-1))] = { name: taskserv, version };
    return undefined;
  }
  if (!isRecord(entry) || entry.name !== taskserv) return `the entry of "${taskserv}" is made of something else`;
  if (typeof entry.version === 'string' && entry.version.includes('{{')) return 'its version is an expression';
  entry.version = version;
  return undefined;
}

function inYaml(text: string, changes: readonly VersionToWrite[], json: boolean): string | undefined {
  const document = parseDocument(text, { customTags: [{ tag: RAW, resolve: (raw: string) => raw }], version: '1.2' });
  const splices: { from: number; to: number; by: string }[] = [];
  for (const { path, taskserv, version } of changes) {
    const node = document.getIn(path, true) as Node | undefined;
    const splice = isMap(node)
      ? inMap(text, node, version, json)
      : isScalar(node) && spliceOf(node, entryText(taskserv, version, json));
    // An alias stands for what is written elsewhere.
    if (!splice) return undefined;
    splices.push(splice);
  }
  return splices.sort((a, b) => b.from - a.from).reduce((all, { from, to, by }) => all.slice(0, from) + by + all.slice(to), text);
}

/** Writes the version into an entry: it replaces the present one, or follows the name. */
function inMap(text: string, map: YAMLMap, version: string, json: boolean) {
  const pairOf = (key: string) => map.items.find((pair) => isScalar(pair.key) && pair.key.value === key) as Pair | undefined;
  const said = pairOf('version')?.value;
  if (isScalar(said)) return spliceOf(said, scalarText(version, said, json));
  const name = pairOf('name');
  if (!name || !isScalar(name.key) || !isScalar(name.value) || !name.key.range || !name.value.range) return undefined;
  const end = name.value.range[1];
  const value = json ? JSON.stringify(version) : plainText(version);
  if (json && /\n[^\S\n]*$/.test(text.slice(0, name.key.range[0])))
    return { from: end, to: end, by: `,\n${indentOf(text, name.key.range[0])}"version": ${value}` };
  if (json) return { from: end, to: end, by: `, "version": ${value}` };
  if (map.flow) return { from: end, to: end, by: `, version: ${value}` };
  // Behind a comment of the line.
  const newline = text.indexOf('\n', end);
  const at = newline === -1 ? text.length : newline;
  const line = `${text[at - 1] === '\r' ? '\r' : ''}\n`;
  const before = text[at - 1] === '\r' ? at - 1 : at;
  return { from: before, to: before, by: `${line}${indentOf(text, name.key.range[0])}version: ${value}` };
}

/** Blanks up to the column where something stands. */
const indentOf = (text: string, offset: number): string => ' '.repeat(offset - (text.lastIndexOf('\n', offset - 1) + 1));

function spliceOf({ range }: Scalar, by: string): { from: number; to: number; by: string } | undefined {
  return range ? { from: range[0], to: range[1], by } : undefined;
}

/** A version in the quotes that the former one has. */
function scalarText(version: string, { type }: Scalar, json: boolean): string {
  if (json || type === Scalar.QUOTE_DOUBLE) return JSON.stringify(version);
  return type === Scalar.QUOTE_SINGLE ? `'${version}'` : plainText(version);
}

/** Versions are texts, also where they look like numbers; what YAML has another reading of stands in quotes. */
const plainText = (version: string): string => (/^\d+(\.\d+)+$|^[1-9]\d*$/.test(version) ? version : `'${version}'`);

/** An entry that was only a name. In YAML a map in braces can stand wherever a text can. */
function entryText(taskserv: string, version: string, json: boolean): string {
  return json ? JSON.stringify({ name: taskserv, version }) : `{ name: ${taskserv}, version: ${plainText(version)} }`;
}

async function inToml(text: string, changes: readonly VersionToWrite[]): Promise<string | undefined> {
  const { parse, patch } = await import('@decimalturn/toml-patch');
  const tree = parse(text) as Record<string, unknown>;
  for (const { path, taskserv, version } of changes) if (changeAt(tree, path, taskserv, version) !== undefined) return undefined;
  return patch(text, tree);
}

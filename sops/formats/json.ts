import { LIMITS } from '../../core/limits.js';
import { addLineToFault, SopsFault } from '../fault.js';
import { fractionText, numberLeaf } from '../scalars.js';
import { type Entry, type Leaf, type ListNode, leaf, type MapNode, type Node, textLeaf } from '../tree.js';

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not contain them
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\.)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null))/y;

/** Reads JSON. Keeps the order of keys and large integers, and rejects duplicate keys. */
export function readJsonTree(text: string): MapNode {
  const reader = new Reader(text);
  try {
    const root = reader.value(0);
    reader.end();
    if (root.kind !== 'map') throw broken('it is not a map of keys');
    return root;
  } catch (error) {
    throw error instanceof SopsFault ? addLineToFault(error, reader.line()) : error;
  }
}

const broken = (why: string) => new SopsFault('sops-file', `it is not JSON that SOPS can read: ${why}`);

class Reader {
  #at = 0;
  #parts = 0;

  constructor(private readonly text: string) {}

  /** Returns the current line. */
  line(): number {
    return this.text.slice(0, this.#at).split('\n').length;
  }

  /** Returns the next token: a sign, or a value. */
  #next(): string | Leaf {
    TOKEN.lastIndex = this.#at;
    const [match, sign, string, number, word] = TOKEN.exec(this.text) ?? [];
    this.#parts += 1;
    if (this.#parts > LIMITS.fileParts) throw broken(`it has more than ${LIMITS.fileParts} values and signs`);
    if (match === undefined) throw broken('this text is not valid');
    this.#at += match.length;
    if (sign !== undefined) return sign;
    if (string !== undefined) return textLeaf(this.#parsed(string));
    if (number !== undefined) return numberLeaf(number);
    return word === 'null' ? leaf('null', '') : leaf('bool', word === 'true' ? 'True' : 'False');
  }

  #parsed(string: string): string {
    try {
      return String(JSON.parse(string));
    } catch {
      throw broken('a text has an unknown escape');
    }
  }

  value(depth: number, token = this.#next()): Node {
    if (depth > LIMITS.fileDepth) throw broken(`lists and maps are nested more than ${LIMITS.fileDepth} levels deep`);
    if (typeof token !== 'string') return token;
    if (token === '{') return this.#map(depth);
    if (token === '[') return this.#list(depth);
    throw broken(`"${token}" is not a value`);
  }

  #map(depth: number): MapNode {
    const items: Entry[] = [];
    const seen = new Set<string>();
    for (let token = this.#next(); token !== '}'; token = this.#next()) {
      const name = items.length === 0 ? token : this.#after(token);
      if (typeof name === 'string' || name.type !== 'str') throw broken('a key is a text in double quotes');
      const key = name.data.toString();
      if (seen.has(key)) throw broken('a key occurs twice');
      seen.add(key);
      if (this.#next() !== ':') throw broken('a colon is missing behind a key');
      items.push({ kind: 'entry', key, value: this.value(depth + 1) });
    }
    return { kind: 'map', items };
  }

  #list(depth: number): ListNode {
    const items: Node[] = [];
    for (let token = this.#next(); token !== ']'; token = this.#next()) {
      items.push(this.value(depth + 1, items.length === 0 ? token : this.#after(token)));
    }
    return { kind: 'list', items };
  }

  #after(token: string | Leaf): string | Leaf {
    if (token !== ',') throw broken('a comma is missing');
    return this.#next();
  }

  end(): void {
    if (this.text.slice(this.#at).trim() !== '') throw broken('something follows its end');
  }
}

/** Writes a document as JSON in the layout of `sops`, without comments, which JSON does not have. */
export const writeJsonTree = (document: MapNode): string => `${nodeText(document, '')}\n`;

function nodeText(node: Node, indent: string): string {
  if (node.kind === 'leaf') return leafText(node);
  const inner = `${indent}\t`;
  const [open, close] = node.kind === 'map' ? ['{', '}'] : ['[', ']'];
  const items = node.items.flatMap((item) => {
    if (item.kind === 'comment') return [];
    return item.kind === 'entry' ? [`${stringText(item.key)}: ${nodeText(item.value, inner)}`] : [nodeText(item, inner)];
  });
  return items.length === 0 ? `${open}${close}` : `${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`;
}

function leafText({ type, data }: Leaf): string {
  const text = data.toString();
  if (type === 'null') return 'null';
  if (type === 'bool') return text.toLowerCase();
  // Go and JavaScript use exponents for the same numbers.
  if (type === 'float') return /e/.test(String(Number(text))) ? String(Number(text)) : fractionText(text);
  return type === 'int' ? text : stringText(text);
}

/** Writes a string like Go, which escapes characters that are special in HTML. */
const stringText = (text: string): string =>
  JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

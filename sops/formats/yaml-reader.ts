import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Scalar,
  type Node as YamlNode,
} from 'yaml';
import { LIMITS } from '../../core/limits.js';
import { addLineToFault, SopsFault } from '../fault.js';
import { plainLeaf } from '../scalars.js';
import { type Comment, type Entry, type ListNode, leaf, type MapNode, type Node, textLeaf } from '../tree.js';
import { placeComments } from './comment-places.js';

/**
 * Reads the documents of a YAML file like `sops`: it resolves aliases, keeps order and comments, and types values like
 * Go.
 */
export function readYamlTree(text: string): MapNode[] {
  const lines = new LineCounter();
  const tokens = tokensOf(text, lines);
  for (const token of tokens) placeComments(token);
  const documents = [...new Composer({ schema: 'failsafe', prettyErrors: false, uniqueKeys: false }).compose(tokens)];
  return documents.map((document) => {
    const [error] = document.errors;
    // The library's message contains the wrong line, which may contain a secret.
    if (error) throw broken(`line ${lines.linePos(error.pos[0]).line}: ${error.code.toLowerCase().replaceAll('_', ' ')}`);
    if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2') throw broken('only YAML 1.2 is supported');
    return new Reader(document, (at) => lines.linePos(at).line).read();
  });
}

/** Returns the tokens of a text. A text above the limits fails before a tree is built. */
function tokensOf(text: string, lines: LineCounter): CST.Token[] {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let parts = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (++parts > LIMITS.fileParts) throw broken(`it has more than ${LIMITS.fileParts} names, values and signs`);
    if (parser.stack.length > LIMITS.fileDepth + 2) throw tooDeep();
  }
  return [...tokens, ...parser.end()];
}

const tooDeep = () => broken(`lists and maps are nested more than ${LIMITS.fileDepth} levels deep`);

const broken = (why: string) => new SopsFault('sops-file', `it is not YAML that SOPS can read: ${why}`);

class Reader {
  #parts = 0;

  constructor(
    private readonly document: Document.Parsed,
    private readonly lineAt: (offset: number) => number,
  ) {}

  read(): MapNode {
    const { contents, commentBefore, comment } = this.document;
    const map: MapNode = { kind: 'map', items: lines(commentBefore) };
    if (isMap(contents)) map.items.push(...this.#map(contents, 1).items);
    else if (contents !== null && !(isScalar(contents) && contents.value === '')) throw broken('a document is a map of keys');
    map.items.push(...lines(comment));
    return map;
  }

  #node(node: unknown, depth: number): Node {
    this.#parts += 1;
    if (this.#parts > LIMITS.fileParts) throw broken(`it expands to more than ${LIMITS.fileParts} values`);
    if (depth > LIMITS.fileDepth) throw tooDeep();
    if (isAlias(node)) return this.#node(this.#resolved(node), depth + 1);
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return this.#list(node, depth);
    if (isScalar(node)) return this.#placed(node, () => scalarLeaf(node));
    return leaf('null', '');
  }

  /** Creates a fault with the line of this node. */
  #wrong(node: unknown, why: string): SopsFault {
    const at = (node as Partial<YamlNode> | null)?.range?.[0];
    return at === undefined ? broken(why) : addLineToFault(broken(why), this.lineAt(at));
  }

  #placed<T>(node: Scalar, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof SopsFault && node.range) throw addLineToFault(error, this.lineAt(node.range[0]));
      throw error;
    }
  }

  #resolved(alias: Alias): YamlNode {
    const found = alias.resolve(this.document);
    if (!found) throw this.#wrong(alias, 'an alias stands for nothing');
    return found;
  }

  #map(node: { items: { key: unknown; value: unknown }[] } & Commented, depth: number): MapNode {
    const items: (Entry | Comment)[] = lines(node.commentBefore);
    const seen = new Set<string>();
    const own = new Set(node.items.map(({ key }) => (isScalar(key) ? key.value : undefined)));
    const merged = new Set<string>();
    for (const { key, value } of node.items) {
      if (isMergeKey(key)) {
        items.push(...lines(key.commentBefore), ...lines(key.comment));
        const entries = this.#merged(value, depth).filter((one) => !own.has(one.key) && !merged.has(one.key));
        for (const one of entries) merged.add(one.key);
        items.push(...entries);
        continue;
      }
      if (!isScalar(key) || typeof key.value !== 'string' || this.#placed(key, () => scalarLeaf(key)).type !== 'str')
        throw this.#wrong(key, 'a key is no text: put it in quotes');
      if (seen.has(key.value)) throw this.#wrong(key, 'a key occurs twice');
      seen.add(key.value);
      items.push(...lines(key.commentBefore), ...lines(key.comment), ...this.#around(value));
      items.push({ kind: 'entry', key: key.value, value: this.#node(value, depth + 1) });
    }
    return { kind: 'map', items: [...items, ...lines(node.comment)] };
  }

  /** Returns the entries from a merge key: the first of several maps has precedence. */
  #merged(value: unknown, depth: number): Entry[] {
    const node = isAlias(value) ? this.#resolved(value) : value;
    if (isSeq(node)) {
      const all = node.items.flatMap((one) => this.#merged(one, depth + 1));
      return all.filter(({ key }, index) => all.findIndex((one) => one.key === key) === index);
    }
    const map = isMap(node) ? this.#node(node, depth) : undefined;
    if (map?.kind !== 'map') throw this.#wrong(value, '"<<" merges something that is no map');
    return map.items.filter((one): one is Entry => one.kind === 'entry');
  }

  #list(node: { items: unknown[] } & Commented, depth: number): ListNode {
    const items: (Node | Comment)[] = lines(node.commentBefore);
    for (const item of node.items) {
      items.push(...this.#around(item), this.#node(item, depth + 1));
    }
    return { kind: 'list', items: [...items, ...lines(node.comment)] };
  }

  /** Returns the comments at a single value; the comments of a list or map are inside it. */
  #around(value: unknown): Comment[] {
    if (!isScalar(value) && !isAlias(value)) return [];
    return [...lines(value.commentBefore), ...lines(value.comment).map((one): Comment => ({ ...one, inline: true }))];
  }
}

interface Commented {
  commentBefore?: string | null;
  comment?: string | null;
}

/** Reports whether a key is `<<` without quotes; in quotes it is an ordinary key. Its comments belong to its map. */
const isMergeKey = (key: unknown): key is Scalar => isScalar(key) && key.value === '<<' && key.type === 'PLAIN' && !key.tag;

const lines = (comment: string | null | undefined): Comment[] =>
  (comment ?? '').split('\n').flatMap((text): Comment[] => (text === '' ? [] : [{ kind: 'comment', text }]));

const CORE = 'tag:yaml.org,2002:';
const TAGS: Readonly<Record<string, string>> = { int: 'int', float: 'float', bool: 'bool', null: 'null', timestamp: 'time' };

function scalarLeaf({ value, type, tag }: Scalar): Node & { kind: 'leaf' } {
  const text = String(value ?? '');
  const name = tag?.startsWith(CORE) ? tag.slice(CORE.length) : tag;
  if (name === 'str') return textLeaf(text);
  if (name !== undefined && name !== '') {
    const found = Object.hasOwn(TAGS, name) ? plainLeaf(text) : undefined;
    if (found && (found.type === TAGS[name] || (name === 'float' && found.type === 'int')))
      return { ...found, type: TAGS[name] as 'int' };
    throw broken(`it has the tag ${name.startsWith('!') ? name : `!!${name}`}`);
  }
  return type === 'PLAIN' ? plainLeaf(text) : textLeaf(text);
}

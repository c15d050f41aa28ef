import { fractionText, plainLeaf } from '../scalars.js';
import type { Comment, Entry, Leaf, ListNode, MapNode, Node } from '../tree.js';

/** Spaces per level, as in `sops`. */
const INDENT = 4;

/**
 * Writes documents as YAML in the layout of `sops`, so that its next change of the file only changes the values' lines.
 */
export const writeYamlTree = (documents: readonly MapNode[]): string =>
  documents
    .map(
      (document) =>
        mapLines(document, 0)
          .map((line) => `${line}\n`)
          .join('') || '{}\n',
    )
    .join('---\n');

const pad = (depth: number) => ' '.repeat(depth);
/** Returns the next level. After a dash, its indentation already counts. */
const below = (depth: number) => INDENT * Math.floor((depth + INDENT) / INDENT);

/** Groups items with the comments before and behind them. `rest` has the comments that no item follows. */
function grouped<Item>(items: readonly (Item | Comment)[]) {
  const groups: { before: string[]; behind: string[]; item: Item }[] = [];
  let [before, behind]: [string[], string[]] = [[], []];
  for (const item of items) {
    if ((item as Comment).kind === 'comment') {
      const { inline, text } = item as Comment;
      (inline ? behind : before).push(text);
    } else {
      groups.push({ before, behind, item: item as Item });
      [before, behind] = [[], []];
    }
  }
  return { groups, rest: [...before, ...behind] };
}

function mapLines(map: MapNode, depth: number): string[] {
  const { groups, rest } = grouped<Entry>(map.items);
  const lines = groups.flatMap(({ before, behind, item: { key, value } }, index) => {
    const own = nodeLines(value, depth, `${pad(depth)}${textOf(key)}:`, behind);
    return [
      ...comments([...before, ...own.before], depth),
      ...own.lines,
      ...gap(value, index < groups.length - 1 || rest.length > 0),
    ];
  });
  return [...lines, ...comments(rest, depth)];
}

function listLines(list: ListNode, depth: number): string[] {
  const { groups, rest } = grouped<Node>(list.items);
  const lines = groups.flatMap(({ before, behind, item }, index) => {
    const own = itemLines(item, depth, behind);
    return [
      ...comments([...before, ...own.before], depth),
      ...own.lines,
      ...gap(item, index < groups.length - 1 || rest.length > 0),
    ];
  });
  return [...lines, ...comments(rest, depth)];
}

/** Returns the lines of a value behind its key. `before` has the comments that cannot follow the value. */
function nodeLines(
  value: Node,
  depth: number,
  head: string,
  behind: readonly string[],
): { before: readonly string[]; lines: string[] } {
  if (value.kind === 'leaf') return leafLines(value, depth, head, behind);
  if (isEmpty(value)) return { before: [...behind, ...textsIn(value)], lines: [`${head} ${value.kind === 'map' ? '{}' : '[]'}`] };
  const inner = value.kind === 'map' ? mapLines(value, below(depth)) : listLines(value, below(depth));
  return { before: behind, lines: [head, ...inner] };
}

function itemLines(item: Node, depth: number, behind: readonly string[]): { before: readonly string[]; lines: string[] } {
  if (item.kind === 'leaf' || isEmpty(item)) return nodeLines(item, depth, `${pad(depth)}-`, behind);
  // Comments before the first value come before the dash.
  const first = item.items.findIndex((one) => one.kind !== 'comment' || one.inline);
  const before = textsIn({ kind: 'list', items: item.items.slice(0, first) as Comment[] });
  const inside = item.items.slice(first);
  const lines =
    item.kind === 'map'
      ? mapLines({ kind: 'map', items: inside as MapNode['items'] }, depth + 2)
      : listLines({ kind: 'list', items: inside as ListNode['items'] }, depth + 2);
  const [head = '', ...tail] = lines;
  return { before: [...before, ...behind], lines: [`${pad(depth)}- ${head.slice(depth + 2)}`, ...tail] };
}

function leafLines(
  value: Leaf,
  depth: number,
  head: string,
  behind: readonly string[],
): { before: readonly string[]; lines: string[] } {
  const text = value.data.toString();
  const tail = behind.length === 1 ? ` #${behind[0]}` : '';
  const before = tail ? [] : behind;
  if (value.type === 'str' && isBlock(text)) {
    const whole = text.endsWith('\n');
    const inner = (whole ? text.slice(0, -1) : text).split('\n').map((line) => (line === '' ? '' : `${pad(below(depth))}${line}`));
    return { before, lines: [`${head} ${whole ? '|' : '|-'}${tail}`, ...inner] };
  }
  return { before, lines: [`${head} ${leafText(value, text)}${tail}`] };
}

function leafText({ type }: Leaf, text: string): string {
  if (type === 'null') return 'null';
  if (type === 'bool') return text.toLowerCase();
  if (type === 'float') return fractionText(text);
  if (type === 'int' || type === 'time') return text;
  return textOf(text);
}

const comments = (texts: readonly string[], depth: number) => texts.map((text) => `${pad(depth)}#${text}`);
const isEmpty = (node: MapNode | ListNode) => node.items.every(({ kind }) => kind === 'comment');
const textsIn = ({ items }: MapNode | ListNode) => items.flatMap((item) => (item.kind === 'comment' ? [item.text] : []));

/** Returns an empty line after a comment at the end of a collection: it separates the comment from the next item. */
function gap(value: Node, follows: boolean): string[] {
  if (!follows || value.kind === 'leaf' || isEmpty(value)) return [];
  const last = value.items.at(-1);
  if (last?.kind === 'comment') return [''];
  return gap(last?.kind === 'entry' ? last.value : (last as Node), follows);
}

/** Texts that need no quotes, for old and for new YAML readers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression excludes them
const PLAIN = /^[A-Za-z0-9_/$(.+^;<\\\u00a1-\ud7ff](?:[^\u0000-\u001f\u007f-\u00a0\u2028\u2029\ufeff#:]|:(?=\S)|(?<=\S)#)*$/;
const OLD_SWITCH = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** Characters that the writer of `sops` escapes: control characters, and all above U+FFFF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const SPECIAL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/;

/** Quotes a text like `sops`, so that its next change keeps this line. */
function textOf(text: string): string {
  if (SPECIAL.test(text) || OLD_SWITCH.test(text) || !isText(text)) return doubleQuoted(text);
  const isPlain = PLAIN.test(text) && !/ $|:$|^<<$|^\.\.\./.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}

/** Characters with an escape sign in YAML; all others use their number. */
const SIGNS: Readonly<Record<number, string>> = {
  ...{ 0: '0', 7: 'a', 8: 'b', 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r', 27: 'e', 34: '"', 92: '\\' },
  ...{ 133: 'N', 8232: 'L', 8233: 'P' },
};

function doubleQuoted(text: string): string {
  const inner = Array.from(text, (one) => {
    const code = one.codePointAt(0) ?? 0;
    if (SIGNS[code]) return `\\${SIGNS[code]}`;
    if (!SPECIAL.test(one)) return one;
    const [sign, width] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
    return `\\${sign}${code
      .toString(16)
      .toUpperCase()
      .padStart(width as number, '0')}`;
  });
  return `"${inner.join('')}"`;
}

function isText(text: string): boolean {
  try {
    return plainLeaf(text).type === 'str';
  } catch {
    return false;
  }
}

/** Reports whether a text of several lines can be a literal block. */
const isBlock = (text: string): boolean =>
  text.includes('\n') && !/^[ \t\n]|[ \t](?:\n|$)|\n\n$|\n\t/.test(text) && !SPECIAL.test(text.replaceAll(/[\t\n]/g, ''));

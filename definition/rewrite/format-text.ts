import { isMap, isScalar, parseDocument, visit, type YAMLMap, type YAMLSeq } from 'yaml';
import { definitionFile } from '../../core/schema/definition.js';
import { RAW } from '../source/parse-yaml.js';

export type WrittenFormat = '.json' | '.yaml' | '.toml';

const ORDER = Object.keys(definitionFile.shape);

/** Rank of a top-level key: its position in the schema. Unknown keys come last. */
const rankOf = (key: unknown): number => (ORDER.includes(String(key)) ? ORDER.indexOf(String(key)) : ORDER.length);

/**
 * Formats a definition: top-level keys in the order of the schema, two spaces. Comments stay above their keys. In a
 * file with aliases, keys keep their order. The text must have been read without faults.
 */
export async function formatDefinitionText(text: string, kind: WrittenFormat): Promise<string> {
  if (kind === '.toml') return (await import('./format-toml.js')).formatToml(text, rankOf);
  return kind === '.json' ? formattedJson(text) : formattedYaml(text);
}

function formattedYaml(text: string): string {
  const document = parseDocument(text, { customTags: [{ tag: RAW, resolve: (raw: string) => raw }] });
  const { contents } = document;
  let aliases = false;
  visit(document, {
    Alias: () => {
      aliases = true;
    },
  });
  // An alias stands behind what it names.
  if (isMap(contents) && !aliases) {
    const [first] = contents.items;
    contents.items.sort((a, b) => rankOf(textOf(a.key)) - rankOf(textOf(b.key)));
    const [now] = contents.items;
    if (now !== first && isScalar(first?.key) && isScalar(now?.key)) {
      // A comment above everything is about the file, not about the former first key.
      document.commentBefore = [document.commentBefore, first.key.commentBefore].filter(Boolean).join('\n') || null;
      first.key.commentBefore = null;
      now.key.spaceBefore = false;
    }
  }
  visit(document, { Map: (_, node) => padded(node, ' '), Seq: (_, node) => padded(node, '') });
  return document.toString({ indent: 2, lineWidth: 0 });
}

const textOf = (key: unknown): unknown => (isScalar(key) ? key.value : key);

/** `{ a: b }`, but `[a]`: the library knows one way for both. */
function padded(node: YAMLMap | YAMLSeq, flowCollectionPadding: string): void {
  if (!node.flow) return;
  const write = node.toString.bind(node) as (context: object, ...rest: unknown[]) => string;
  Object.assign(node, { toString: (context: object, ...rest: unknown[]) => write({ ...context, flowCollectionPadding }, ...rest) });
}

function formattedJson(text: string): string {
  const value = JSON.parse(text) as Record<string, unknown>;
  const inOrder = Object.entries(value).sort(([a], [b]) => rankOf(a) - rankOf(b));
  return `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`;
}

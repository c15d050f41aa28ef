import { addLineToFault, SopsFault } from '../fault.js';
import { fractionText } from '../scalars.js';
import { type Comment, type Entry, entry, type Leaf, type MapNode, textLeaf } from '../tree.js';

/**
 * Reads `NAME=VALUE` lines like `sops`: everything behind the first "=" is the value, and `\n` in it is a line break.
 */
export function readDotenvTree(text: string): MapNode {
  const names = new Set<string>();
  const items = text.split('\n').flatMap((line, index): (Entry | Comment)[] => {
    if (line === '') return [];
    if (line.startsWith('#')) return [{ kind: 'comment', text: line.slice(1) }];
    const at = line.indexOf('=');
    if (at === -1) throw new SopsFault('sops-file', `line ${index + 1} is neither NAME=VALUE nor a comment`);
    const name = line.slice(0, at);
    if (names.has(name)) throw addLineToFault(new SopsFault('sops-file', 'a name is given twice'), index + 1);
    names.add(name);
    return [entry(name, textLeaf(line.slice(at + 1).replaceAll('\\n', '\n')))];
  });
  return { kind: 'map', items };
}

export function writeDotenvTree({ items }: MapNode): string {
  return items
    .map((item) => {
      if (item.kind === 'comment') return `#${item.text}\n`;
      const { key, value } = item;
      if (value.kind !== 'leaf') throw new SopsFault('sops-file', 'a file of NAME=VALUE cannot contain lists and maps');
      return `${key}=${valueText(value)}\n`;
    })
    .join('');
}

function valueText({ type, data }: Leaf): string {
  const text = data.toString();
  if (type === 'bool') return text.toLowerCase();
  if (type === 'float') return fractionText(text);
  return text.replaceAll('\n', '\\n');
}

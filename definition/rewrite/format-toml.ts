import { type AST, parseTOML } from 'toml-eslint-parser';

/** A pair or the header of a table, as it will stand on its line, with the comments and blank lines above it. */
interface Item {
  above: string[];
  text: string;
}

/** A table with what is in it; the pairs before the first table have no header. */
interface Part {
  key: string;
  items: Item[];
  /** Comments at its end. */
  below: string[];
}

/**
 * Formats a definition in TOML: pairs and tables in the order of the schema, no indentation, one blank around `=`, and
 * an empty line before a table. Comments stay above their keys, and the inside of a value stays as it is. The text
 * must have been read without faults.
 */
export function formatToml(text: string, rankOf: (key: string) => number): string {
  const program = parseTOML(text, { tomlVersion: '1.0.0' });
  const comments = new Map(program.comments.map((comment) => [comment.loc.start.line, comment]));
  const lines = text.split('\n');
  let line = 0;
  const item = (node: { loc: AST.SourceLocation }, shown: string, lastLine: number): Item => {
    const above = lines.slice(line, node.loc.start.line - 1).map((one) => one.trim());
    line = lastLine;
    const comment = comments.get(lastLine);
    return { above, text: comment ? `${shown} #${comment.value.trimEnd()}` : shown };
  };
  const pair = (node: AST.TOMLKeyValue): Item => {
    const of = ({ range }: { range: readonly number[] }) => text.slice(range[0], range[1]).replaceAll('\r\n', '\n');
    return item(node, `${of(node.key)} = ${of(node.value)}`, node.value.loc.end.line);
  };
  const parts: Part[] = [];
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') {
      parts.push({ key: nameOf(node.key), items: [pair(node)], below: [] });
      continue;
    }
    const name = text.slice(...node.key.range);
    const header = item(node, node.kind === 'array' ? `[[${name}]]` : `[${name}]`, node.key.loc.end.line);
    // Text that an empty line separates from the header is about the former table.
    parts.at(-1)?.below.push(...header.above.splice(0, header.above.lastIndexOf('') + 1));
    parts.push({ key: nameOf(node.key), items: [header, ...node.body.map(pair)], below: [] });
  }
  return written(
    parts,
    rankOf,
    lines.slice(line).map((one) => one.trim()),
  );
}

const nameOf = ({ keys: [first] }: AST.TOMLKey): string => (first?.type === 'TOMLBare' ? first.name : (first?.value ?? ''));

function written(parts: readonly Part[], rankOf: (key: string) => number, below: readonly string[]): string {
  const isTable = ({ items: [first] }: Part) => first?.text.startsWith('[') ?? false;
  const place = (part: Part) => (isTable(part) ? 1000 : 0) + rankOf(part.key);
  const [before] = parts;
  const ordered = [...parts].sort((a, b) => place(a) - place(b));
  const head: string[] = [];
  if (before && ordered[0] !== before) {
    // A comment above everything is about the file, not about the former first key.
    head.push(...(before.items[0]?.above.splice(0) ?? []), '');
  }
  const lines = ordered.flatMap((part) => [
    ...(isTable(part) ? [''] : []),
    ...part.items.flatMap(({ above, text }) => [...above, text]),
    ...part.below,
  ]);
  const all = [...head, ...lines, ...below];
  return `${all
    .filter((line, index) => line !== '' || (all[index - 1] ?? '') !== '')
    .join('\n')
    .trim()}\n`;
}

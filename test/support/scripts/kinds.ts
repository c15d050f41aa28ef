import { isNode, nameOf, nodesOf, shellTree } from './shell-tree.js';

/** Number of scripts per parse: the tree of a script is two hundred times as long as the script. */
const AT_ONCE = 100;

/**
 * Returns one script of each kind, with its origin. Scripts of one kind have the same commands in the same structure,
 * with other words.
 */
export function kindsOf(scripts: ReadonlyMap<string, string>): Map<string, string> {
  const shapes = [...new Map([...scripts].map((one) => [shapeOf(one[0]), one])).values()];
  const kinds = new Map<string, [string, string]>();
  for (let at = 0; at < shapes.length; at += AT_ONCE) {
    const some = shapes.slice(at, at + AT_ONCE);
    const tree = shellTree(some.map(([script], index) => `script_${index}() {\n:\n${script}\n}\n`).join(''));
    for (const [index, declared] of nodesOf(tree.Stmts).entries()) {
      const structure = structureOf(declared);
      const one = some[index];
      if (one && !kinds.has(structure)) kinds.set(structure, one);
    }
  }
  return new Map(kinds.values());
}

/** Returns a script without quoted texts, paths and numbers, which is cheaper to compare than the tree. */
const shapeOf = (script: string): string =>
  script
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/[\w.@-]*\/[\w.@/-]+/g, '/')
    .replaceAll(/\d+/g, '0');

/** Only the names of commands matter, not other words. */
const WORDS = new Set(['Lit', 'DblQuoted', 'SglQuoted', 'ParamExp']);

function structureOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(structureOf).join('')}]`;
  if (!isNode(value)) return '';
  if (value.Type === 'CallExpr') {
    const [, ...words] = nodesOf(value.Args);
    const inner = [...words.flatMap((word) => nodesOf(word.Parts)), ...nodesOf(value.Assigns)].map(structureOf).join('');
    return `${value.Args ? (nameOf(value) ?? '$') : '='}(${inner})`;
  }
  const parts = Object.entries(value).map(([key, part]) => {
    if (key === 'Op') return String(part);
    return key.endsWith('Pos') || key === 'End' || key === 'Name' ? '' : structureOf(part);
  });
  return `${WORDS.has(value.Type ?? '') ? '' : (value.Type ?? '')}${parts.join('')}`;
}

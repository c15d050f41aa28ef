import { execFileSync } from 'node:child_process';

/** Node of the tree that shfmt prints for a script. Offsets are in bytes. */
export type ShellNode = { Type?: string; Pos?: { Offset: number }; End?: { Offset: number } } & { [key: string]: unknown };

/** Operators of lists. */
export const [AND, OR] = [10, 11];

/** Last tree, which two readers of the same script share: parsing takes 50 ms of processor time. */
let last: { script: string; tree: ShellNode } | undefined;

/** Beginnings that many scripts share, with the statements of each. */
const beginnings = new Map<string, ShellNode[]>();

/**
 * Returns the tree of a bash script. Callers must not change it. Throws if shfmt is not installed or cannot parse the
 * script. Lines and columns count from the end of the beginning.
 *
 * @param beginning whole lines that the script begins with, such as functions. They are parsed once for all scripts.
 */
export function shellTree(script: string, beginning = ''): ShellNode {
  if (last?.script === script) return last.tree;
  const tree = beginning === '' ? parse(script) : joined(beginning, script);
  last = { script, tree };
  return tree;
}

function joined(beginning: string, script: string): ShellNode {
  if (!script.startsWith(beginning) || !beginning.endsWith('\n')) throw new Error('the script begins with other lines');
  const first = beginnings.get(beginning) ?? nodesOf(parse(beginning).Stmts);
  beginnings.set(beginning, first);
  const rest = parse(script.slice(beginning.length));
  shift(rest, Buffer.byteLength(beginning));
  return { ...rest, Stmts: [...first, ...nodesOf(rest.Stmts)] };
}

function parse(script: string): ShellNode {
  const options = { input: script, maxBuffer: 2 ** 31 - 1, encoding: 'utf8' } as const;
  return JSON.parse(execFileSync('shfmt', ['-ln', 'bash', '-tojson'], options)) as ShellNode;
}

/** Adds these bytes to all offsets. */
function shift(value: unknown, bytes: number): void {
  if (!isNode(value)) return;
  const position = value as { Offset?: number };
  if (position.Offset !== undefined) position.Offset += bytes;
  for (const part of Object.values(value)) shift(part, bytes);
}

export const nodesOf = (value: unknown): ShellNode[] => (value ?? []) as ShellNode[];

export const isNode = (value: unknown): value is ShellNode => typeof value === 'object' && value !== null;

/** Returns the first word of a command, if it is literal. */
export function nameOf(command: ShellNode): string | undefined {
  const [first, ...others] = nodesOf(nodesOf(command.Args)[0]?.Parts);
  return first?.Type === 'Lit' && others.length === 0 ? String(first.Value) : undefined;
}

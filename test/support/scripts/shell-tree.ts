import { execFileSync } from 'node:child_process';

/** Node of the tree that shfmt prints for a script. Offsets are in bytes. */
export type ShellNode = { Type?: string; Pos?: { Offset: number }; End?: { Offset: number } } & { [key: string]: unknown };

/** Operators of lists. */
export const [AND, OR] = [10, 11];

/** Last tree, which two readers of the same script share: parsing takes 50 ms of processor time. */
let last: { script: string; tree: ShellNode } | undefined;

/**
 * Returns the tree of a bash script. Callers must not change it. Throws if shfmt is not installed or cannot parse the
 * script.
 */
export function shellTree(script: string): ShellNode {
  if (last?.script === script) return last.tree;
  const options = { input: script, maxBuffer: 2 ** 31 - 1, encoding: 'utf8' } as const;
  const tree = JSON.parse(execFileSync('shfmt', ['-ln', 'bash', '-tojson'], options)) as ShellNode;
  last = { script, tree };
  return tree;
}

export const nodesOf = (value: unknown): ShellNode[] => (value ?? []) as ShellNode[];

export const isNode = (value: unknown): value is ShellNode => typeof value === 'object' && value !== null;

/** Returns the first word of a command, if it is literal. */
export function nameOf(command: ShellNode): string | undefined {
  const [first, ...others] = nodesOf(nodesOf(command.Args)[0]?.Parts);
  return first?.Type === 'Lit' && others.length === 0 ? String(first.Value) : undefined;
}

import { execFileSync } from 'node:child_process';

/** A node of the tree that shfmt prints of a script. Offsets are of bytes. */
export type ShellNode = { Type?: string; Pos?: { Offset: number }; End?: { Offset: number } } & { [key: string]: unknown };

/** Operators of lists. */
export const [AND, OR] = [10, 11];

/** The last tree, which two readers of one script share: with its JSON it takes 50 ms of a processor. */
let last: { script: string; tree: ShellNode } | undefined;

/** The tree of a script of bash, which nobody may change. Throws if shfmt is not installed, or cannot read the script. */
export function shellTree(script: string): ShellNode {
  if (last?.script === script) return last.tree;
  const options = { input: script, maxBuffer: 2 ** 31 - 1, encoding: 'utf8' } as const;
  const tree = JSON.parse(execFileSync('shfmt', ['-ln', 'bash', '-tojson'], options)) as ShellNode;
  last = { script, tree };
  return tree;
}

export const nodesOf = (value: unknown): ShellNode[] => (value ?? []) as ShellNode[];

export const isNode = (value: unknown): value is ShellNode => typeof value === 'object' && value !== null;

/** The first word of a command, if it is written out. */
export function nameOf(command: ShellNode): string | undefined {
  const [first, ...others] = nodesOf(nodesOf(command.Args)[0]?.Parts);
  return first?.Type === 'Lit' && others.length === 0 ? String(first.Value) : undefined;
}

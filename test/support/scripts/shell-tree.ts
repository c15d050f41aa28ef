import { execFileSync } from 'node:child_process';

/** A node of the tree that shfmt prints of a script. Offsets are of bytes. */
export type ShellNode = { Type?: string; Pos?: { Offset: number }; End?: { Offset: number } } & { [key: string]: unknown };

/** Operators of lists. */
export const [AND, OR] = [10, 11];

/** The tree of a script of bash. Throws if shfmt is not installed, or cannot read the script. */
export const shellTree = (script: string): ShellNode =>
  JSON.parse(
    execFileSync('shfmt', ['-ln', 'bash', '-tojson'], { input: script, maxBuffer: 2 ** 31 - 1, encoding: 'utf8' }),
  ) as ShellNode;

export const nodesOf = (value: unknown): ShellNode[] => (value ?? []) as ShellNode[];

export const isNode = (value: unknown): value is ShellNode => typeof value === 'object' && value !== null;

/** The first word of a command, if it is written out. */
export function nameOf(command: ShellNode): string | undefined {
  const [first, ...others] = nodesOf(nodesOf(command.Args)[0]?.Parts);
  return first?.Type === 'Lit' && others.length === 0 ? String(first.Value) : undefined;
}

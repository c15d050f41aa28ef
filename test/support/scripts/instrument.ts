import { AND, isNode, nameOf, nodesOf, OR, type ShellNode, shellTree } from './shell-tree.js';
import { unheeded } from './unheeded.js';

/** A piece of a script, in bytes. */
export interface Piece {
  start: number;
  end: number;
  text: string;
}

export interface Instrumented {
  script: string;
  /** Where commands are called. Each call has the sites that lead to it, from the script down, in `AT`. */
  sites: Piece[];
  /** Commands whose status the script looks at; when one of them fails, its number is noted. */
  lookedAt: Piece[];
  /** Functions of one command, which only pass its status on. */
  passing: Piece[];
  /** All names of commands that are written out. */
  names: string[];
}

/** What bash does itself; it is not made to fail. `command`, `exec` and `eval` call others. */
const BUILTINS = new Set(
  '[ : . source test true false alias bg break builtin caller cd continue disown echo enable exit fg getopts hash jobs kill let mapfile popd printf pushd pwd read readarray return set shift shopt times trap type ulimit umask unalias unset wait'.split(
    ' ',
  ),
);

/** Notes that the status of a command was looked at, and keeps it. */
const NOTE = `looked_at() {
  local code=$?
  printf 'looked %s\\n' "$1" >>/exchange/log
  return "$code"
}
`;

/**
 * A script that does the same, and also says where each command is called, and which failures it looks at. Bash decides
 * both, so functions, subshells and substitutions need no rules of their own.
 */
export function instrument(script: string): Instrumented {
  // One character for each byte.
  const bytes = Buffer.from(script).toString('latin1');
  const inserts: { at: number; text: string; order: number }[] = [];
  const [sites, lookedAt, passing]: [Piece[], Piece[], Piece[]] = [[], [], []];
  const names = new Set<string>();
  const lost = new Set(unheeded(script).map(({ offset }) => offset));

  const pieceOf = (start: number, end: number): Piece => ({
    start,
    end,
    text: Buffer.from(bytes.slice(start, end), 'latin1').toString(),
  });
  const note = (statement: ShellNode) => {
    const command = statement.Cmd as ShellNode | undefined;
    const [start, end] = [startOf(command ?? statement), endOf(statement)];
    const number = lookedAt.push(pieceOf(start, end)) - 1;
    inserts.push({ at: start, text: '{ ', order: 0 }, { at: end, text: ` || looked_at ${number}; }`, order: -start });
  };
  const site = (call: ShellNode) => {
    const [first] = nodesOf(call.Args);
    const name = nameOf(call);
    if (!first || (name !== undefined && BUILTINS.has(name))) return;
    if (name !== undefined) names.add(name);
    const number = sites.push(pieceOf(startOf(call), call.End?.Offset ?? 0)) - 1;
    inserts.push({ at: startOf(first), text: `AT="$AT/${number}" `, order: 1 });
  };

  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isNode(value) || Array.isArray(value)) return;
    if (value.Negated === true) note(value);
    if (value.Type === 'CallExpr') site(value);
    if (value.Type === 'FuncDecl' && isOneCommand(value.Body as ShellNode))
      passing.push(pieceOf(startOf(value), value.End?.Offset ?? 0));
    // Of an `if`, an `elif`, and a loop.
    const condition = Array.isArray(value.Cond) ? nodesOf(value.Cond).at(-1) : undefined;
    if (condition && !condition.Negated) note(condition);
    if (value.Type === 'BinaryCmd') {
      const left = value.X as ShellNode;
      const isList = isNode(left.Cmd) && left.Cmd.Type === 'BinaryCmd' && left.Cmd.Op === AND;
      // The check of ignored failures says which of them are lost.
      const isAsked = value.Op === AND && !isList && !lost.has(startOf(left));
      if (!left.Negated && (value.Op === OR || isAsked)) note(left);
    }
    for (const part of Object.values(value)) visit(part);
  };
  visit(shellTree(script).Stmts);

  // Outer ends come behind inner ends, and what opens a group before the name of a command.
  inserts.sort((one, other) => one.at - other.at || one.order - other.order);
  let [text, from] = ['', 0];
  for (const { at, text: inserted } of inserts) {
    text += bytes.slice(from, at) + inserted;
    from = at;
  }
  const whole = Buffer.from(text + bytes.slice(from), 'latin1').toString();
  return { script: `${NOTE}${whole}`, sites, lookedAt, passing, names: [...names] };
}

function isOneCommand(body: ShellNode): boolean {
  const [first, ...others] = nodesOf((body.Cmd as ShellNode | undefined)?.Stmts);
  return isNode(first?.Cmd) && first.Cmd.Type === 'CallExpr' && others.length === 0;
}

const startOf = (node: ShellNode): number => node.Pos?.Offset ?? 0;

/** The end of a statement on its own line, before the here-documents of its redirections. */
function endOf(statement: ShellNode): number {
  const command = statement.Cmd as ShellNode | undefined;
  const inner = command?.Type === 'BinaryCmd' ? endOf(command.Y as ShellNode) : (command?.End?.Offset ?? startOf(statement));
  const redirections = nodesOf(statement.Redirs).map((one) => (one.Word as ShellNode).End?.Offset ?? 0);
  return Math.max(inner, ...redirections);
}

import { AND, isNode, nameOf, nodesOf, OR, type ShellNode, shellTree } from './shell-tree.js';
import { unheeded } from './unheeded.js';

/** Piece of a script, in bytes. */
export interface Piece {
  start: number;
  end: number;
  text: string;
}

export interface Instrumented {
  script: string;
  /** Places where commands are called. For each call, `AT` has the sites that lead to it, from the script down. */
  sites: Piece[];
  /** Commands whose status the script checks. The number of a failed one is recorded. */
  lookedAt: Piece[];
  /** Functions with a single command, which only return its status. */
  passing: Piece[];
  /** All literal names of commands. */
  names: string[];
}

/** Builtins of bash, which are not made to fail. `command`, `exec` and `eval` call other commands. */
const BUILTINS = new Set(
  '[ : . source test true false alias bg break builtin caller cd continue disown echo enable exit fg getopts hash jobs kill let mapfile popd printf pushd pwd read readarray return set shift shopt times trap type ulimit umask unalias unset wait'.split(
    ' ',
  ),
);

/** Records that the status of a command was checked, and preserves it. */
const NOTE = `looked_at() {
  local code=$?
  printf 'looked %s\\n' "$1" >>/exchange/log
  return "$code"
}
`;

/**
 * Returns an equivalent script that also reports where each command is called and which failures it checks. Bash
 * decides both, so functions, subshells and substitutions need no special rules.
 *
 * @param beginning whole lines that the script begins with, such as functions, which are parsed once for all scripts
 */
export function instrument(script: string, beginning = ''): Instrumented {
  // One character per byte.
  const bytes = Buffer.from(script).toString('latin1');
  const inserts: { at: number; text: string; order: number }[] = [];
  const [sites, lookedAt, passing]: [Piece[], Piece[], Piece[]] = [[], [], []];
  const names = new Set<string>();
  const tree = shellTree(script, beginning);
  const lost = new Set(unheeded(script, tree).map(({ offset }) => offset));

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
    // Condition of an `if`, an `elif` or a loop.
    const condition = Array.isArray(value.Cond) ? nodesOf(value.Cond).at(-1) : undefined;
    if (condition && !condition.Negated) note(condition);
    if (value.Type === 'BinaryCmd') {
      const left = value.X as ShellNode;
      const isList = isNode(left.Cmd) && left.Cmd.Type === 'BinaryCmd' && left.Cmd.Op === AND;
      // The check of ignored failures determines which of them are lost.
      const isAsked = value.Op === AND && !isList && !lost.has(startOf(left));
      if (!left.Negated && (value.Op === OR || isAsked)) note(left);
    }
    for (const part of Object.values(value)) visit(part);
  };
  visit(tree.Stmts);

  // Outer ends come after inner ends, and the beginning of a group before the name of a command.
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

/** Returns the end of a statement on its own line, before the here-documents of its redirections. */
function endOf(statement: ShellNode): number {
  const command = statement.Cmd as ShellNode | undefined;
  const inner = command?.Type === 'BinaryCmd' ? endOf(command.Y as ShellNode) : (command?.End?.Offset ?? startOf(statement));
  const redirections = nodesOf(statement.Redirs).map((one) => (one.Word as ShellNode).End?.Offset ?? 0);
  return Math.max(inner, ...redirections);
}

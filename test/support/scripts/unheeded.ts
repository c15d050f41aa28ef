import { AND, type ShellNode as Node, OR, shellTree } from './shell-tree.js';

/** Command with its beginning, in bytes. */
interface Unheeded {
  offset: number;
  command: string;
}

/** Commands that test a condition: their failure is an answer. */
const QUESTIONS = /^(\[|test|grep|cmp|command|getent|id|read|kill|pgrep|true|:|systemctl (-q )?is-\S+)$/;

/** Commands that leave the block: the following code handles the other case. */
const LEAVES = /^(return|exit|continue|break)$/;

/**
 * Returns commands of a script whose failure is ignored under `set -e`: those on the left of an `&&` whose status is
 * lost, because another command follows. Bash ends a script only for the last command of such a list. It does not end
 * the script for a group, an `if` or a loop that ended with the list.
 *
 * @param text scripts; the results have offsets in it
 * @param tree of them, if it is parsed already
 */
export function unheeded(text: string, tree = shellTree(text)): Unheeded[] {
  // Offsets are in bytes.
  const bytes = Buffer.from(text);
  const textOf = ({ Pos, End }: Node) => bytes.subarray(Pos?.Offset, End?.Offset).toString();
  const nodes = (value: unknown) => (value ?? []) as Node[];
  const commandOf = (statement: Node) => statement.Cmd as Node | undefined;

  const isQuestion = (statement: Node): boolean => {
    const command = commandOf(statement);
    if (statement.Negated || command?.Type === 'TestClause' || command?.Type === 'ArithmCmd') return true;
    if (command?.Type === 'BinaryCmd') return isQuestion(command.X as Node) && isQuestion(command.Y as Node);
    if (command?.Type === 'Block') return nodes(command.Stmts).every(isQuestion);
    const words = nodes(command?.Args).map(textOf);
    return (
      QUESTIONS.test(words[0] ?? '') || QUESTIONS.test(words.slice(0, 2).join(' ')) || QUESTIONS.test(words.slice(0, 3).join(' '))
    );
  };
  const leaves = (statement: Node): boolean => LEAVES.test(textOf(nodes(commandOf(statement)?.Args)[0] ?? {}));

  const all = (statements: unknown, isFollowed: boolean): Unheeded[] =>
    nodes(statements).flatMap((one, index, { length }) => visit(one, isFollowed || index < length - 1));

  function visit(statement: Node, isFollowed: boolean): Unheeded[] {
    const command = commandOf(statement);
    if (!command || statement.Negated) return [];
    if (command.Type === 'BinaryCmd') return binary(command, isFollowed);
    if (command.Type === 'Block') return all(command.Stmts, isFollowed);
    if (command.Type === 'IfClause') return branches(command, isFollowed);
    if (command.Type === 'CaseClause') return nodes(command.Items).flatMap((item) => all(item.Stmts, isFollowed));
    if (command.Type === 'ForClause' || command.Type === 'WhileClause') return all(command.Do, true);
    if (command.Type === 'Subshell') return all(command.Stmts, false);
    // The status of a function is the status of its call.
    if (command.Type === 'FuncDecl') return visit(command.Body as Node, false);
    return substitutions(command);
  }

  function binary({ Op, X, Y }: Node, isFollowed: boolean): Unheeded[] {
    const isList = Op === AND || Op === OR;
    if (!isList) return [X, Y].flatMap((part) => visit(part as Node, false));
    const isLost = Op === AND && isFollowed && !leaves(Y as Node);
    const lost = isLost ? lefts(X as Node).filter((left) => !isQuestion(left)) : [];
    return [...lost.map((left) => ({ offset: left.Pos?.Offset ?? 0, command: textOf(left) })), ...visit(Y as Node, isFollowed)];
  }

  const branches = (clause: Node, isFollowed: boolean): Unheeded[] => [
    ...all(clause.Then, isFollowed),
    ...(clause.Else ? branches(clause.Else as Node, isFollowed) : []),
  ];

  function substitutions(node: unknown): Unheeded[] {
    if (typeof node !== 'object' || node === null) return [];
    if ((node as Node).Type === 'CmdSubst') return all((node as Node).Stmts, false);
    return Object.values(node).flatMap(substitutions);
  }

  return all(tree.Stmts, false);
}

/** Returns the left operands in a chain of `&&`. */
function lefts(statement: Node): Node[] {
  const command = statement.Cmd as Node | undefined;
  if (command?.Type !== 'BinaryCmd' || command.Op !== AND) return [statement];
  return [...lefts(command.X as Node), ...lefts(command.Y as Node)];
}

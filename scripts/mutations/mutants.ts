import ts from 'typescript';

/** A change of one place of a module that the tests should notice. */
export interface Mutant {
  path: string;
  /** Begins at 1. */
  line: number;
  kind: 'operator' | 'condition' | 'call' | 'value';
  /** The characters that are replaced. */
  start: number;
  end: number;
  text: string;
}

/** Each operator becomes one that differs at a border or always. */
const OPERATORS = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.QuestionQuestionToken, '&&'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
]);

/** All mutants of a module, in the order of its text: other operators, turned conditions, removed calls, turned values. */
export function mutantsIn(path: string, text: string): Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (kind: Mutant['kind'], node: ts.Node, replacement: string) => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({ path, line, kind, start, end: node.getEnd(), text: replacement });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node)) {
      const other = OPERATORS.get(node.operatorToken.kind);
      if (other) add('operator', node.operatorToken, other);
    }
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) turn(node.expression);
    if (ts.isConditionalExpression(node)) turn(node.condition);
    if (ts.isExpressionStatement(node) && isCall(node.expression)) add('call', node, ';');
    if (node.kind === ts.SyntaxKind.TrueKeyword && !isType(node)) add('value', node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword && !isType(node)) add('value', node, 'true');
    ts.forEachChild(node, visit);
  };
  const turn = (condition: ts.Expression) => add('condition', condition, `!(${condition.getText(source)})`);
  visit(source);
  return mutants.sort((one, other) => one.start - other.start);
}

const isType = (node: ts.Node) => ts.isLiteralTypeNode(node.parent);

/** `super(…)` has to stay: a class without it does not load. */
function isCall(expression: ts.Expression): boolean {
  const inner = ts.isAwaitExpression(expression) ? expression.expression : expression;
  return ts.isCallExpression(inner) && inner.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

/** The text of the module with the change. */
export const withMutant = (text: string, { start, end, text: replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** How the change reads: the place, and what becomes what. */
export function describeMutant(text: string, { path, line, kind, start, end, text: replacement }: Mutant): string {
  const short = (part: string) => part.replace(/\s+/g, ' ').slice(0, 60);
  return `${path}:${line}: ${kind}: ${short(text.slice(start, end))} → ${replacement === ';' ? 'nothing' : short(replacement)}`;
}

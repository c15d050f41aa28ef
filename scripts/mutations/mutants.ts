import ts from 'typescript';

/** Change in one place of a module that the tests should notice. */
export interface Mutant {
  path: string;
  /** Line number from 1. */
  line: number;
  kind: 'operator' | 'condition' | 'call' | 'value';
  /** Range of characters to replace. */
  start: number;
  end: number;
  text: string;
  /** Character range of the expression or statement that is evaluated with the change. */
  whole: [start: number, end: number];
}

/** Replacement of each operator, which differs at a boundary or always. */
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

/**
 * Returns all mutants of a module, in text order: other operators, negated conditions, removed calls, changed values.
 */
export function mutantsIn(path: string, text: string): Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (kind: Mutant['kind'], node: ts.Node, replacement: string, whole = node) => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const evaluated: Mutant['whole'] = [whole.getStart(source), whole.getEnd()];
    mutants.push({ path, line, kind, start, end: node.getEnd(), text: replacement, whole: evaluated });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node)) {
      const other = OPERATORS.get(node.operatorToken.kind);
      if (other) add('operator', node.operatorToken, other, node);
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

/** `super(…)` must stay: a class without it does not load. */
function isCall(expression: ts.Expression): boolean {
  const inner = ts.isAwaitExpression(expression) ? expression.expression : expression;
  return ts.isCallExpression(inner) && inner.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

/** Returns the text of the module with the change. */
export const withMutant = (text: string, { start, end, text: replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);

/**
 * Returns the text of a module that reports which of its places it reaches.
 *
 * @param places mutants of this module, by the reported number
 */
export function withReports(text: string, places: ReadonlyMap<number, Mutant>): string {
  const inserted = [...places].flatMap(
    ([
      place,
      {
        kind,
        whole: [start, end],
      },
    ]) => {
      // The sandbox of a workspace's module has no such function.
      const report = `globalThis.__reached?.(${place})`;
      const [before, after] = kind === 'call' ? [`{ ${report}; `, ' }'] : [`(${report}, `, ')'];
      return [
        { at: start, isEnd: false, other: end, part: before },
        { at: end, isEnd: true, other: start, part: after },
      ];
    },
  );
  // Places may be nested: the outer one opens first and closes last.
  inserted.sort((a, b) => a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || b.other - a.other);
  let result = '';
  let from = 0;
  for (const { at, part } of inserted) {
    result += text.slice(from, at) + part;
    from = at;
  }
  return result + text.slice(from);
}

/** Describes the change: the place, the old text and the new text. */
export function describeMutant(text: string, { path, line, kind, start, end, text: replacement }: Mutant): string {
  const short = (part: string) => part.replace(/\s+/g, ' ').slice(0, 60);
  return `${path}:${line}: ${kind}: ${short(text.slice(start, end))} → ${replacement === ';' ? 'nothing' : short(replacement)}`;
}

import ts from 'typescript';

/** What a function says of its module: to the preloaded recorder, or, in a workflow's sandbox, to the console. */
const said = (path: string): string =>
  `(globalThis.__ran ? globalThis.__ran(${JSON.stringify(path)}) : console.log(${JSON.stringify(`__ran ${path}`)}))`;

/**
 * The source text of a module in which each function says, as the first thing that it does, that its module runs.
 * What a module does when it is loaded says nothing: loading is not running.
 *
 * @param say the expression that says it, of the module's path
 */
export function instrumented(path: string, text: string, say = said): string {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const edits: { at: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const body = node.body as ts.Node;
      if (ts.isBlock(body)) edits.push({ at: afterDirectives(body), text: `${say(path)};` });
      else edits.push({ at: body.getStart(), text: `(${say(path)}, ` }, { at: body.getEnd(), text: ')' });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  let result = text;
  // From the end on, so that what comes before keeps its place; of two at one place the inner one comes last.
  for (const { at, text } of edits.sort((a, b) => b.at - a.at)) result = result.slice(0, at) + text + result.slice(at);
  return result;
}

/** Behind `super(…)`, before which a constructor may do nothing. */
function afterDirectives(body: ts.Block): number {
  const first = body.statements[0];
  const isSuper =
    first !== undefined &&
    ts.isExpressionStatement(first) &&
    ts.isCallExpression(first.expression) &&
    first.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isSuper ? first.getEnd() : body.getStart() + 1;
}

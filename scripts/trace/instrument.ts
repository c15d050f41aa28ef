import ts from 'typescript';

/** Returns the call that reports a module: to the preloaded recorder or, in a workflow's sandbox, to the console. */
const said = (path: string): string =>
  `(globalThis.__ran ? globalThis.__ran(${JSON.stringify(path)}) : console.log(${JSON.stringify(`__ran ${path}`)}))`;

/**
 * Returns the source of a module in which each function first reports that its module runs. Code that runs when the
 * module is loaded does not report: loading is not running.
 *
 * @param say returns the reporting expression for the module's path
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
  // Apply from the end, so that earlier positions stay valid. At the same position, the inner edit comes last.
  for (const { at, text } of edits.sort((a, b) => b.at - a.at)) result = result.slice(0, at) + text + result.slice(at);
  return result;
}

/** Returns the position after `super(…)`, before which a constructor must do nothing. */
function afterDirectives(body: ts.Block): number {
  const first = body.statements[0];
  const isSuper =
    first !== undefined &&
    ts.isExpressionStatement(first) &&
    ts.isCallExpression(first.expression) &&
    first.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isSuper ? first.getEnd() : body.getStart() + 1;
}

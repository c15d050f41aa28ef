import ts from 'typescript';
import { instrumented } from '../trace/instrument.js';

/** Reports once per process that the module ran, and each time that a function of it ran while modules were loaded. */
function said(path: string): string {
  const say = (what: string) => {
    const [kind, text, line] = [what, path, `__${what} ${path}`].map((one) => JSON.stringify(one));
    // A workflow's sandbox has only a console, and the sandbox of a workspace's module not even that. A Node process
    // without the recorder has a separate environment and reports nothing.
    return `(globalThis.__note ? globalThis.__note(${kind}, ${text}) : globalThis.process ? 0 : globalThis.console?.log(${line}))`;
  };
  return `(__said ||= globalThis.__loading ? (${say('load')}, false) : (${say('ran')}, true))`;
}

/** Returns whether a statement begins work when a module is loaded. The work counts as running. */
const begins = (statement: ts.Statement): boolean =>
  ts.isExpressionStatement(statement) ||
  ts.isIfStatement(statement) ||
  ts.isTryStatement(statement) ||
  /\bawait\b/.test(ts.isFunctionDeclaration(statement) ? '' : topLevel(statement));

/** Returns the text of a statement without the bodies of its functions. */
function topLevel(node: ts.Node): string {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return '';
  const children: string[] = [];
  ts.forEachChild(node, (child) => void children.push(topLevel(child)));
  return ts.isAwaitExpression(node) ? 'await' : children.join(' ');
}

/**
 * Returns the source of a module that reports when one of its functions runs. Calls while modules are loaded are
 * reported separately: a table of services calls functions from all of them without using them.
 */
export function speaking(path: string, text: string): string {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const result = instrumented(path, text, said);
  // `var`: in circular imports, a function may run before its module.
  const flag = 'var __said: boolean | undefined;';
  if (source.statements.some(begins)) return `${result}\n${flag}\n`;
  return `globalThis.__loading = (globalThis.__loading ?? 0) + 1;${result}\n${flag}\nglobalThis.__loading--;\n`;
}

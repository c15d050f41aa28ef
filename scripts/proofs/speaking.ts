import ts from 'typescript';
import { instrumented } from '../trace/instrument.js';

/** Says once in a process that the module ran, and each time that a function of it ran while modules were loaded. */
function said(path: string): string {
  const say = (what: string) => {
    const [kind, text, line] = [what, path, `__${what} ${path}`].map((one) => JSON.stringify(one));
    // The sandbox of a workflow has only a console, that of a workspace's module not even that. A process of Node without
    // the recorder was started with an environment of its own: it says nothing.
    return `(globalThis.__note ? globalThis.__note(${kind}, ${text}) : globalThis.process ? 0 : globalThis.console?.log(${line}))`;
  };
  return `(__said ||= globalThis.__loading ? (${say('load')}, false) : (${say('ran')}, true))`;
}

/** Statements that begin work when a module is loaded: what follows from them is running. */
const begins = (statement: ts.Statement): boolean =>
  ts.isExpressionStatement(statement) ||
  ts.isIfStatement(statement) ||
  ts.isTryStatement(statement) ||
  /\bawait\b/.test(ts.isFunctionDeclaration(statement) ? '' : topLevel(statement));

/** The text of a statement without the bodies of its functions. */
function topLevel(node: ts.Node): string {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return '';
  const children: string[] = [];
  ts.forEachChild(node, (child) => void children.push(topLevel(child)));
  return ts.isAwaitExpression(node) ? 'await' : children.join(' ');
}

/**
 * The source of a module that says when a function of it runs, and apart from that when one runs while modules are
 * loaded: a table of services calls functions of all of them, and uses none.
 */
export function speaking(path: string, text: string): string {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const result = instrumented(path, text, said);
  // `var`: where modules import each other, a function may run before its module did.
  const flag = 'var __said: boolean | undefined;';
  if (source.statements.some(begins)) return `${result}\n${flag}\n`;
  return `globalThis.__loading = (globalThis.__loading ?? 0) + 1;${result}\n${flag}\nglobalThis.__loading--;\n`;
}

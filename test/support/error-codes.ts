import ts from 'typescript';
import { TRANSIENT } from '../../core/errors.js';
import { valuesIn } from './code-values.js';
import type { SourceModule, SourceModules } from './source-modules.js';

/** Helpers whose first argument is an error code. */
const HELPERS = new Set(['transient', 'refusal', 'refuse', 'failed']);
/** Names of values, not of errors. */
const NONE = new Set(['custom', 'none']);
const FORM = /^[a-z][a-z0-9-]+$/;
/** Functions that create an error from their arguments. */
const MAKERS = new Set(['inputError', 'unreachableError', 'absentError', 'bugError']);
/** Error functions by blame. */
const MAKER_OF: Readonly<Record<string, string>> = { user: 'inputError', [TRANSIENT]: 'unreachableError', bug: 'bugError' };

interface ThrownCode {
  path: string;
  made: string;
  code: string;
}

/** Returns the literal error codes in the sources, each with its place, and the codes that are thrown. */
export function writtenCodes(modules: SourceModules): { path: string; code: string }[] {
  const { textsOf } = valuesIn(modules);
  const written = modules.with(/\bcode: |\b(?:transient|refusal|refuse|failed)\(/).flatMap(({ path, file }) => {
    const codes: string[] = [];
    visit(file, (node) => {
      if (ts.isPropertyAssignment(node) && node.name.getText() === 'code') codes.push(...textsOf(node.initializer));
      if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && HELPERS.has(node.expression.text))
        codes.push(...node.arguments.flatMap((one) => (ts.isStringLiteral(one) && one.text.includes('-') ? [one.text] : [])));
    });
    return codes.map((code) => ({ path, code }));
  });
  const thrown = thrownCodes(modules).codes.map(({ path, code }) => ({ path, code }));
  return [...written, ...thrown].filter(({ code }) => FORM.test(code) && !NONE.has(code));
}

/**
 * Returns the error codes that the sources pass to `inputError` and its like, with the function: literal codes,
 * conditions, spreads and names. Codes in tables and helpers that determine their blame are included.
 *
 * @returns also the places whose codes cannot be determined
 */
export function thrownCodes(modules: SourceModules): { codes: ThrownCode[]; unseen: string[] } {
  const values = valuesIn(modules);
  const found = modules
    .with(/\b(?:inputError|unreachableError|absentError|bugError)\b|\bblame\b/)
    .filter(({ path }) => path !== 'core/errors.ts')
    .map((module) => codesOf(module, values));
  return { codes: found.flatMap(({ codes }) => codes), unseen: found.flatMap(({ unseen }) => unseen) };
}

/** Returns the exit codes that are written next to an error code. */
export function writtenExits(modules: SourceModules): { path: string; code: string; exitCode: number }[] {
  const { propertyOf } = valuesIn(modules);
  return modules.with(/\bexitCode: /).flatMap(({ path, file }) => {
    const found: { path: string; code: string; exitCode: number }[] = [];
    visit(file, (node) => {
      if (!ts.isObjectLiteralExpression(node)) return;
      const exit = propertyIn(node, 'exitCode');
      if (!exit || !ts.isPropertyAssignment(exit) || !ts.isNumericLiteral(exit.initializer)) return;
      const exitCode = Number(exit.initializer.text);
      found.push(...propertyOf(node, 'code').map((code) => ({ path, code, exitCode })));
    });
    return found;
  });
}

function codesOf({ path, file }: SourceModule, { textsOf, propertyOf }: ReturnType<typeof valuesIn>) {
  const codes: ThrownCode[] = [];
  const unseen: string[] = [];
  const add = (made: string, found: readonly string[]) => codes.push(...[...new Set(found)].map((code) => ({ path, made, code })));
  visit(file, (node) => {
    if (ts.isCallExpression(node)) {
      const [given] = node.arguments;
      const isAbsent = given && ts.isObjectLiteralExpression(given) && propertyIn(given, 'absent') !== undefined;
      const makers = makersOf(node.expression).map((made) => (isAbsent ? 'absentError' : made));
      const found = makers.length > 0 ? propertyOf(given, 'code') : [];
      // If one condition selects between two functions and two codes, they correspond in order.
      const inPairs = makers.length > 1 && found.length === makers.length;
      for (const [index, made] of makers.entries()) add(made, inPairs ? found.slice(index, index + 1) : found);
      if (makers.length > 0 && found.length === 0) unseen.push(`${path}: ${makers.join(' or ')} ${shown(given)}`);
    }
    if (!ts.isObjectLiteralExpression(node)) return;
    const blame = propertyIn(node, 'blame');
    if (!blame || !ts.isPropertyAssignment(blame)) return;
    const made = textsOf(blame.initializer).flatMap((one) => MAKER_OF[one] ?? []);
    if (made.length === 1) add(propertyIn(node, 'absent') ? 'absentError' : `${made[0]}`, propertyOf(node, 'code'));
  });
  return { codes, unseen };
}

const propertyIn = (node: ts.ObjectLiteralExpression, name: string) => node.properties.find((one) => one.name?.getText() === name);

/** Returns the error functions that a call may refer to. */
function makersOf(called: ts.Expression): string[] {
  if (ts.isIdentifier(called)) return MAKERS.has(called.text) ? [called.text] : [];
  if (ts.isParenthesizedExpression(called)) return makersOf(called.expression);
  return ts.isConditionalExpression(called) ? [called.whenTrue, called.whenFalse].flatMap(makersOf) : [];
}

const shown = (node: ts.Node | undefined): string => (node?.getText() ?? '').replace(/\s+/g, ' ').slice(0, 60);

function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../..');

/** Source of the project with its names. */
export interface SourceModule {
  path: string;
  text: string;
  file: ts.SourceFile;
  /** Declarations by name: variables, parameters, functions, classes, types and imports. */
  declared: ReadonlyMap<string, readonly ts.Node[]>;
  /** Calls and `new` expressions by the name of the function. */
  calls: ReadonlyMap<string, readonly (ts.CallExpression | ts.NewExpression)[]>;
}

/** Sources of the project by path, without tests and benches. Each is parsed on demand. */
export interface SourceModules {
  /** Returns the sources whose text matches. */
  with(text: RegExp): SourceModule[];
  /** Returns the declaration of a name at the place of its use. Imports and re-exports are followed to their module. */
  declarationOf(name: string, use: ts.Node): ts.Node | undefined;
  /** Returns the calls of a named function, in its module and in those that import it. */
  callsOf(name: string, declaration: ts.Node): (ts.CallExpression | ts.NewExpression)[];
}

export async function sourceModules(): Promise<SourceModules> {
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: root });
  const paths = stdout.split('\n').filter((path) => !/\.test\.ts$|^(?:test|bench)\//.test(path));
  return modulesOf(new Map(paths.map((path) => [path, textOf(path)])));
}

/**
 * Returns the modules of these texts.
 *
 * @param texts by path
 */
export function modulesOf(texts: ReadonlyMap<string, string>): SourceModules {
  const parsed = new Map<string, SourceModule>();
  const moduleAt = (path: string): SourceModule | undefined => {
    const text = texts.get(path);
    if (text === undefined) return undefined;
    const known = parsed.get(path) ?? parse(path, text);
    parsed.set(path, known);
    return known;
  };
  const moduleOf = (node: ts.Node) => moduleAt(node.getSourceFile().fileName);
  const withText = (text: RegExp) => [...texts].flatMap(([path, one]) => (text.test(one) ? (moduleAt(path) ?? []) : []));

  function declarationOf(name: string, use: ts.Node): ts.Node | undefined {
    const found = innermost(moduleOf(use)?.declared.get(name) ?? [], use);
    if (!found || !(ts.isImportSpecifier(found) || ts.isExportSpecifier(found))) return found;
    const from = moduleAt(importedFrom(found));
    return from && declarationOf((found.propertyName ?? found.name).text, from.file.endOfFileToken);
  }

  const called = new Map<ts.Node, (ts.CallExpression | ts.NewExpression)[]>();
  function callsOf(name: string, declaration: ts.Node) {
    const known = called.get(declaration);
    if (known) return known;
    const home = declaration.getSourceFile().fileName;
    const modules = isExported(declaration) ? withText(new RegExp(`\\b${name}\\(`)) : [moduleAt(home)];
    return modules.flatMap((module) => (module?.calls.get(name) ?? []).filter((call) => declarationOf(name, call) === declaration));
  }

  return { with: withText, declarationOf, callsOf };
}

const textOf = (path: string): string => {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    // The file is listed and has just been deleted.
    return '';
  }
};

function parse(path: string, text: string): SourceModule {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const declared = new Map<string, ts.Node[]>();
  const calls = new Map<string, (ts.CallExpression | ts.NewExpression)[]>();
  const add = <T>(to: Map<string, T[]>, name: string, one: T) => void to.set(name, [...(to.get(name) ?? []), one]);
  const visit = (node: ts.Node): void => {
    const { name } = node as { name?: ts.Node };
    if (declares(node) && name && ts.isIdentifier(name)) add(declared, name.text, node);
    if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && ts.isIdentifier(node.expression))
      add(calls, node.expression.text, node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { path, text, file, declared, calls };
}

const declares = (node: ts.Node): boolean =>
  ts.isVariableDeclaration(node) ||
  ts.isParameter(node) ||
  ts.isBindingElement(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportSpecifier(node) ||
  (ts.isExportSpecifier(node) && node.parent.parent.moduleSpecifier !== undefined);

function isExported(declaration: ts.Node): boolean {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return ts.canHaveModifiers(statement) && !!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

/** Returns the scope of a declaration. */
function scopeOf(declaration: ts.Node): ts.Node {
  let at = declaration.parent;
  while (at && !ts.isBlock(at) && !ts.isFunctionLike(at) && !ts.isSourceFile(at) && !ts.isForOfStatement(at)) at = at.parent;
  return at;
}

/** Returns the declaration of a name that a place refers to. */
function innermost(declarations: readonly ts.Node[], use: ts.Node): ts.Node | undefined {
  const known = declarations.filter((one) => {
    const scope = scopeOf(one);
    return scope.pos <= use.pos && use.end <= scope.end;
  });
  return known.sort((a, b) => scopeOf(b).pos - scopeOf(a).pos)[0];
}

function importedFrom(specifier: ts.ImportSpecifier | ts.ExportSpecifier): string {
  const statement = ts.isImportSpecifier(specifier) ? specifier.parent.parent.parent : specifier.parent.parent;
  const path = statement.moduleSpecifier && ts.isStringLiteral(statement.moduleSpecifier) ? statement.moduleSpecifier.text : '';
  return path.startsWith('.') ? join(dirname(specifier.getSourceFile().fileName), path).replace(/\.js$/, '.ts') : path;
}

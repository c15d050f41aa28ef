/** Names and calls in the declarations of our sources, read from their text, for pages and counts about commands. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { METHOD_NAMES } from '../../app/method-names.generated.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Top-level declaration of a file, with its names and calls. */
export interface Declared {
  /** Names in the same file, and in others as `path#name`. */
  names: Set<string>;
  methods: Set<string>;
  /** Whether it writes an answer itself. */
  writes: boolean;
}

/** Lists the commands of cli/commands.ts, each with its file. */
export function commandModules(): { name: string; path: string }[] {
  const text = readFileSync(join(root, 'cli/commands.ts'), 'utf8');
  const entries = text.matchAll(/entry\(\s*'([^']+)',[\s\S]*?import\('\.\/(commands\/[^']+)\.js'\)/g);
  return [...entries].map(([, name = '', path = '']) => ({ name, path: `cli/${path}.ts` }));
}

export type Read = (file: string) => ReadonlyMap<string, Declared>;

/** Returns a reader of declarations, which reads each file once. */
export function declarationReader(): Read {
  const files = new Map<string, Map<string, Declared>>();
  return (file) => declarationsIn(file, files);
}

function declarationsIn(file: string, files: Map<string, Map<string, Declared>>): Map<string, Declared> {
  const known = files.get(file);
  if (known) return known;
  const path = join(root, file);
  const source = ts.createSourceFile(path, existsSync(path) ? readFileSync(path, 'utf8') : '', ts.ScriptTarget.Latest, true);
  const imported = importsOf(source, file);
  const found = new Map<string, Declared>();
  files.set(file, found);
  const own = new Set<string>();
  const tops = source.statements.flatMap((statement): [string, ts.Node][] => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map((one) => [one.name.getText(source), one]);
    const isNamed = (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name;
    return isNamed ? [[isNamed.text, statement]] : [];
  });
  for (const [name] of tops) own.add(name);
  for (const [name, node] of tops) found.set(name, declared(node, { file, source, imported, own }));
  return found;
}

interface Around {
  file: string;
  source: ts.SourceFile;
  imported: ReadonlyMap<string, string>;
  own: ReadonlySet<string>;
}

function declared(node: ts.Node, { file, source, imported, own }: Around): Declared {
  const result: Declared = { names: new Set(), methods: new Set(), writes: false };
  const local = new Map(imported);
  const groups = groupsOfClient(node);
  const visit = (one: ts.Node): void => {
    if (ts.isVariableDeclaration(one)) for (const [name, target] of dynamicImports(one, file)) local.set(name, target);
    if (ts.isCallExpression(one) && one.expression.kind === ts.SyntaxKind.ImportKeyword)
      for (const target of importedBy(one, file)) result.names.add(target);
    if (ts.isPropertyAccessExpression(one)) {
      const method = methodOf(one, groups);
      if (method !== undefined) result.methods.add(method);
    }
    if (ts.isCallExpression(one) && /\.(write|data)$|^writeDocument$/.test(one.expression.getText(source))) result.writes = true;
    if (ts.isIdentifier(one)) {
      const target = local.get(one.text) ?? (own.has(one.text) ? `${file}#${one.text}` : undefined);
      if (target !== undefined) result.names.add(target);
    }
    ts.forEachChild(one, visit);
  };
  visit(node);
  return result;
}

/** Returns a file's imports from this repository, by local name. Types are skipped: they call and render nothing. */
function importsOf(source: ts.SourceFile, file: string): Map<string, string> {
  const imported = new Map<string, string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || statement.importClause?.isTypeOnly) continue;
    const from = pathOf(statement.moduleSpecifier, file);
    const named = statement.importClause?.namedBindings;
    if (from === undefined || !named || !ts.isNamedImports(named)) continue;
    for (const one of named.elements)
      if (!one.isTypeOnly) imported.set(one.name.text, `${from}#${(one.propertyName ?? one.name).text}`);
  }
  return imported;
}

/** Returns the names in `const { a } = await import('./b.js')`. */
function dynamicImports({ name, initializer }: ts.VariableDeclaration, file: string): [string, string][] {
  if (!initializer || !ts.isObjectBindingPattern(name) || !ts.isAwaitExpression(initializer)) return [];
  const call = initializer.expression;
  if (!ts.isCallExpression(call) || call.expression.kind !== ts.SyntaxKind.ImportKeyword) return [];
  const [specifier] = call.arguments;
  const from = specifier && pathOf(specifier, file);
  if (from === undefined) return [];
  return name.elements.map((one) => [one.name.getText(), `${from}#${(one.propertyName ?? one.name).getText()}`]);
}

function pathOf(specifier: ts.Node, file: string): string | undefined {
  if (!ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return undefined;
  return relative(root, resolve(root, dirname(file), specifier.text)).replace(/\.js$/, '.ts');
}

/**
 * Recognizes `client.infras.list`, `(await session.client()).infras.list`, or `infras.list` after `const { infras } =
 * await session.client()`.
 */
function methodOf({ expression, name }: ts.PropertyAccessExpression, groups: ReadonlySet<string>): string | undefined {
  const group = groupOf(expression, groups);
  const method = `${group}.${name.text}`;
  return group !== undefined && Object.hasOwn(METHOD_NAMES, method) ? method : undefined;
}

function groupOf(node: ts.Expression, groups: ReadonlySet<string>): string | undefined {
  if (ts.isIdentifier(node)) return groups.has(node.text) ? node.text : undefined;
  return ts.isPropertyAccessExpression(node) && isClient(node.expression) ? node.name.text : undefined;
}

/** Returns the names that a declaration destructures from a client. A store may have a group with the same name. */
function groupsOfClient(node: ts.Node): Set<string> {
  const groups = new Set<string>();
  const visit = (one: ts.Node): void => {
    const isTaken =
      (ts.isVariableDeclaration(one) && one.initializer !== undefined && isClient(one.initializer)) ||
      (ts.isParameter(one) && one.type?.getText() === 'Client');
    if (isTaken && ts.isObjectBindingPattern(one.name)) for (const { name } of one.name.elements) groups.add(name.getText());
    // `askSecrets(session, (secrets) => secrets.get(…))`: the group is passed to a function.
    if (ts.isParameter(one) && (isPassedGroup(one) || one.type?.getText() === 'SecretMethods')) groups.add(one.name.getText());
    ts.forEachChild(one, visit);
  };
  visit(node);
  return groups;
}

const isPassedGroup = ({ parent }: ts.ParameterDeclaration): boolean =>
  ts.isArrowFunction(parent) &&
  ts.isCallExpression(parent.parent) &&
  /^(askSecrets|askPlatform|watchBackup)$/.test(parent.parent.expression.getText());

const isClient = (node: ts.Expression): boolean =>
  /^(\w+\.)?client$|^\(?await[\w.()]*\.(client|engine)\(\)\)?$/.test(node.getText().replaceAll(/[\s?!]/g, ''));

/**
 * Returns the names that `import('./b.js')` provides: the property that is read directly, or all exports of the file.
 */
function importedBy(call: ts.CallExpression, file: string): string[] {
  const [specifier] = call.arguments;
  const from = specifier && pathOf(specifier, file);
  if (from === undefined) return [];
  let around: ts.Node = call.parent;
  while (ts.isAwaitExpression(around) || ts.isParenthesizedExpression(around)) around = around.parent;
  if (ts.isPropertyAccessExpression(around)) return [`${from}#${around.name.text}`];
  // Destructured names are bound individually.
  if (ts.isVariableDeclaration(around) && ts.isObjectBindingPattern(around.name)) return [];
  return exportsOf(from).map((name) => `${from}#${name}`);
}

function exportsOf(file: string): string[] {
  const path = join(root, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].map(([, name = '']) => name);
}

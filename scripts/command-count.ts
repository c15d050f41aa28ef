/**
 * `npm run command-count`: how many commands there are that do something of their own. A command is what it asks and
 * how it shows the answer: the methods of the platform that it calls (without one, the functions of other rooms) and
 * its renderers. Two with the same are one; an alias is none.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { METHOD_NAMES } from '../app/method-names.generated.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** A declaration at the top of a file: what it names, and what it calls. */
interface Declared {
  /** Of the same file, and of others as `path#name`. */
  names: Set<string>;
  methods: Set<string>;
  /** It writes an answer itself. */
  writes: boolean;
}

export interface CommandCount {
  /** Names in the list of commands. */
  names: number;
  aliases: number;
  pairs: number;
  /** Commands by their pair. */
  byPair: ReadonlyMap<string, readonly string[]>;
}

/** Counts the commands of this repository, from their sources. */
export function commandCount(): CommandCount {
  const files = new Map<string, Map<string, Declared>>();
  const modules = commandModules();
  const byPair = new Map<string, string[]>();
  const seen = new Set<string>();
  let aliases = 0;
  for (const { name, path } of modules) {
    // The first name of a module is its own; the others are aliases.
    if (seen.has(path)) {
      aliases++;
      continue;
    }
    seen.add(path);
    const pair = pairOf(path, (file) => declarationsIn(file, files));
    byPair.set(pair, [...(byPair.get(pair) ?? []), name]);
  }
  return { names: modules.length, aliases, pairs: byPair.size, byPair };
}

/** The commands as cli/commands.ts lists them, each with the file that it is in. */
function commandModules(): { name: string; path: string }[] {
  const text = readFileSync(join(root, 'cli/commands.ts'), 'utf8');
  const entries = text.matchAll(/entry\(\s*'([^']+)',[\s\S]*?import\('\.\/(commands\/[^']+)\.js'\)/g);
  return [...entries].map(([, name = '', path = '']) => ({ name, path: `cli/${path}.ts` }));
}

type Read = (file: string) => ReadonlyMap<string, Declared>;

function pairOf(command: string, read: Read): string {
  const methods = new Set<string>();
  const others = new Set<string>();
  const renderers = new Set<string>();
  const open = [`${command}#command`];
  const known = new Set(open);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [file = '', name = ''] = at.split('#');
    const declared = read(file).get(name);
    if (!declared) continue;
    for (const method of declared.methods) methods.add(method);
    if (declared.writes && file === command) renderers.add(file);
    for (const target of declared.names) {
      const [where = ''] = target.split('#');
      if (where.startsWith('cli/render/')) renderers.add(target);
      // What renders asks nothing.
      if (!where.startsWith('cli/')) others.add(target);
      else if (!where.startsWith('cli/render/') && !known.has(target)) open.push(target);
      known.add(target);
    }
  }
  renderers.delete('cli/render/document.ts#writeDocument');
  const asked = methods.size > 0 ? methods : others;
  return `${[...asked].sort().join(' ')} | ${[...renderers].sort().join(' ')}`;
}

/** The declarations of a file, read once. */
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
  const visit = (one: ts.Node): void => {
    if (ts.isVariableDeclaration(one)) for (const [name, target] of dynamicImports(one, file)) local.set(name, target);
    if (ts.isPropertyAccessExpression(one)) {
      const method = /(\w+)\.(\w+)$/.exec(one.getText(source).replaceAll(/[\s?]/g, ''))?.[0];
      if (method !== undefined && Object.hasOwn(METHOD_NAMES, method)) result.methods.add(method);
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

/** What a file imports of this repository, by the names that it has there; types ask and show nothing. */
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

/** `const { a } = await import('./b.js')` */
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { names, aliases, pairs, byPair } = commandCount();
  const shared = [...byPair].filter(([, commands]) => commands.length > 1);
  process.stdout.write(
    [
      `${pairs} commands by method and renderer; ${names} names, ${aliases} of them aliases`,
      ...shared.map(([, commands]) => `one: ${commands.join(', ')}`),
      '',
    ].join('\n'),
  );
}

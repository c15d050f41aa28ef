import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/**
 * Lists missing imports of files below `root`, one per line, beginning with the importing file. It takes a second,
 * while the compiler takes a minute. Imports of types count, which a run of the code would not detect.
 */
export function brokenImports(root: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    importsIn(readFileSync(path, 'utf8'))
      .filter(({ from }) => from.startsWith('.'))
      .flatMap(({ from, names }) =>
        missing(join(dirname(path), from), names).map((what) => `${relative(root, path)}: ${what.replace(`${root}/`, '')}`),
      ),
  );
}

/**
 * Returns the names that the module at `path` (`….js`, as it is imported) does not export. Returns all of them if the
 * file does not exist.
 */
export function missing(path: string, names: readonly string[]): string[] {
  const source = path.replace(/\.js$/, '.ts');
  if (!existsSync(source)) return [`there is no ${path}`];
  const there = exportsOf(source);
  return names.filter((name) => !there.has(name)).map((name) => `${path} exports no ${name}`);
}

/** Returns the imports of a source, by name. */
export function importsIn(source: string): { from: string; names: string[] }[] {
  return parse(source).statements.flatMap((one) => {
    if (!ts.isImportDeclaration(one) || !ts.isStringLiteral(one.moduleSpecifier)) return [];
    const bindings = one.importClause?.namedBindings;
    const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
    return [{ from: one.moduleSpecifier.text, names: names.map(({ name, propertyName }) => (propertyName ?? name).text) }];
  });
}

function exportsOf(path: string): Set<string> {
  const found = new Set<string>();
  for (const one of parse(readFileSync(path, 'utf8')).statements) {
    if (ts.isExportDeclaration(one)) {
      const from = one.moduleSpecifier && ts.isStringLiteral(one.moduleSpecifier) ? one.moduleSpecifier.text : undefined;
      if (one.exportClause && ts.isNamedExports(one.exportClause))
        for (const { name } of one.exportClause.elements) found.add(name.text);
      else if (from) for (const name of exportsOf(join(dirname(path), from).replace(/\.js$/, '.ts'))) found.add(name);
    }
    if (!ts.canHaveModifiers(one) || !ts.getModifiers(one)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    const declared = ts.isVariableStatement(one) ? one.declarationList.declarations : [one as ts.NamedDeclaration];
    for (const { name } of declared) if (name && ts.isIdentifier(name)) found.add(name.text);
  }
  return found;
}

const parse = (source: string) => ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest);

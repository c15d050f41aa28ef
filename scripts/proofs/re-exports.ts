import ts from 'typescript';

/** Re-export of one name: `export { name as alias } from './module.js'`. */
export interface ReExport {
  /** Module specifier of the statement. */
  specifier: string;
  name: string;
}

const parse = (text: string): ts.SourceFile => ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest);

const textOf = (specifier: ts.Expression | undefined): string =>
  specifier !== undefined && ts.isStringLiteral(specifier) ? specifier.text : '';

/**
 * Returns the re-exports of a module that does nothing else. A new name in such a module does not affect importers of
 * other names.
 *
 * @returns undefined for other modules, and for `export *`
 */
export function reExportsOf(text: string): ReadonlyMap<string, ReExport> | undefined {
  const { statements } = parse(text);
  const all = new Map<string, ReExport>();
  for (const statement of statements) {
    if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier) return undefined;
    if (statement.isTypeOnly) continue;
    if (!statement.exportClause || !ts.isNamedExports(statement.exportClause)) return undefined;
    const specifier = textOf(statement.moduleSpecifier);
    for (const { name, propertyName, isTypeOnly } of statement.exportClause.elements)
      if (!isTypeOnly) all.set(name.text, { specifier, name: (propertyName ?? name).text });
  }
  return statements.length > 0 ? all : undefined;
}

/**
 * Returns the names that a module imports from other modules, by specifier. Undefined for a module that is imported as
 * a whole or only loaded.
 */
export function namesImported(text: string): ReadonlyMap<string, readonly string[] | undefined> {
  const all = new Map<string, readonly string[] | undefined>();
  for (const statement of parse(text).statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    const specifier = textOf(statement.moduleSpecifier);
    if (specifier === '') continue;
    const names = ts.isImportDeclaration(statement) ? namesOfImport(statement) : namesOfExport(statement);
    const known = all.has(specifier) ? all.get(specifier) : [];
    all.set(specifier, known && names && [...known, ...names]);
  }
  return all;
}

function namesOfImport({ importClause }: ts.ImportDeclaration): string[] | undefined {
  if (importClause?.isTypeOnly) return [];
  const { name, namedBindings } = importClause ?? {};
  if (!namedBindings || !ts.isNamedImports(namedBindings)) return undefined;
  return [...(name ? ['default'] : []), ...namesOf(namedBindings)];
}

function namesOfExport({ isTypeOnly, exportClause }: ts.ExportDeclaration): string[] | undefined {
  if (isTypeOnly) return [];
  return exportClause && ts.isNamedExports(exportClause) ? namesOf(exportClause) : undefined;
}

const namesOf = ({ elements }: ts.NamedImports | ts.NamedExports): string[] =>
  [...elements].flatMap(({ name, propertyName, isTypeOnly }) => (isTypeOnly ? [] : [(propertyName ?? name).text]));

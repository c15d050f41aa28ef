import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** First time that a module ran in a process. */
export interface Run {
  /** Nanoseconds of the machine's monotonic clock. */
  at: bigint;
  /** Name of the program; `workflow` for code in a workflow's sandbox. */
  where: string;
  path: string;
}

const PROGRAMS: Record<string, string> = { provisioning: 'the command line', worker: 'the worker', workflow: 'in workflows' };
const roomOf = (path: string) => path.split('/')[0] as string;

/** Renders the trace as Markdown: the number of modules, their place and order, and circles between rooms. */
export async function report(root: string, all: readonly Run[]): Promise<string> {
  const runs = all.filter(({ where }) => where in PROGRAMS).sort((a, b) => (a.at < b.at ? -1 : 1));
  const modules = [...new Set(runs.map(({ path }) => path))];
  const parts = Object.entries(PROGRAMS).map(([where, title]) =>
    partOf(
      title,
      runs.filter((run) => run.where === where),
    ),
  );
  const circles = circlesIn(await roomEdges(root, modules));
  const rooms = new Set(modules.map(roomOf)).size;
  return [
    `${modules.length} source modules of ${rooms} rooms ran.`,
    circles.length === 0
      ? 'No room is entered twice except to return: what ran of them has no circle.'
      : `Entered twice: ${circles.join('; ')}.`,
    ...parts,
  ].join('\n\n');
}

/**
 * Renders the modules of one program in the order of their first run. Modules of a room are grouped where it was first
 * entered.
 */
function partOf(title: string, runs: readonly Run[]): string {
  const rooms = new Map<string, string[]>();
  for (const { path } of runs) rooms.set(roomOf(path), [...(rooms.get(roomOf(path)) ?? []), path]);
  const lines = [...rooms].map(([room, paths]) => {
    const names = paths.map((path) => path.slice(room.length + 1).replace(/\.ts$/, ''));
    return `- \`${room}/\` (${paths.length}): \`${names.join(', ')}\``;
  });
  return `**${title[0]?.toUpperCase()}${title.slice(1)}** (${runs.length}):\n\n${lines.join('\n')}`;
}

/** Returns the rooms that each room's executed modules import, without types. */
async function roomEdges(root: string, modules: readonly string[]): Promise<Map<string, Set<string>>> {
  const ran = new Set(modules);
  const edges = new Map<string, Set<string>>();
  for (const path of modules) {
    const source = ts.createSourceFile(path, await readFile(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
    for (const specifier of importsOf(source)) {
      const target = join(dirname(path), specifier).replace(/\.js$/, '.ts');
      if (!ran.has(target) || roomOf(target) === roomOf(path)) continue;
      const known = edges.get(roomOf(path)) ?? new Set();
      edges.set(roomOf(path), known.add(roomOf(target)));
    }
  }
  return edges;
}

function importsOf(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier && !isOfTypes(node))
      found.push((node.moduleSpecifier as ts.StringLiteral).text);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteral(specifier)) found.push(specifier.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.filter((specifier) => specifier.startsWith('.'));
}

function isOfTypes(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (!clause) return false;
  const { namedBindings } = clause;
  const names = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [];
  return clause.isTypeOnly || (!clause.name && names.length > 0 && names.every(({ isTypeOnly }) => isTypeOnly));
}

/** Returns pairs of rooms that reach each other. */
function circlesIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    for (const next of edges.get(from) ?? []) {
      if (next === to) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      if (reaches(next, to, seen)) return true;
    }
    return false;
  };
  const rooms = [...edges.keys()].sort();
  return rooms.flatMap((a, index) =>
    rooms.slice(index + 1).flatMap((b) => (reaches(a, b) && reaches(b, a) ? [`${a}/ and ${b}/`] : [])),
  );
}

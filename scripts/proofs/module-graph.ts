import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build, type Metafile, transform } from 'esbuild';
import ts from 'typescript';
import { isPackages, type Lock, packageInput, packagesHash } from './packages.js';
import { namesImported, type ReExport, reExportsOf } from './re-exports.js';
import { SLOW } from './slow.js';

/** Modules that are compiled into modules of a workspace. They run in QuickJS, where code cannot report. */
export const IN_QUICKJS = ['sdk/module/index.ts', 'sdk/module/zod.ts', 'sdk/module/serve.ts'];

/** Scripts that build the programs. */
export const BUILD = ['scripts/build.ts', 'scripts/generate/main.ts'];

/** Programs that tests start: the entries of the command line and the worker. */
const PROGRAMS = [
  ...['cli/main.ts', 'cli/start/start.ts', 'authoring/index.ts', 'sdk/index.ts', 'sdk/testing/index.ts', 'workers/worker.ts'],
  ...['workers/start/start-worker.ts', 'workers/start/workflow-thread.ts'],
  ...['workers/workflow-threads.ts', 'workers/engine/main.ts', 'workers/engine/processes/supervisor.ts', 'workflows/index.ts'],
  ...['workflows/messages/sealing.ts', 'encryption/failure-converter.ts'],
  ...IN_QUICKJS,
  ...BUILD,
];

/** Returns whether a file is another program that tests start. Its imports are inputs too. */
const isProgram = (path: string): boolean => /^(bench|scripts|test)\/(.*[/-])?main\.ts$/.test(path);

/**
 * Import graph of the repository, by path. Dynamic imports (`import()`) are not edges: the imported module reports
 * when it runs.
 */
export interface ModuleGraph {
  imports(path: string): readonly string[];
  /** Returns the packages that a module imports, statically or dynamically, as inputs. */
  packages(path: string): readonly string[];
  /**
   * Returns whether a module provides more than functions: a table, a schema, a re-export. It then affects its
   * importers.
   */
  carriesData(path: string): boolean;
  /**
   * Hashes the behavior of the module, without comments, layout and types. An import counts by its names and the base
   * name of its file. For a folder (with a final slash), hashes the file names in it. For a package, hashes the
   * versions of all its dependencies.
   */
  hash(path: string): Promise<string>;
}

/**
 * Reads the module graph.
 *
 * @param files all files of the repository
 * @param tests default: those that have proofs
 */
export async function moduleGraph(root: string, files: readonly string[], tests = files.filter(isTest)): Promise<ModuleGraph> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...new Set([...PROGRAMS, ...files.filter(isProgram), ...tests])].filter((path) => existsSync(join(root, path))),
    outdir: 'unused',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    treeShaking: false,
    write: false,
    metafile: true,
    logLevel: 'silent',
    loader: { '.node': 'empty' },
  });
  const lists = reExporting(root, metafile);
  const data = new Map<string, boolean>();
  const hashes = new Map<string, Promise<string>>();
  const packagesOf = (path: string) =>
    (metafile.inputs[path]?.imports ?? []).flatMap((one) => (one.external ? packageInput(one.path) : []));
  const lock: { packages: Lock } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const imported = new Set(Object.keys(metafile.inputs).flatMap(packagesOf));
  const hashOf = async (path: string): Promise<string> => {
    if (isPackages(path)) return packagesHash(path, imported, lock.packages);
    const given = lists.given(path);
    if (given) return sha256([path.split('#')[1], given.name, basename(given.specifier)].join(' '));
    if (path.endsWith('/'))
      return sha256(
        files
          .filter((file) => `${dirname(file)}/` === path)
          .sort()
          .join('\n'),
      );
    if (!existsSync(join(root, path))) return 'gone';
    const text = readFileSync(join(root, path));
    return sha256(/\.[cm]?ts$/.test(path) ? await meaningOf(text.toString()) : text);
  };
  return {
    imports: lists.imports,
    packages: packagesOf,
    carriesData(path) {
      if (lists.given(path)) return true;
      const known = data.get(path) ?? carriesData(readFileSync(join(root, path), 'utf8'));
      data.set(path, known);
      return known;
    },
    hash(path) {
      const known = hashes.get(path) ?? hashOf(path);
      hashes.set(path, known);
      return known;
    },
  };
}

/**
 * Resolves imports through modules that only re-export, such as `sdk/index.ts`. Each name is a separate input, such as
 * `sdk/index.ts#secret`, which imports the module that defines it.
 */
function reExporting(root: string, { inputs }: Metafile) {
  const lists = new Map<string, ReadonlyMap<string, ReExport>>();
  for (const path of Object.keys(inputs)) {
    if (!/\.[cm]?ts$/.test(path) || !existsSync(join(root, path))) continue;
    const given = reExportsOf(readFileSync(join(root, path), 'utf8'));
    if (given) lists.set(path, given);
  }
  const edges = (path: string) => (inputs[path]?.imports ?? []).filter((one) => !one.external && one.kind !== 'dynamic-import');
  const given = (input: string): ReExport | undefined => {
    const [path = '', name] = input.split('#');
    return name === undefined ? undefined : lists.get(path)?.get(name);
  };
  const known = new Map<string, readonly string[]>();
  const imports = (input: string): readonly string[] => {
    const [path = ''] = input.split('#');
    const one = given(input);
    if (one) return edges(path).flatMap((edge) => (edge.original === one.specifier ? [edge.path] : []));
    const all = edges(path);
    if (!all.some((edge) => lists.has(edge.path))) return all.map((edge) => edge.path);
    const names = namesImported(readFileSync(join(root, path), 'utf8'));
    return all.flatMap((edge) => {
      const taken = names.get(edge.original ?? '');
      if (!lists.has(edge.path) || taken === undefined) return [edge.path];
      return taken.map((name) => `${edge.path}#${name}`);
    });
  };
  return {
    given,
    imports(input: string): readonly string[] {
      const found = known.get(input) ?? imports(input);
      known.set(input, found);
      return found;
    },
  };
}

/** Returns whether a test file has a proof. */
export const isTest = (path: string): boolean => (path.startsWith('test/') && path.endsWith('.test.ts')) || SLOW.includes(path);

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/** Returns the effective text of a module. Moving a module does not change its text or the text of its importers. */
export async function meaningOf(text: string): Promise<string> {
  const { code } = await transform(text, {
    loader: 'ts',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code.replace(
    /(\bfrom|\bimport\(?)"(\.{1,2}\/[^"]+)"/g,
    (_, before: string, path: string) => `${before}"${basename(path)}"`,
  );
}

/** Returns whether a module has more than functions and types at its top level. */
export function carriesData(text: string): boolean {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest);
  return !source.statements.every(isOnlyFunctions);
}

function isOnlyFunctions(statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement) || ts.isFunctionDeclaration(statement)) return true;
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return true;
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly || statement.moduleSpecifier === undefined;
  if (!ts.isVariableStatement(statement)) return false;
  return statement.declarationList.declarations.every(
    ({ initializer: value }) => value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)),
  );
}

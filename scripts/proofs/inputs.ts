import { dirname } from 'node:path';
import { BUILD, IN_QUICKJS, type ModuleGraph } from './module-graph.js';
import { OTHER_PACKAGES } from './packages.js';

/** Paths of the repository that a test used, as recorded (record.ts). */
export interface Used {
  /** Source modules of which a function ran, in any of its processes. */
  ran: readonly string[];
  /** Other files that it opened or passed to a program. */
  opened: readonly string[];
}

/** Files of the repository that belong to no program. They count as a whole, with their imports among themselves. */
const OF_TESTS = /^(test|scripts|bench|docs)\//;

/** Files that build the programs. They are inputs of every test. */
const OF_ALL = BUILD;

/**
 * Files that are never inputs. Proofs do not depend on proofs. The lock file counts by the packages that a test uses.
 * The list of commands has only names and loaders: the executed commands are inputs, and unit tests check the list.
 */
const NEVER =
  /^(cli\/commands\.ts|test\/proofs\/.*\.json|taskservs\/proofs\.json|package-lock\.json|docs\/reference\/catalog\.md)$/;

/**
 * Returns all files that a test's result depends on:
 *
 * - modules of which a function ran;
 * - modules that provide a value to one of these: a table, a schema, a re-export, or a function that runs during
 * loading;
 * - imports of the test file itself, which may have begun to call them after it was recorded;
 * - the file names of a folder, if one of its files was opened: a test of all files in a folder depends on new ones;
 * - packages that one of the modules imports, and packages that no module imports, because they run the tests.
 *
 * A generated list provides no values: it names all methods, taskservs and providers. Those in use are known by their
 * executed functions.
 *
 * @param loaded modules whose functions run while modules are loaded
 * @returns sorted paths; folders end with a slash
 */
export function inputsOf(test: string, used: Used, loaded: ReadonlySet<string>, graph: ModuleGraph): string[] {
  const inputs = new Set<string>();
  const ofModules = used.ran.some((path) => path.startsWith('modules/')) ? allBelow(IN_QUICKJS, graph) : [];
  const left = [test, ...OF_ALL, ...used.opened, ...used.ran, ...ofModules];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (inputs.has(path)) continue;
    inputs.add(path);
    if (isGenerated(path)) continue;
    for (const imported of graph.imports(path)) {
      if (path === test || OF_TESTS.test(imported) || loaded.has(imported) || graph.carriesData(imported)) left.push(imported);
    }
  }
  const counts = (path: string) => !NEVER.test(path) && !isGenerated(path);
  const folders = new Set(used.opened.filter(counts).map((path) => `${dirname(path)}/`));
  const packages = new Set([...inputs].flatMap((path) => graph.packages(path)));
  return [...[...inputs].filter(counts), ...folders, ...packages, OTHER_PACKAGES].sort();
}

const isGenerated = (path: string): boolean => path.endsWith('.generated.ts');

/** Returns modules with all their imports, direct or not. */
function allBelow(modules: readonly string[], graph: ModuleGraph): string[] {
  const all = new Set<string>(modules);
  for (const path of all) for (const imported of graph.imports(path)) all.add(imported);
  return [...all];
}

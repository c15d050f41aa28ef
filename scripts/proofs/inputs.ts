import { dirname } from 'node:path';
import { BUILD, IN_QUICKJS, type ModuleGraph } from './module-graph.js';
import { OTHER_PACKAGES } from './packages.js';

/** What a test was seen to use (record.ts): paths of the repository. */
export interface Used {
  /** Source modules of which a function ran, in any of its processes. */
  ran: readonly string[];
  /** Other files that it opened, or gave to a program. */
  opened: readonly string[];
}

/** Of the repository, and of no program: they count whole, with all that they import among themselves. */
const OF_TESTS = /^(test|scripts|bench|docs)\//;

/** What the programs are made with belongs to the inputs of every test. */
const OF_ALL = BUILD;

/**
 * Proofs are no input of proofs. Of the lock file, the packages that a test uses are. The list of commands has their names
 * and what loads them: the commands that ran are inputs, and unit tests look at the list.
 */
const NEVER =
  /^(cli\/commands\.ts|test\/proofs\/.*\.json|taskservs\/proofs\.json|package-lock\.json|docs\/reference\/catalog\.md)$/;

/**
 * All files that a test's result depends on.
 *
 * A module belongs to them if a function of it ran, and if it gives one of them a value: a table, a schema, a re-export,
 * or a function that runs while modules are loaded. What the test file itself imports belongs to them in any case: it may
 * have begun to call it after its record was made. A generated list gives no values: it names all methods, taskservs and
 * providers, and those of which a function ran are known by that. The names of a folder belong to them if a file of it was opened: a
 * test that plays all files of a folder depends on a new one. The packages belong to them that one of the modules imports,
 * and those that no module imports: they run the tests.
 *
 * @param loaded modules of which functions run while modules are loaded
 * @returns sorted paths; those of folders end with a slash
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

/** Modules, and all that they import, directly or not. */
function allBelow(modules: readonly string[], graph: ModuleGraph): string[] {
  const all = new Set<string>(modules);
  for (const path of all) for (const imported of graph.imports(path)) all.add(imported);
  return [...all];
}

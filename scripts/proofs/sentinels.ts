import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instructionsIn } from '../../test/guides/follow.js';

/**
 * Test files that every run plays, whatever changed: an operation from its request to its end, what others rely on in
 * all of them, and one way through the command line, the package and a host.
 */
export const SENTINELS: readonly string[] = [
  ...['apply', 'control', 'failures', 'locks', 'replay', 'requests', 'sealing'].map((name) => `test/workflows/${name}.test.ts`),
  ...['package', 'own-things'].map((name) => `test/end-to-end/${name}.test.ts`),
  ...['demo', 'hetzner', 'contract-page', 'stores'].map((name) => `test/contracts/${name}.test.ts`),
  'test/clouds/hetzner/faults.test.ts',
];

/** Those of which every run plays a part (`isReduced`), if they are not stale: then they are played whole. */
export const IN_PART: readonly string[] = ['test/input/bad-inputs.test.ts', 'test/chaos/chaos.test.ts'];

const GUIDES = join(import.meta.dirname, '../../docs/guides');
/** What the tests depend on that play what guides say, in copies of the repository. */
const OF_GUIDES =
  /^(docs\/guides\/add|scripts\/(?!(mutations|trace|proofs|engine-package)\/)|sdk\/|test\/(guides|contracts|support)\/|core\/(machine|taskserv)\/)/;
/** The files that guides have their readers edit: each edit has to fit. */
const EDITED: ReadonlySet<string> = new Set(
  readdirSync(GUIDES)
    .filter((name) => name.startsWith('add'))
    .flatMap((name) => instructionsIn(readFileSync(join(GUIDES, name), 'utf8')))
    .flatMap((instruction) => (instruction.kind === 'edit' ? [instruction.path] : [])),
);
/** What the proofs of taskservs depend on: they are over the code, and a copy in which it reports has another. */
const OF_CATALOG = /^(taskservs|sdk|core|activities|providers\/local|workflows|workers|test\/(catalog|support))\//;

/** Tests that cannot be recorded, with the paths that they depend on. */
const DECLARED: readonly [test: RegExp, isInput: (path: string) => boolean][] = [
  [/^test\/guides\//, (path) => OF_GUIDES.test(path) || EDITED.has(path)],
  [/^test\/catalog\//, (path) => OF_CATALOG.test(path)],
  // Watched from outside, in an environment of its own; and in a container that has the copy alone, without the packages.
  [/^test\/(strangers\/|end-to-end\/service\.)/, (path) => !/^(docs|test|bench|scripts)/.test(path)],
];

/** Whether a test can be played in a copy of the repository in which functions report. */
export const isRecordable = (test: string): boolean => !DECLARED.some(([tests]) => tests.test(test));

/** Whether a file of the repository is a declared input of a test. Of a test without a record, everything is. */
export function isDeclaredInput(test: string, path: string): boolean {
  const [, isInput] = DECLARED.find(([tests]) => tests.test(test)) ?? [];
  if (isInput) return isInput(path);
  return path.includes('/') && !/^(docs|test|bench|scripts)\/|\.test\.ts$|\.md$|\/cases\//.test(path);
}

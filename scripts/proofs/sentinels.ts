import { readFileSync } from 'node:fs';
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

const GUIDES = 'docs/extend';
/** The guides that each test of guides follows. */
const FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  'test/guides/guides.test.ts': ['step-kind', 'kind-of-state', 'provider', 'command', 'method', 'workflow'].map(
    (what) => `add-a-${what}.md`,
  ),
  'test/guides/adding-a-taskserv.test.ts': ['adding-a-taskserv.md'],
};
/** What the tests depend on that play what guides say, in copies of the repository. */
const OF_GUIDES =
  /^(scripts\/(?!(mutations|trace|proofs|engine-package)\/)|sdk\/|test\/(guides|contracts|support)\/|core\/(machine|taskserv)\/)/;
/** The guides that a test follows, and the files that they have their readers edit: each edit has to fit. */
const inputsByGuides = new Map(
  Object.entries(FOLLOWED).map(([test, guides]) => {
    const texts = guides.map((name) => readFileSync(join(import.meta.dirname, '../..', GUIDES, name), 'utf8'));
    const edits = texts.flatMap(instructionsIn).flatMap((one) => (one.kind === 'edit' ? [one.path] : []));
    return [test, new Set([...guides.map((name) => `${GUIDES}/${name}`), ...edits])];
  }),
);
/**
 * What the proofs of taskservs depend on: they are over the code, and a copy in which it reports has another. What proves
 * one of each kind proves it in any case, and is recorded.
 */
const OF_CATALOG = /^(?!.*\.test\.ts$)(taskservs|sdk|core|activities|providers\/local|workflows|workers|test\/(catalog|support))\//;
const OF_NO_PROGRAM = /^(docs|test|bench|scripts)|\.test\.ts$/;
/** What only a definition brings into a program. */
const BY_DEFINITIONS = /^(taskservs|clusters|topologies|examples)\//;

/** Tests that cannot be recorded, with the paths that they depend on. */
const DECLARED: readonly [test: RegExp, isInput: (path: string, test: string) => boolean][] = [
  [/^test\/guides\//, (path, test) => OF_GUIDES.test(path) || inputsByGuides.get(test)?.has(path) === true],
  [/^test\/catalog\/catalog\./, (path) => OF_CATALOG.test(path)],
  // Watched from outside, in an environment of its own.
  [/^test\/strangers\/strangers\./, (path) => !OF_NO_PROGRAM.test(path)],
  // Watched as well: it evaluates programs that have no server in them. In a container that has the copy alone, without the
  // packages: it starts and ends the service, and applies nothing.
  [/^test\/(strangers\/imports|end-to-end\/service)\./, (path) => !OF_NO_PROGRAM.test(path) && !BY_DEFINITIONS.test(path)],
];

/** Whether a test can be played in a copy of the repository in which functions report. */
export const isRecordable = (test: string): boolean => !DECLARED.some(([tests]) => tests.test(test));

/** Whether a file of the repository is a declared input of a test. Of a test without a record, everything is. */
export function isDeclaredInput(test: string, path: string): boolean {
  const [, isInput] = DECLARED.find(([tests]) => tests.test(test)) ?? [];
  if (isInput) return isInput(path, test);
  return path.includes('/') && !/^(docs|test|bench|scripts)\/|\.test\.ts$|\.md$|\/cases\//.test(path);
}

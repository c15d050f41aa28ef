import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instructionsIn } from '../../test/guides/follow.js';
import { isOfItsTaskservs, isOfTaskservs } from './of-taskservs.js';

/**
 * Test files that every run plays: an operation from request to end and its common foundations. They also cover one
 * path through the command line, the package and a host.
 */
export const SENTINELS: readonly string[] = [
  ...['apply', 'control', 'failures', 'locks', 'replay', 'requests', 'sealing'].map((name) => `test/workflows/${name}.test.ts`),
  ...['package', 'own-things'].map((name) => `test/end-to-end/${name}.test.ts`),
  ...['demo', 'hetzner', 'contract-page', 'stores'].map((name) => `test/contracts/${name}.test.ts`),
  'test/clouds/hetzner/faults.test.ts',
];

/** Files of which every run plays a part (`isInPart`). Stale files are played whole. */
export const IN_PART: readonly string[] = ['test/input/bad-inputs.test.ts', 'test/chaos/chaos.test.ts'];

const GUIDES = 'docs/extend';
/** Guides that each test of guides follows. */
const FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  'test/guides/guides.test.ts': ['step-kind', 'kind-of-state', 'provider', 'command', 'method', 'workflow'].map(
    (what) => `add-a-${what}.md`,
  ),
  'test/guides/adding-a-taskserv.test.ts': ['adding-a-taskserv.md'],
};
/** Inputs of the tests that follow guides in copies of the repository. */
const OF_GUIDES =
  /^(scripts\/(?!(mutations|trace|proofs|engine-package)\/)|sdk\/|test\/(guides|contracts|support)\/|core\/(machine|taskserv)\/)/;
/** Guides that a test follows, and the files that the guides edit: each edit must apply. */
const inputsByGuides = new Map(
  Object.entries(FOLLOWED).map(([test, guides]) => {
    const texts = guides.map((name) => readFileSync(join(import.meta.dirname, '../..', GUIDES, name), 'utf8'));
    const edits = texts.flatMap(instructionsIn).flatMap((one) => (one.kind === 'edit' ? [one.path] : []));
    return [test, new Set([...guides.map((name) => `${GUIDES}/${name}`), ...edits])];
  }),
);
/**
 * Inputs of the taskserv proofs. These tests hash the code, and an instrumented copy has another hash. One test of
 * each kind runs in any case and is recorded.
 */
const OF_CATALOG = /^(?!.*\.test\.ts$)(taskservs|sdk|core|activities|providers\/local|workflows|workers|test\/(catalog|support))\//;
const OF_NO_PROGRAM = /^(docs|test|bench|scripts)|\.test\.ts$/;
/** Files that enter a program only through definitions. */
const BY_DEFINITIONS = /^(taskservs|clusters|topologies|examples)\//;

/** Tests that are not recorded, with the paths that they depend on. */
const DECLARED: readonly [test: { test(file: string): boolean }, isInput: (path: string, test: string) => boolean][] = [
  [{ test: isOfTaskservs }, isOfItsTaskservs],
  [/^test\/guides\//, (path, test) => OF_GUIDES.test(path) || inputsByGuides.get(test)?.has(path) === true],
  [/^test\/catalog\/catalog\./, (path) => OF_CATALOG.test(path)],
  // Observed from outside, in a separate environment.
  [/^test\/strangers\/strangers\./, (path) => !OF_NO_PROGRAM.test(path)],
  // Also observed from outside. The first evaluates programs without servers. The second runs in a container that has
  // only the copy, without the packages: it starts and stops the service, and applies nothing.
  [/^test\/(strangers\/imports|end-to-end\/service)\./, (path) => !OF_NO_PROGRAM.test(path) && !BY_DEFINITIONS.test(path)],
];

/** Returns whether the inputs of a test are recorded: it is played in an instrumented copy of the repository. */
export const isRecordable = (test: string): boolean => !DECLARED.some(([tests]) => tests.test(test));

/** Returns whether a file is a declared input of a test. A test without a record depends on every file. */
export function isDeclaredInput(test: string, path: string): boolean {
  const [, isInput] = DECLARED.find(([tests]) => tests.test(test)) ?? [];
  if (isInput) return isInput(path, test);
  return path.includes('/') && !/^(docs|test|bench|scripts)\/|\.test\.ts$|\.md$|\/cases\//.test(path);
}

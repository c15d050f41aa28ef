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

/** What the tests depend on that play what guides say, in copies of the repository. */
const OF_GUIDES = /^(docs\/guides\/add|scripts\/|sdk\/|test\/(guides|contracts|support)\/|core\/(machine|taskserv)\/)/;
/** What the proofs of taskservs depend on: they are over the code, and a copy in which it reports has another. */
const OF_CATALOG = /^(taskservs|sdk|core|activities|providers\/local|workflows|workers|test\/(catalog|support))\//;

/** Tests that cannot be recorded, with the paths that they depend on. */
const DECLARED: readonly [test: RegExp, inputs: RegExp][] = [
  [/^test\/guides\//, OF_GUIDES],
  [/^test\/catalog\//, OF_CATALOG],
  // Watched from outside, in an environment of its own; and in a container that has the copy alone, without the packages.
  [/^test\/(strangers\/|end-to-end\/service\.)/, /^(?!docs|test|bench|scripts)/],
];

/** Whether a test can be played in a copy of the repository in which functions report. */
export const isRecordable = (test: string): boolean => !DECLARED.some(([tests]) => tests.test(test));

/** Whether a file of the repository is a declared input of a test. Of a test without a record, everything is. */
export function isDeclaredInput(test: string, path: string): boolean {
  const [, inputs] = DECLARED.find(([tests]) => tests.test(test)) ?? [];
  if (inputs) return inputs.test(path);
  return path.includes('/') && !/^(docs|test|bench|scripts)\/|\.test\.ts$|\.md$|\/cases\//.test(path);
}

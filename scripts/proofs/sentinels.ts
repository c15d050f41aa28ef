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

/** Tests whose processes report nothing: they are watched from outside, in an environment of their own. */
export const UNRECORDED: readonly string[] = ['test/strangers/strangers.test.ts'];

/** Tests that play what guides say: in a copy of the repository, where nothing can be recorded. */
const GUIDES = /^test\/guides\//;

/** What tests depend on that cannot be recorded; of other tests without a record, everything counts. */
export const declaredInputs = (test: string, files: readonly string[]): string[] | undefined =>
  GUIDES.test(test)
    ? files.filter((path) =>
        /^(docs\/guides\/add|scripts\/|sdk\/|test\/(guides|contracts|support)\/|core\/(machine|taskserv)\/)/.test(path),
      )
    : undefined;

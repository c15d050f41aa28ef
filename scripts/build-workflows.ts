import { existsSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inputsHash } from './inputs-hash.js';

const ENTRY = 'workflows/index.ts';
const SEALING = 'workflows/messages/sealing.ts';
export const FAILURES = 'encryption/failure-converter.ts';

/**
 * Returns the bundler options. All workflows of a thread share one instance of each module. Modules may keep no state
 * except memos by object (workflows/shared-modules.test.ts).
 */
export const workflowsOf = (root: string) => ({
  workflowsPath: join(root, ENTRY),
  failureConverterPath: join(root, FAILURES),
  workflowInterceptorModules: [join(root, SEALING)],
  preloadModules: [join(root, ENTRY)],
});

/** Workflows of a build. `keep` writes them to `dist/workflows.js`. */
interface BuiltWorkflows {
  code: string;
  keep(): Promise<void>;
}

async function bundleWorkflows(root: string): Promise<string> {
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  return (await bundleWorkflowCode({ ...workflowsOf(root), logger: new DefaultLogger('WARN') })).code;
}

/**
 * Bundles the workflows with the exact version of the SDK that will run them, or reads the former bundle while its
 * inputs are unchanged. Writes nothing: a worker that starts during a build, or after one that was killed, would run
 * new workflows under the name of the former build.
 *
 * @param bundle returns the code of the workflows below a folder
 * @returns the bundle, to be kept just before the name of its build; undefined if there are no workflows
 */
export async function buildWorkflows(
  root: string,
  dist: string,
  bundle: (root: string) => Promise<string> = bundleWorkflows,
): Promise<BuiltWorkflows | undefined> {
  if (!existsSync(join(root, ENTRY))) {
    console.warn(`build: workflows: skipped, there is no ${ENTRY}`);
    return undefined;
  }
  const target = join(dist, 'workflows.js');
  const stamp = join(dist, 'workflows.inputs');
  const inputs = inputsHash(root, ['workflows', 'core'], ['package-lock.json', 'scripts/build-workflows.ts', FAILURES]);
  if (existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs)
    return { code: readFileSync(target, 'utf8'), keep: async () => {} };

  const code = await bundle(root);
  const keep = async () => {
    await writeFile(`${target}.${process.pid}`, code);
    // A build that is killed here leaves no bundle with the stamp of another one.
    await rm(stamp, { force: true });
    await rename(`${target}.${process.pid}`, target);
    await writeFile(stamp, inputs);
  };
  return { code, keep };
}

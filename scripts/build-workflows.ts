import { existsSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
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

/**
 * Bundles the workflows into `dist/workflows.js`, with the exact version of the SDK that will run them. Does nothing
 * while its inputs are unchanged.
 *
 * @returns the bundle; undefined if there are no workflows
 */
export async function buildWorkflows(root: string, dist: string): Promise<string | undefined> {
  if (!existsSync(join(root, ENTRY))) {
    console.warn(`build: workflows: skipped, there is no ${ENTRY}`);
    return undefined;
  }
  const target = join(dist, 'workflows.js');
  const stamp = join(dist, 'workflows.inputs');
  const inputs = inputsHash(root, ['workflows', 'core'], ['package-lock.json', 'scripts/build-workflows.ts', FAILURES]);
  if (existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return readFileSync(target, 'utf8');

  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({ ...workflowsOf(root), logger: new DefaultLogger('WARN') });
  await writeFile(`${target}.${process.pid}`, code);
  await rename(`${target}.${process.pid}`, target);
  await writeFile(stamp, inputs);
  return code;
}

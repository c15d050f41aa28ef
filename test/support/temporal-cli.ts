import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Reporter } from '../../core/report.js';
import { cacheOf } from '../../home/home.js';
import { findGo, locateCachedBinary } from '../../workers/engine/binary/build-binary.js';
import { goBuild } from '../../workers/engine/binary/go-build.js';
import { engineModule } from '../../workers/engine/binary/package-root.js';
import { type Binary, inspectBinary, PINNED_VERSIONS } from '../../workers/engine/binary/version.js';
import { holdLock } from '../../workers/engine/processes/lock.js';
import type { TestEngine } from './engine.js';

const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';

/** Terminates a workflow from outside, with Temporal's own means. */
export async function terminateFromOutside({ temporal }: TestEngine, workflowId: string): Promise<void> {
  await temporal.workflow.getHandle(workflowId).terminate('from outside');
}

/**
 * Returns Temporal's own command line, as users have it on PATH. It is built in the user's cache with the engine's
 * modules if needed. Its server has no TLS.
 */
export async function temporalCli(report: Reporter = () => {}, env: NodeJS.ProcessEnv = process.env): Promise<Binary> {
  const target = locateCachedBinary(cacheOf(env), PINNED_VERSIONS.version);
  return holdLock(`${target}.lock`, async () => {
    const ready = await inspectBinary(target);
    if (ready) return ready;
    const work = await mkdtemp(join(dirname(target), 'build-'));
    try {
      await copyFile(join(engineModule(), 'go.sum'), join(work, 'go.sum'));
      // The complete program, including the parts that our engine leaves out.
      const pins = (await readFile(join(engineModule(), 'go.mod'), 'utf8')).split('\n');
      await writeFile(join(work, 'go.mod'), pins.filter((line) => !line.includes('=> ./left-out/')).join('\n'));
      const ldflags = `-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${PINNED_VERSIONS.version}`;
      const build = {
        title: `Temporal CLI ${PINNED_VERSIONS.version}`,
        cwd: work,
        packages: [PACKAGE],
        ldflags,
        output: 'temporal',
      };
      await goBuild(findGo(env), build, env, (text, fraction) => report({ task: 'cli', text, fraction, state: 'running' }));
      await rename(join(work, 'temporal'), target);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    const built = await inspectBinary(target);
    if (!built) throw new Error(`${target} does not answer --version`);
    return built;
  });
}

/**
 * Returns the environment of an engine that is Temporal's own command line: no TLS, an HTTP API, and no access
 * control.
 */
export async function plainEngine(): Promise<NodeJS.ProcessEnv> {
  const { path } = await temporalCli();
  return { PATH: [dirname(path), process.env.PATH].join(delimiter), PROVISIONING_ENGINE: 'path' };
}

import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { inputError, unreachableError } from '../../core/errors.js';
import type { Reporter } from '../../core/report.js';
import { goBuild } from './go-build.js';
import { withLock } from './lock.js';
import { engineModule } from './package-root.js';
import { type Binary, inspectBinary, PINNED } from './version.js';

const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
const TASK = 'engine';

/** Where binaries are kept, by version; shared by all homes and checkouts of a user. */
export const cachedBinary = (cache: string, version: string): string => join(cache, 'temporal', version, 'temporal');

export interface BuildOptions {
  cache: string;
  env: NodeJS.ProcessEnv;
  /** Builds even where the cache has it. */
  again?: boolean;
}

/**
 * Builds the Temporal CLI, with server and Web UI inside, from the Go module
 * proxy, pinned by our go.mod and go.sum, into the cache. Two at once build once.
 *
 * Measured with empty caches on 2 cores: 3.5 minutes, 138 MB.
 */
export async function buildBinary({ cache, env, again }: BuildOptions, report: Reporter): Promise<Binary> {
  const target = cachedBinary(cache, PINNED.version);
  const go = findGo(env);
  const progress = (text: string, fraction?: number) => report({ task: TASK, text, fraction, state: 'running' });
  let waited = false;
  return withLock(
    `${target}.lock`,
    async () => {
      const ready = again && !waited ? undefined : await inspectBinary(target);
      if (ready) return ready;
      const work = await mkdtemp(join(dirname(target), 'build-'));
      try {
        for (const name of ['go.mod', 'go.sum']) await copyFile(join(engineModule(), name), join(work, name));
        await goBuild(
          go,
          {
            title: `Temporal ${PINNED.version}`,
            cwd: work,
            packages: [PACKAGE],
            ldflags: `-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${PINNED.version}`,
            output: 'temporal',
          },
          env,
          progress,
        );
        await rename(join(work, 'temporal'), target);
      } finally {
        await rm(work, { recursive: true, force: true });
      }
      const built = await inspectBinary(target);
      if (built) return built;
      throw unreachableError({
        code: 'engine-build',
        what: 'build the engine',
        on: target,
        why: 'the binary does not answer `--version`',
      });
    },
    (pid) => {
      waited = true;
      progress(`waiting for process ${pid}, which is building it`);
    },
  );
}

/**
 * The first `go` of PATH, or that of Go's own installer.
 *
 * @throws inputError `no-go` saying how to do without
 */
export function findGo(env: NodeJS.ProcessEnv, installed = '/usr/local/go/bin'): string {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), installed];
  const go = folders.map((folder) => join(folder, 'go')).find(existsSync);
  if (go) return go;
  throw inputError({
    code: 'no-go',
    what: 'build the engine',
    why: 'there is no "go" on PATH',
    hint: 'install Go 1.21 or later (https://go.dev/doc/install), or put a "temporal" binary on PATH, or set TEMPORAL_ADDRESS to a service that runs',
  });
}

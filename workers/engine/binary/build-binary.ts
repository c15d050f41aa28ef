import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { inputError, unreachableError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import { holdLock } from '../processes/lock.js';
import { ENGINE_BUILD, engineKey, engineSources, shortKey, type Target } from './engine-key.js';
import { goBuild } from './go-build.js';
import { engineModule } from './package-root.js';
import { type Binary, inspectBinary, PINNED_VERSIONS } from './version.js';

const TASK = 'engine';

/** Returns the path of a downloaded Temporal CLI, by version. All homes and checkouts of a user share it. */
export const locateCachedBinary = (cache: string, version: string): string => join(cache, 'temporal', version, 'temporal');

/** Returns the path of the engine for this version, by its content (engine-key.ts): built here, or prebuilt. */
export const locateBuiltBinary = (cache: string): string =>
  join(cache, 'engine', `${PINNED_VERSIONS.version}-${shortKey(engineKey())}`, ENGINE_BUILD.output);

export interface BuildOptions {
  cache: string;
  env: NodeJS.ProcessEnv;
  /** Builds even where the cache has it. */
  again?: boolean;
  /** Reason why other sources failed, for the error without Go. */
  besides?: string;
}

/**
 * Builds the engine of workers/engine/temporal into the cache: Temporal's server and Web UI over mutual TLS. Its
 * modules come from the Go module proxy, pinned by go.mod and go.sum. Two simultaneous calls build once.
 *
 * @throws inputError `no-go`
 * @throws unreachableError `engine-build`
 */
export async function buildBinary({ cache, env, again, besides }: BuildOptions, report: Reporter): Promise<Binary> {
  const target = locateBuiltBinary(cache);
  const go = findGo(env, undefined, besides);
  const progress = (text: string, fraction?: number) => report({ task: TASK, text, fraction, state: 'running' });
  let waited = false;
  return holdLock(
    `${target}.lock`,
    async () => {
      const ready = again && !waited ? undefined : await inspectBinary(target);
      if (ready) return ready;
      await removeUnfinished(dirname(target));
      const work = await mkdtemp(join(dirname(target), UNFINISHED_PREFIX));
      try {
        const built = await inspectBinary(await compileEngine({ go, work, env }, progress));
        if (!built) {
          const why = 'the binary does not answer `--version`';
          throw unreachableError({ code: 'engine-build', what: 'build the engine', on: target, why });
        }
        await rename(built.path, target);
        return { ...built, path: target };
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    },
    (pid) => {
      waited = true;
      progress(`waiting for process ${pid}, which is building it`);
    },
  );
}

/** Prefix of build folders, beside the engine. */
export const UNFINISHED_PREFIX = 'build-';

/** Removes the folders of killed builds. The caller must hold the lock of the engine, so that none is in use. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(UNFINISHED_PREFIX)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Paths of `compileEngine`, and its target machine. */
interface Workshop {
  go: string;
  /** An empty folder. */
  work: string;
  env: NodeJS.ProcessEnv;
  /** Default: this machine. */
  target?: Target;
}

/**
 * Compiles the engine in a folder. The same sources, flags and version of Go make the same bytes in any folder.
 *
 * @returns the path of the binary
 * @throws unreachableError `engine-build`
 */
export async function compileEngine(
  { go, work, env, target }: Workshop,
  progress: (text: string, fraction?: number) => void,
): Promise<string> {
  for (const name of engineSources()) {
    await mkdir(dirname(join(work, name)), { recursive: true });
    await copyFile(join(engineModule(), name), join(work, name));
  }
  await goBuild(go, { ...ENGINE_BUILD, cwd: work, target }, env, progress);
  return join(work, ENGINE_BUILD.output);
}

/** Returns the first `go` of PATH, otherwise the path of Go's own installer; undefined without Go. */
export function lookForGo(env: NodeJS.ProcessEnv, installed = '/usr/local/go/bin'): string | undefined {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), installed];
  return folders.map((folder) => join(folder, 'go')).find(existsSync);
}

/**
 * Returns the result of `lookForGo`.
 *
 * @param besides other problems, for the error
 * @throws inputError `no-go`, with a way to work without Go
 */
export function findGo(env: NodeJS.ProcessEnv, installed?: string, besides?: string): string {
  const go = lookForGo(env, installed);
  if (go) return go;
  throw inputError({
    code: 'no-go',
    what: 'build the engine',
    why: ['there is no "go" on PATH', ...(besides ? [besides] : [])].join('; '),
    hint: 'install Go 1.21 or later (https://go.dev/doc/install), or put a "temporal" binary on PATH (without mutual TLS: docs/operate/security.md), or set TEMPORAL_ADDRESS to a running service',
  });
}

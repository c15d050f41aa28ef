import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { inputError, unreachableError } from '../../../core/errors.js';
import type { Reporter } from '../../../core/report.js';
import { withLock } from '../processes/lock.js';
import { goBuild } from './go-build.js';
import { engineModule } from './package-root.js';
import { type Binary, inspectBinary, PINNED } from './version.js';

const TASK = 'engine';

/** Where a Temporal CLI is kept that was downloaded, by version; shared by all homes and checkouts of a user. */
export const cachedBinary = (cache: string, version: string): string => join(cache, 'temporal', version, 'temporal');

/** Where the engine is kept that is built from these very sources, pins included. */
export const builtBinary = (cache: string): string => join(cache, 'engine', `${PINNED.version}-${sourcesHash()}`, 'engine');

/** The files of the module, without tests. */
const sources = (): string[] =>
  readdirSync(engineModule())
    .filter((name) => /^go\.(mod|sum)$|\.go$/.test(name) && !name.endsWith('_test.go'))
    .sort();

function sourcesHash(): string {
  const sum = createHash('sha256');
  for (const name of sources())
    sum
      .update(`${name}\0`)
      .update(readFileSync(join(engineModule(), name)))
      .update('\0');
  return sum.digest('hex').slice(0, 12);
}

export interface BuildOptions {
  cache: string;
  env: NodeJS.ProcessEnv;
  /** Builds even where the cache has it. */
  again?: boolean;
}

/**
 * Builds the engine of workers/engine/temporal, Temporal's server and Web UI
 * over mutual TLS, from the Go module proxy, pinned by go.mod and go.sum, into
 * the cache. Two at once build once.
 *
 * @throws inputError `no-go`
 * @throws unreachableError `engine-build`
 */
export async function buildBinary({ cache, env, again }: BuildOptions, report: Reporter): Promise<Binary> {
  const target = builtBinary(cache);
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
        for (const name of sources()) await copyFile(join(engineModule(), name), join(work, name));
        await goBuild(
          go,
          {
            title: `Temporal ${PINNED.version}`,
            cwd: work,
            packages: ['.'],
            ldflags: `-s -w -X main.version=${PINNED.version}`,
            output: 'engine',
          },
          env,
          progress,
        );
        await rename(join(work, 'engine'), target);
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

/** The first `go` of PATH, or that of Go's own installer; undefined where there is none. */
export function lookForGo(env: NodeJS.ProcessEnv, installed = '/usr/local/go/bin'): string | undefined {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), installed];
  return folders.map((folder) => join(folder, 'go')).find(existsSync);
}

/**
 * As `lookForGo`.
 *
 * @throws inputError `no-go` saying how to do without
 */
export function findGo(env: NodeJS.ProcessEnv, installed?: string): string {
  const go = lookForGo(env, installed);
  if (go) return go;
  throw inputError({
    code: 'no-go',
    what: 'build the engine',
    why: 'there is no "go" on PATH',
    hint: 'install Go 1.21 or later (https://go.dev/doc/install), or put a "temporal" binary on PATH (without mutual TLS: docs/security.md), or set TEMPORAL_ADDRESS to a service that runs',
  });
}

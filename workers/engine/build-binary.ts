import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { inputError, unreachableError } from '../../core/errors.js';
import type { Reporter } from '../../core/report.js';
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
        await compile(go, work, env, progress);
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

async function compile(go: string, cwd: string, env: NodeJS.ProcessEnv, progress: (text: string, fraction?: number) => void) {
  // A vendoring or workspace setting of the user's is about the user's own code.
  const options = { cwd, env: { ...env, GOFLAGS: '-mod=readonly', GOWORK: 'off' }, extendEnv: false, buffer: false } as const;
  progress(`fetching the sources of Temporal ${PINNED.version} as Go modules`);
  let modules = 0;
  const listing = execa(go, ['list', '-deps', PACKAGE], { ...options, buffer: true, lines: true });
  const listed = eachLine(listing.stderr, (line) => {
    if (line.startsWith('go: downloading')) progress(`fetching module ${++modules}: ${line.split(' ')[2] ?? ''}`);
  });
  const packages = (await succeed(listing, 'fetch the sources of the engine', listed)).length;

  progress(`compiling ${packages} packages`, 0);
  const flags = `-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${PINNED.version}`;
  const building = execa(go, ['build', '-v', '-trimpath', '-ldflags', flags, '-o', 'temporal', PACKAGE], {
    ...options,
    buffer: true,
    lines: true,
  });
  let compiled = 0;
  const built = eachLine(building.stderr, (line) => {
    compiled++;
    progress(`compiling package ${Math.min(compiled, packages)} of ${packages}: ${line}`, Math.min(compiled / packages, 0.99));
  });
  await succeed(building, 'build the engine', built);
}

/** Passes on each line as it comes. */
async function eachLine(stream: NodeJS.ReadableStream | null, take: (line: string) => void): Promise<void> {
  if (!stream) return;
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  }
}

type Outcome = { failed: boolean; stdout: string[]; stderr: string[] };

async function succeed(child: PromiseLike<Outcome>, what: string, reading: Promise<void>): Promise<string[]> {
  try {
    const { stdout } = await child;
    await reading;
    return stdout;
  } catch (error) {
    const said = (error as Partial<Outcome>).stderr ?? [];
    const why =
      said
        .filter((line) => !line.startsWith('go: downloading'))
        .slice(-3)
        .join(' | ') || 'go failed without a word';
    const hint =
      'see that the Go module proxy can be reached (`go env GOPROXY`) and that the disk has 3 GB left, then run `up` again: what was compiled is kept';
    throw unreachableError({ code: 'engine-build', what, on: 'Temporal', why, hint }, { cause: error });
  }
}

import { execa } from 'execa';
import { unreachableError } from '../../../core/errors.js';
import { buildEnvironment } from '../service/environment.js';

export interface GoBuild {
  /** Its name in progress and errors: `Temporal 1.8.2`. */
  title: string;
  /** Folder with the go.mod and go.sum that pin it. */
  cwd: string;
  packages: readonly string[];
  tags?: readonly string[];
  ldflags: string;
  /** File, or with several packages folder, that is written; relative to `cwd`. */
  output: string;
  /** Its target machine, in the words of Node; default: this machine. */
  target?: { platform: string; arch: string };
}

/**
 * Build settings that decide the bytes, in addition to the sources. They are the same everywhere: no C compiler or C
 * library of this machine, and the processor that every machine of its kind has.
 */
export const BUILD_ENVIRONMENT = { GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0', GOAMD64: 'v1', GOARM64: 'v8.0' };

/** The same of flags: no paths of this machine, no commit. */
export const BUILD_FLAGS: readonly string[] = ['-trimpath', '-buildvcs=false'];

/** Node's names of processors that Go calls by another name. */
const GO_ARCH: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/**
 * Builds programs from the Go module proxy, telling which module is fetched and
 * which package compiled.
 *
 * @throws unreachableError `engine-build` with the last lines of the compiler
 */
export async function goBuild(
  go: string,
  { title, cwd, packages, tags = [], ldflags, output, target }: GoBuild,
  env: NodeJS.ProcessEnv,
  progress: (text: string, fraction?: number) => void,
): Promise<void> {
  // A vendoring or workspace setting of the user's is about the user's own code.
  const options = {
    cwd,
    env: {
      ...buildEnvironment(env),
      ...BUILD_ENVIRONMENT,
      ...(target && { GOOS: target.platform, GOARCH: GO_ARCH[target.arch] ?? target.arch }),
    },
    extendEnv: false,
    buffer: true,
    lines: true,
  } as const;
  progress(`fetching the sources of ${title} as Go modules`);
  let modules = 0;
  const listing = execa(go, ['list', '-tags', tags.join(), '-deps', ...packages], options);
  const listed = eachLine(listing.stderr, (line) => {
    if (line.startsWith('go: downloading')) progress(`fetching module ${++modules}: ${line.split(' ')[2] ?? ''}`);
  });
  const total = (await succeed(listing, 'fetch the sources of the engine', title, listed)).length;

  progress(`compiling ${total} packages`, 0);
  const flags = ['-v', ...BUILD_FLAGS, '-tags', tags.join(), '-ldflags', ldflags];
  const building = execa(go, ['build', ...flags, '-o', output, ...packages], options);
  let compiled = 0;
  const built = eachLine(building.stderr, (line) => {
    compiled++;
    progress(`compiling package ${Math.min(compiled, total)} of ${total}: ${line}`, Math.min(compiled / total, 0.99));
  });
  await succeed(building, 'build the engine', title, built);
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

async function succeed(child: PromiseLike<Outcome>, what: string, on: string, reading: Promise<void>): Promise<string[]> {
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
        .join(' | ') || 'go failed without a message';
    const hint =
      'check the Go module proxy (`go env GOPROXY`) and that 3 GB of the disk are free. Then run `up` again: compiled parts are kept';
    throw unreachableError({ code: 'engine-build', what, on, why, hint }, { cause: error });
  }
}

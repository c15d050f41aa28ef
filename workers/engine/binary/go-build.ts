import { execa } from 'execa';
import { unreachableError } from '../../../core/errors.js';
import { buildEnvironment } from '../service/environment.js';

export interface GoBuild {
  /** What it is called in progress and errors: `Temporal 1.8.2`. */
  title: string;
  /** Folder with the go.mod and go.sum that pin it. */
  cwd: string;
  packages: readonly string[];
  ldflags: string;
  /** File, or with several packages folder, that is written; relative to `cwd`. */
  output: string;
}

/**
 * Builds programs from the Go module proxy, telling which module is fetched and
 * which package compiled.
 *
 * @throws unreachableError `engine-build` with the last lines of the compiler
 */
export async function goBuild(
  go: string,
  { title, cwd, packages, ldflags, output }: GoBuild,
  env: NodeJS.ProcessEnv,
  progress: (text: string, fraction?: number) => void,
): Promise<void> {
  // A vendoring or workspace setting of the user's is about the user's own code.
  const options = {
    cwd,
    env: { ...buildEnvironment(env), GOFLAGS: '-mod=readonly', GOWORK: 'off' },
    extendEnv: false,
    buffer: true,
    lines: true,
  } as const;
  progress(`fetching the sources of ${title} as Go modules`);
  let modules = 0;
  const listing = execa(go, ['list', '-deps', ...packages], options);
  const listed = eachLine(listing.stderr, (line) => {
    if (line.startsWith('go: downloading')) progress(`fetching module ${++modules}: ${line.split(' ')[2] ?? ''}`);
  });
  const total = (await succeed(listing, 'fetch the sources of the engine', title, listed)).length;

  progress(`compiling ${total} packages`, 0);
  const building = execa(go, ['build', '-v', '-trimpath', '-ldflags', ldflags, '-o', output, ...packages], options);
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
        .join(' | ') || 'go failed without a word';
    const hint =
      'see that the Go module proxy can be reached (`go env GOPROXY`) and that the disk has 3 GB left, then run `up` again: what was compiled is kept';
    throw unreachableError({ code: 'engine-build', what, on, why, hint }, { cause: error });
  }
}

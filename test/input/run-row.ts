import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const PROGRAM = resolve(import.meta.dirname, '../../bin/provisioning.js');
/** Time-out in milliseconds, so that a hanging process does not hold up the others. It measures nothing. */
const GIVE_UP_MS = 120_000;
/**
 * In MiB. A process that needs more memory is killed, and its row fails. V8's own limit is no option: with it, Node
 * compiles the program at each start, which happens to no user.
 */
const GIVE_UP_MIB = 1024;
/** Writes the peak memory of a process at its end, in KiB. */
const WATCH =
  "process.on('exit', () => require('node:fs').writeFileSync(process.env.PEAK_FILE, String(process.resourceUsage().maxRSS)))";

/** Invalid input to the command line. */
export interface BadInput {
  title: string;
  /** Files by name, below the row's own folder. */
  files?: Readonly<Record<string, string | Buffer>>;
  /** Creates entries that are not regular files. */
  prepare?(folder: string): Promise<void>;
  /** Removes what `prepare` created outside the folder. */
  after?(folder: string): Promise<void>;
  /** Arguments. Default: `apply infra.yaml --yes`. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  stdin?: string | Buffer;
  /** Runs as an unprivileged user, if the test runs as root. */
  unprivileged?: boolean;
  exit: number;
  /** Expected `file:line:column` without the folder, if a file is to blame. */
  place?: string;
  /** Expected text of the (first) error. */
  says: RegExp;
  /** Number of errors. Default: 1. */
  errors?: number;
}

export interface Seen {
  exit: number;
  output: string;
  ms: number;
  /** Peak resident memory in MiB, for the process or its process tree, sampled every 20 ms. */
  peakMiB: number;
}

/** Recorder of the modules that run, in a recording run (scripts/proofs/record.ts). */
const RECORDER = process.env.RECORDED_ROOT ? process.env.NODE_OPTIONS : '';

/** Runs the built command line on a bad input, with its own folder and home. */
export async function runRow({ files = {}, prepare, after, args, env = {}, stdin, unprivileged }: BadInput): Promise<Seen> {
  const folder = await mkdtemp(join(tmpdir(), 'bad-input-'));
  let prepared = false;
  try {
    await chmod(folder, 0o777);
    await mkdir(join(folder, 'home'));
    await chmod(join(folder, 'home'), 0o777);
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    await prepare?.(folder);
    prepared = true;
    const peak = join(folder, 'peak');
    await writeFile(join(folder, 'watch.cjs'), WATCH);
    await writeFile(peak, '');
    await chmod(peak, 0o666);
    // Node would read the certificates of NODE_EXTRA_CA_CERTS at every start, without a use here.
    const own = Object.entries(process.env).filter(
      ([name]) => !/^(TEMPORAL_|PROVISIONING_|VITEST|NODE_OPTIONS|NODE_EXTRA_CA_CERTS)/.test(name),
    );
    const started = performance.now();
    const nobody = unprivileged && process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const child = spawn(process.execPath, [PROGRAM, ...(args ?? ['apply', 'infra.yaml', '--yes'])], {
      cwd: folder,
      env: {
        ...Object.fromEntries(own),
        HOME: folder,
        PROVISIONING_HOME: join(folder, 'home'),
        NODE_OPTIONS: `${RECORDER} --require=${join(folder, 'watch.cjs')}`,
        PEAK_FILE: peak,
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('FOLDER', folder)])),
      },
      stdio: 'pipe',
      timeout: GIVE_UP_MS,
      killSignal: 'SIGKILL',
      ...nobody,
    });
    let mostTogether = 0;
    const watch = setInterval(() => {
      mostTogether = Math.max(mostTogether, treeMiB(child.pid ?? 0));
      if (mostTogether > GIVE_UP_MIB) child.kill('SIGKILL');
    }, 20);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    const [code] = (await once(child, 'close')) as [number | null];
    const ms = performance.now() - started;
    clearInterval(watch);
    const peakMiB = Math.max(Number(await readFile(peak, 'utf8')) / 1024, mostTogether);
    return { exit: code ?? -1, output: output.replaceAll(`${folder}/`, ''), ms, peakMiB };
  } finally {
    if (prepared) await after?.(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the resident memory of a process tree in MiB. Processes that have just ended do not count. */
function treeMiB(pid: number): number {
  try {
    const own = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    const below = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return below.reduce((sum, one) => sum + treeMiB(Number(one)), own);
  } catch {
    return 0;
  }
}

/** Returns the errors of an output as a person counts them: a file's problems, otherwise the lines of errors. */
export function errorsIn(output: string): string[] {
  const lines = output.split('\n');
  const problems = lines.filter((line) => /^\S[^:]*:\d+:\d+: /.test(line));
  return problems.length > 0 ? problems : lines.filter((line) => line.startsWith('error: '));
}

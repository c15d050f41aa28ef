import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Code, codesIn } from './record-code.js';

/** `SCRIPT PACK OUT ARGUMENTS…`: a script that runs a pack, and writes the compiled code to `OUT` (record-code.ts). */
export interface RecordingRun {
  script: string;
  args: readonly string[];
  /** Flags of V8. It accepts compiled code only in a process with the same flags. */
  flags?: readonly string[];
}

/** Time limit of a run, in milliseconds. A run takes about two seconds. */
const LIMIT_MS = 60_000;

/** Variables that a program needs to run here. All others are left out. */
const NEEDED = /^(PATH|TMPDIR|LANG|LC_[A-Z]+)$/;

/**
 * Returns the environment of a recording run. A run applies an example: with the environment of the build it could reach
 * the server, the engine or the cloud account of the person who installs the package. So it has only what it needs, a
 * home of its own, and the address of a Temporal service that does not answer. Otherwise the first operation would start
 * an engine for that home.
 *
 * @param folder an empty folder
 */
function recordingEnvironment(folder: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const needed = Object.entries(env).filter(([name]) => NEEDED.test(name));
  const home = { PROVISIONING_HOME: join(folder, 'home'), HOME: folder, TEMPORAL_ADDRESS: '127.0.0.1:1' };
  return { ...Object.fromEntries(needed), ...home };
}

/**
 * Runs a pack to compile its code.
 *
 * @param bare the pack without compiled code
 * @param limitMs time limit of a run. After a run that takes longer, the others are left out: the machine is too busy
 * @returns the compiled code by the name of its chunk, and the runs without code
 */
export async function recordRuns(
  root: string,
  runs: readonly RecordingRun[],
  bare: Uint8Array,
  limitMs = LIMIT_MS,
): Promise<{ compiled: Map<string, Buffer>; failures: string[] }> {
  const compiled = new Map<string, Buffer>();
  const failures: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-pack-'));
  try {
    const pack = join(folder, 'bare.pack');
    await writeFile(pack, bare);
    let isLate = false;
    for (const [index, { script, args, flags = [] }] of runs.entries()) {
      const out = join(folder, String(index));
      if (!isLate) {
        const words = ['--import', 'tsx', ...flags, join(root, script), pack, out, ...args];
        const env = recordingEnvironment(folder);
        const options = { cwd: root, env, extendEnv: false, reject: false, stdio: 'ignore', timeout: limitMs } as const;
        ({ timedOut: isLate } = await execa(process.execPath, words, { ...options, killSignal: 'SIGKILL' }));
      }
      const codes = isLate ? undefined : await readCodes(out);
      if (!codes) failures.push([script, ...args].join(' '));
      for (const [name, code] of codes ?? []) {
        if (code.length > (compiled.get(name)?.length ?? 0)) compiled.set(name, code);
      }
    }
    return { compiled, failures };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns what a run wrote, undefined if it has no code or only a part. */
async function readCodes(out: string): Promise<Code[] | undefined> {
  try {
    const codes = codesIn(await readFile(out));
    return codes.length > 0 ? codes : undefined;
  } catch {
    return undefined;
  }
}

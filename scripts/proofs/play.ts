import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type RecordedInputs, readProofs, writeProofs } from './proofs.js';
import { type Ended, WHOLE } from './reporter.js';
import type { State } from './state.js';
import { whyNoProofs } from './why-no-proofs.js';

/** Completed run of test files. */
export interface Played {
  exitCode: number;
  ended: Ended[];
  /** Whether only files of `ended` failed: the run was not interrupted, and there were no other errors. */
  isWhole: boolean;
}

const WITH_PROOFS = ['slow', 'rooms', 'end-to-end'];

/**
 * Plays test files and returns how each ended, even if the run is interrupted.
 *
 * @param files an empty list plays all files of the projects.
 * @param env names the files that are played in part.
 * @param cwd the copy of the repository in which they are played.
 * @param options `projects` defaults to those whose files have proofs; `show` gets the output in one piece at the end
 * (default: printed immediately)
 */
export async function play(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  { projects = WITH_PROOFS, show }: { projects?: readonly string[]; show?(text: string): void } = {},
): Promise<Played> {
  const folder = await mkdtemp(join(tmpdir(), 'ended-'));
  try {
    const path = join(folder, 'ended');
    const options = [...projects.flatMap((project) => ['--project', project]), '--reporter=default'];
    const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
    const { exitCode, all } = await execa(
      'npx',
      ['vitest', 'run', ...options, `--reporter=${join(cwd, 'scripts/proofs/reporter.ts')}`, ...files],
      {
        cwd,
        env: { ...env, ENDED_TESTS: path, ENDED_ROOT: cwd, ...(show && color) },
        ...(show ? { all: true, stdin: 'ignore' } : { stdio: 'inherit' }),
        reject: false,
      },
    );
    show?.(`${all}\n`);
    return { exitCode: exitCode ?? 1, ...readEnded(await readFile(path, 'utf8').catch(() => '')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Parses the output of the reporter. */
export function readEnded(text: string): Pick<Played, 'ended' | 'isWhole'> {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Ended | typeof WHOLE => JSON.parse(line));
  return { ended: lines.filter((line) => line !== WHOLE), isWhole: lines.includes(WHOLE) };
}

/**
 * Stores the new proofs with the inputs at the beginning of the run.
 *
 * @param state read before the run, and held
 * @returns the number of files
 */
export async function keepProofs(root: string, ended: readonly Ended[], state: State, recorded?: RecordedInputs): Promise<number> {
  const why = await whyNoProofs();
  if (why !== undefined) {
    console.log(`proofs: not written, since this machine leaves tests out: ${why}`);
    return 0;
  }
  // Read again: another run may have written in between.
  const proofs = readProofs(root);
  const proven = ended.filter((one) => one.proven);
  for (const { file, seconds } of proven) proofs[file] = await state.proofOf(file, seconds, recorded);
  // Failed files lose their proofs, and removed files need none.
  const there = new Set(state.candidates.map(({ file }) => file));
  for (const file of Object.keys(proofs)) {
    if (!there.has(file) || ended.some((one) => one.file === file && one.failed)) delete proofs[file];
  }
  writeProofs(root, proofs);
  return proven.length;
}

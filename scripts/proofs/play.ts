import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type RecordedInputs, readProofs, writeProofs } from './proofs.js';
import type { Ended } from './reporter.js';
import type { State } from './state.js';
import { whyNoProofs } from './why-no-proofs.js';

/**
 * Plays test files and answers how each ended, also if the run is interrupted.
 *
 * @param env names the files that are played in part
 * @param cwd the copy of the repository that they are played in
 * @param projects default: those whose files have proofs
 */
export async function play(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  projects: readonly string[] = ['slow', 'rooms', 'end-to-end'],
) {
  const folder = await mkdtemp(join(tmpdir(), 'ended-'));
  try {
    const path = join(folder, 'ended');
    const { exitCode } = await execa(
      'npx',
      [
        'vitest',
        'run',
        ...projects.flatMap((project) => ['--project', project]),
        '--reporter=default',
        `--reporter=${join(cwd, 'scripts/proofs/reporter.ts')}`,
        ...files,
      ],
      { cwd, env: { ...env, ENDED_TESTS: path, ENDED_ROOT: cwd }, stdio: 'inherit', reject: false },
    );
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    return { exitCode: exitCode ?? 1, ended: lines.map((line): Ended => JSON.parse(line)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes down what was proven, on the inputs as they were when the run began.
 *
 * @param state read before the run, and held
 * @returns how many files
 */
export async function keepProofs(root: string, ended: readonly Ended[], state: State, recorded?: RecordedInputs): Promise<number> {
  const why = await whyNoProofs();
  if (why !== undefined) {
    console.log(`proofs: not written, since this machine leaves tests out: ${why}`);
    return 0;
  }
  // Another run may have written meanwhile.
  const proofs = readProofs(root);
  const proven = ended.filter((one) => one.proven);
  for (const { file, seconds } of proven) proofs[file] = await state.proofOf(file, seconds, recorded);
  // What failed is proven no longer, and what is gone needs no proof.
  const there = new Set(state.candidates.map(({ file }) => file));
  for (const file of Object.keys(proofs)) {
    if (!there.has(file) || ended.some((one) => one.file === file && one.failed)) delete proofs[file];
  }
  writeProofs(root, proofs);
  return proven.length;
}

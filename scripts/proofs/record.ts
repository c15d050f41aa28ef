import { chmod, mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { removeCopy, rewrittenCopy } from '../trace/copy.js';
import { play } from './play.js';
import { speaking } from './speaking.js';

/** Paths of the repository that a test file used. */
export interface Recorded {
  /** Source modules of which a function ran, in any of its processes. */
  ran: string[];
  /** Modules of which a function ran while modules were loaded. */
  loaded: string[];
  /** Other files of the repository that it opened or passed to a program. */
  opened: string[];
}

/**
 * Plays test files in an instrumented copy of the repository, in which each function reports that it runs.
 *
 * @param projects as in `play`
 * @returns the recorded inputs by test file, and the results of the files
 */
export async function record(root: string, files: readonly string[], projects?: readonly string[]) {
  const copy = await mkdtemp(join(tmpdir(), 'recorded-'));
  const folder = join(copy, 'recorded');
  try {
    // Some tests start the command line as another user.
    await chmod(copy, 0o755);
    await rewrittenCopy(root, copy, speaking);
    await mkdir(folder);
    const env = {
      RECORDED_ROOT: copy,
      RECORDED_FOLDER: folder,
      NODE_OPTIONS: `--import ${join(copy, 'scripts/proofs/recorder.mjs')}`,
      TESTS_SET_UP: 'scripts/proofs/set-recording.ts',
    };
    await execa('npm', ['run', '-s', 'build:generated'], { cwd: copy, env, stdio: 'inherit' });
    const { exitCode, ended } = await play(files, env, copy, { projects });
    return { exitCode, ended, recorded: await readRecorded(root, folder) };
  } finally {
    await removeCopy(root, copy);
  }
}

async function readRecorded(root: string, folder: string): Promise<Map<string, Recorded>> {
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root });
  const known = new Set(stdout.split('\n'));
  const all = new Map<string, Recorded>();
  for (const name of await readdir(folder)) {
    const notes = (await readFile(join(folder, name), 'utf8')).split('\n').map((line) => line.split(/ (.*)/s));
    const of = (wanted: string) =>
      [...new Set(notes.flatMap(([kind, path = '']) => (kind === wanted && known.has(path) ? [path] : [])))].sort();
    all.set(name.replaceAll('%', '/'), { ran: of('ran'), loaded: of('load'), opened: of('open') });
  }
  return all;
}

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { play } from './play.js';
import { speaking } from './speaking.js';

/** Not of the product: these count whole, by the imports of a test. */
const OTHERS = /^(test|scripts|bench|docs)\//;

/** What a test file was seen to use: paths of the repository. */
export interface Recorded {
  /** Source modules of which a function ran, in any of its processes. */
  ran: string[];
  /** Those of which a function ran while modules were loaded. */
  loaded: string[];
  /** Other files of the repository that it opened, or gave to a program. */
  opened: string[];
}

/**
 * Plays test files in a copy of the repository in which each function says that it runs, and answers what they used. The
 * copy is a work tree of the same Git, so that tests which read its history find it.
 *
 * @returns by test file; and how the files ended
 */
export async function record(root: string, files: readonly string[]) {
  const copy = await mkdtemp(join(tmpdir(), 'recorded-'));
  const folder = join(copy, 'recorded');
  try {
    await copyInstrumented(root, copy);
    await mkdir(folder);
    const env = {
      RECORDED_ROOT: copy,
      RECORDED_FOLDER: folder,
      NODE_OPTIONS: `--import ${join(copy, 'scripts/proofs/recorder.mjs')}`,
      TESTS_SET_UP: 'scripts/proofs/set-recording.ts',
    };
    await execa('npm', ['run', '-s', 'build:generated'], { cwd: copy, env, stdio: 'inherit' });
    const { exitCode, ended } = await play(root, files, env, copy);
    return { exitCode, ended, recorded: await readRecorded(root, folder) };
  } finally {
    await execa('git', ['worktree', 'remove', '--force', copy], { cwd: root, reject: false });
    await rm(copy, { recursive: true, force: true });
  }
}

async function copyInstrumented(root: string, copy: string): Promise<void> {
  await execa('git', ['worktree', 'add', '--detach', '-f', copy, 'HEAD'], { cwd: root });
  // What is not committed yet counts as well.
  await execa('bash', ['-c', `git ls-files -mo --exclude-standard -z | xargs -0 -r cp --parents -t ${copy}`], { cwd: root });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await execa('npm', ['run', '-s', 'generate'], { cwd: copy });
  const { stdout } = await execa('git', ['ls-files', '-co', '*.ts'], { cwd: copy });
  for (const path of stdout.split('\n')) {
    if (OTHERS.test(path) || path.endsWith('.test.ts') || path.endsWith('.d.ts')) continue;
    const file = join(copy, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, speaking(path, await readFile(file, 'utf8')));
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

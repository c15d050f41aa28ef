/** Runs scripts of package.json, two at a time: `tsx scripts/side-by-side.ts check:types check:rules`. Run by `npm run check`. */
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/** Processors of the smallest machine that is used for this project. */
const AT_ONCE = 2;

/** A script that failed. */
export interface Failure {
  script: string;
  /** All that it printed. */
  output: string;
}

/**
 * Runs npm scripts in order, and shows the output of each in one piece when it ends. All scripts run, so that one run
 * reports all faults.
 *
 * @param failures gets the scripts that fail
 * @returns the exit code of the first that fails; 0 if all pass
 */
export async function sideBySide(
  root: string,
  scripts: readonly string[],
  show: (text: string) => void,
  failures: Failure[] = [],
): Promise<number> {
  const left = [...scripts];
  let exitCode = 0;
  const lane = async (): Promise<void> => {
    for (let script = left.shift(); script !== undefined; script = left.shift()) {
      const start = performance.now();
      const env = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
      const ended = await execa('npm', ['run', '-s', script], { cwd: root, env, all: true, reject: false, stdin: 'ignore' });
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      // A process that is ended by a signal has no exit code.
      const code = ended.failed ? ended.exitCode || 1 : 0;
      exitCode ||= code;
      if (code !== 0) failures.push({ script, output: ended.all ?? '' });
      show(`${ended.all ? `${ended.all}\n` : ''}${script}: ${code === 0 ? 'passed' : `failed with ${code}`}, ${seconds} s\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return exitCode;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  process.exitCode = await sideBySide(root, process.argv.slice(2), (text) => process.stdout.write(text));
}

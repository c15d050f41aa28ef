import type { BackupProgram, Watch } from '../../app/backup/backup-program.js';
import { runEngine } from './run-engine.js';

/**
 * Runs the engine's program for each backup: it needs its own memory and time, and ends its process at a signal.
 *
 * @param env has the home, as in the process that requests the backup
 * @param program path of the engine's program. Default: the program of this build
 */
export function backupProgram(env: NodeJS.ProcessEnv, program?: string): BackupProgram {
  async function run<T>({ report, signal }: Watch, ...args: string[]): Promise<T> {
    const around = { env, verbose: false, err: process.stderr, signal };
    return (await runEngine<T>(around, ['backup', ...args], report, program)).result;
  }
  return {
    create: ({ file, folder, logs }, watch) =>
      run(watch, 'create', file === undefined ? `--folder=${folder}` : `--out=${file}`, ...(logs ? [] : ['--no-logs'])),
    list: (folder) => run({ report: () => {} }, 'list', '--', folder),
    verify: (file, watch) => run(watch, 'verify', '--', file),
    sweep: ({ check, graceHours }, watch) =>
      run(watch, 'sweep', ...(check ? ['--check'] : []), ...(graceHours === undefined ? [] : [`--grace=${graceHours}`])),
  };
}

import type { BackupProgram } from '../app/backup/backup-program.js';
import { runEngine } from '../cli/shared/engine.js';

/**
 * Runs the engine's program for each backup: it needs memory and time for itself, and ends its process at a signal.
 *
 * @param program path of the engine's program
 * @param env has the home, as the worker has it
 */
export function backupProgram(program: string, env: NodeJS.ProcessEnv): BackupProgram {
  async function run<T>(...args: string[]): Promise<T> {
    const around = { env, verbose: false, err: process.stderr };
    return (await runEngine<T>(around, ['backup', ...args], () => {}, program)).result;
  }
  return {
    create: ({ folder, logs }) => run('create', `--folder=${folder}`, ...(logs ? [] : ['--no-logs'])),
    list: (folder) => run('list', '--', folder),
    verify: (file) => run('verify', '--', file),
  };
}

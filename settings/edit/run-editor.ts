import { spawn } from 'node:child_process';
import { addAbortListener } from 'node:events';

/**
 * Opens a file in an editor and waits until it exits.
 *
 * @param editor a command; it may contain arguments, like `EDITOR` of Git
 * @param signal ends the editor
 * @returns why it failed; undefined for exit code 0
 */
export async function runEditor(
  editor: string,
  path: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit', env });
  const stop = () => child.kill('SIGTERM');
  const listening = signal && addAbortListener(signal, stop);
  return new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, by) => resolve(code === 0 ? undefined : `the editor ended with ${code ?? by}`));
  }).finally(() => listening?.[Symbol.dispose]());
}

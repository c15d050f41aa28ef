import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { HOST_STATE } from '../../activities/host/paths.js';
import type { Transport } from '../../activities/host/transport.js';
import { outputOf } from './output-of.js';

/** Whether this user may mount its own folder over that of a host. */
export const mayMount = (() => {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();

/**
 * Returns this machine as a separate host, with `state` as the folder for its journals. Requires `mayMount`.
 *
 * @param commands a folder of programs that replace the machine's own
 */
export function journalHost(folder: string, commands?: string): { state: string; host: Transport } {
  const state = join(folder, 'state');
  mkdirSync(state);
  if (!existsSync(HOST_STATE)) mkdirSync(HOST_STATE, { mode: 0o700 });
  const standIns = commands === undefined ? '' : `mount --bind '${commands}' /usr/local/sbin && `;
  const command = `mount --bind '${state}' ${HOST_STATE} && ${standIns}exec bash -s`;
  const exec: Transport['exec'] = (script, { onOutput } = {}) =>
    outputOf(spawn('unshare', ['-m', 'bash', '-c', command], { stdio: 'pipe' }), script, onOutput);
  return { state, host: { exec } };
}

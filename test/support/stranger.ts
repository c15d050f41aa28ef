import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const NOBODY = 65_534;
/** Runs as another user if permitted; otherwise as this user, without the home's environment. */
const AS_NOBODY = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups', '--no-new-privs'];
export const canBeNobody = process.getuid?.() === 0;

/** Runs a program as another user of this machine, with an empty environment. */
export function asNobody(...command: string[]) {
  const [program = '', ...args] = canBeNobody ? ['setpriv', ...AS_NOBODY, ...command] : command;
  return execa(program, args, { env: { PATH: '/usr/bin:/bin' }, extendEnv: false, cwd: '/', reject: false, stdin: 'ignore' });
}

/**
 * Returns the result of each way in that another user tried at each port.
 *
 * @param engine binary that creates that user's own certificates
 */
export async function tryPorts(engine: string, ports: readonly number[]): Promise<Record<string, Record<string, string>>> {
  const place = await mkdtemp(join(tmpdir(), 'stranger-'));
  try {
    const script = join(place, 'stranger.mjs');
    await copyFile(join(import.meta.dirname, 'stranger.mjs'), script);
    await execa(engine, ['certificates', '--folder', join(place, 'own')]);
    for (const one of [place, join(place, 'own')]) await chmod(one, 0o755);
    for (const one of [script, join(place, 'own', 'client.pem')]) await chmod(one, 0o644);
    const { stdout, stderr } = await asNobody(process.execPath, script, join(place, 'own', 'client.pem'), ...ports.map(String));
    if (!stdout) throw new Error(stderr);
    return JSON.parse(stdout);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

import { readFile } from 'node:fs/promises';
import { unreachableError } from '../../../sdk/index.js';
import { runProgram } from './run-program.js';

const ENV = { DEBIAN_FRONTEND: 'noninteractive' };

/** Reports whether this machine runs Debian or Ubuntu and we may install packages. */
export async function mayInstall(): Promise<boolean> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return process.getuid?.() === 0 && /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(text);
}

/** Reports whether a program is on the path. */
export async function has(program: string): Promise<boolean> {
  const { exitCode } = await runProgram('sh', ['-c', 'command -v "$0"', program], { reject: false });
  return exitCode === 0;
}

/**
 * Installs Debian packages on this machine, without recommended packages.
 *
 * @throws unreachableError `install-failed` with the last output of apt
 */
export async function install(packages: readonly string[]): Promise<void> {
  const arguments_ = ['-o', 'DPkg::Lock::Timeout=300', '--no-install-recommends', '-y', '-qq', 'install', ...packages];
  const first = await runProgram('apt-get', ['-qq', 'update'], { env: ENV, all: true, reject: false });
  const second = await runProgram('apt-get', arguments_, { env: ENV, all: true, reject: false });
  if (second.exitCode === 0) return;
  const why = `${first.all ?? ''}\n${second.all ?? ''}`.trim().split('\n').slice(-4).join('; ');
  throw unreachableError({ code: 'install-failed', what: 'install packages', on: packages.join(', '), why });
}

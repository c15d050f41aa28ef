import { execa } from 'execa';

/**
 * Programs that tests need and a plain machine lacks; `.ci/run` installs them. If one is missing, parts of tests are
 * skipped.
 */
const NEEDED: readonly string[] = ['docker-compose', 'debootstrap', 'ssh', 'pg_ctlcluster', 'setpriv', 'strace'];

/**
 * Returns why passed tests on this machine prove less: a file with half of its tests skipped has passed too.
 *
 * @returns undefined if nothing is missing
 */
export async function whyNoProofs(needed: readonly string[] = NEEDED): Promise<string | undefined> {
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const has = async (...command: [string, ...string[]]) => {
    const { exitCode } = await execa('bash', ['-c', '"$@" >/dev/null 2>&1', 'bash', ...command], { env, reject: false });
    return exitCode === 0;
  };
  const there = await Promise.all(needed.map((command) => has('bash', '-c', `command -v ${command}`)));
  const missing = needed.filter((_, index) => !there[index]);
  if (missing.length > 0) return `it lacks ${missing.join(', ')}`;
  if (!(await has('python3', '-c', 'import ensurepip'))) return 'its Python makes no virtual environments';
  return (await has('docker', 'info')) ? undefined : 'no Docker Engine answers';
}

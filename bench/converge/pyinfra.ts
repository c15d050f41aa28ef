import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { install } from '../../providers/local/prepare/packages.js';
import { writeContents } from './contents.js';
import { HOSTS } from './hosts.js';
import type { Peer } from './peer.js';
import { workOf } from './work.js';

const deploy = fileURLToPath(new URL('pyinfra-deploy.py', import.meta.url));

/** pyinfra from PyPI, in its own environment in the cache. */
export const pyinfra: Peer = {
  name: 'pyinfra',
  goal: 0.2,

  async prepare({ folder, cache, hosts, access: { identity, knownHosts } }) {
    const environment = join(cache, 'pyinfra');
    const program = join(environment, 'bin', 'pyinfra');
    if (!existsSync(program)) {
      await mkdir(cache, { recursive: true });
      const made = await execa('python3', ['-m', 'venv', '--clear', environment], { reject: false });
      if (made.exitCode !== 0) {
        await install(['python3-venv']);
        await execa('python3', ['-m', 'venv', '--clear', environment]);
      }
      await execa(join(environment, 'bin', 'pip'), ['install', '-q', 'pyinfra']);
    }
    const data = { ssh_user: 'root', ssh_key: identity, ssh_known_hosts_file: knownHosts, ssh_strict_host_key_checking: 'yes' };
    const rows = hosts.map(({ name, address, port }) => [name, { ssh_hostname: address, ssh_port: port, ...data }]);
    await writeFile(join(folder, 'inventory.py'), `hosts = [tuple(row) for row in ${JSON.stringify(rows)}]\n`);
    await writeFile(join(folder, 'work.json'), JSON.stringify({ ...workOf(), files: await writeContents(folder, workOf()) }));
    await copyFile(deploy, join(folder, 'deploy.py'));
    const { stdout } = await execa(program, ['--version']);
    process.stdout.write(`${stdout}\n`);
    return { command: program, args: ['-y', 'inventory.py', 'deploy.py'], cwd: folder };
  },

  assertIdle({ output }) {
    // Columns: hosts, success, error, no change. Its checks are commands, which it counts as successes.
    const [, , success, error, unchanged] = /Grand total +(\d+) +(\d+|-) +(\d+|-) +(\d+|-)/.exec(output) ?? [];
    const { packages, files, directories, absent, services, checks } = workOf();
    const states = Math.min(1, packages.length) + files.length + directories.length + absent.length + 2 * services.length;
    if (Number(success) !== HOSTS.length * checks.length || error !== '-' || Number(unchanged) !== HOSTS.length * states) {
      throw new Error(`deploy again: ${output.slice(output.indexOf('--> Results'))}`);
    }
  },
};

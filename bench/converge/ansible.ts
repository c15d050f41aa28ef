import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { has, install } from '../../providers/local/prepare/packages.js';
import { writeContents } from './contents.js';
import { HOSTS } from './hosts.js';
import type { Peer } from './peer.js';
import { type Work, workOf } from './work.js';

/** Debian's ansible-core: pipelining, persistent connections (its default), no facts, all hosts at once. */
export const ansible: Peer = {
  name: 'ansible',
  goal: 0.04,

  async prepare({ folder, hosts, access: { identity, knownHosts } }) {
    if (!(await has('ansible-playbook'))) await install(['ansible-core']);
    const control = join(folder, 'cp');
    await mkdir(control, { recursive: true });
    const rows = hosts.map(({ name, address, port }) => `${name} ansible_host=${address} ansible_port=${port}`);
    await writeFile(join(folder, 'hosts.ini'), `[bench]\n${rows.join('\n')}\n`);
    await writeFile(join(folder, 'ansible.cfg'), config({ identity, knownHosts, control }));
    const files = await writeContents(folder, workOf());
    await writeFile(join(folder, 'site.json'), JSON.stringify([playbook({ ...workOf(), files })], null, 2));
    const { stdout } = await execa('ansible-playbook', ['--version']);
    process.stdout.write(`${stdout.split('\n')[0]}\n`);
    return { command: 'ansible-playbook', args: ['site.json'], cwd: folder, env: { ANSIBLE_CONFIG: join(folder, 'ansible.cfg') } };
  },

  assertIdle({ stdout }) {
    const recap = stdout.split('PLAY RECAP')[1] ?? '';
    if ((recap.match(/changed=0 .*unreachable=0 .*failed=0/g) ?? []).length !== HOSTS.length)
      throw new Error(`play again: ${recap.trim()}`);
  },
};

const config = ({ identity, knownHosts, control }: { identity: string; knownHosts: string; control: string }) => `[defaults]
inventory = hosts.ini
forks = 10
gathering = explicit
remote_user = root
private_key_file = ${identity}
interpreter_python = /usr/bin/python3
[ssh_connection]
pipelining = True
control_path_dir = ${control}
ssh_args = -C -o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=${knownHosts}
`;

function playbook({
  packages,
  files,
  directories,
  absent,
  services,
  checks,
}: Omit<Work, 'files'> & { files: Awaited<ReturnType<typeof writeContents>> }) {
  const handlerOf = (path: string) => services.filter(({ reads }) => reads.includes(path)).map(({ name }) => `apply ${name}`);
  return {
    hosts: 'bench',
    gather_facts: false,
    tasks: [
      { name: 'packages', apt: { name: packages, state: 'present', install_recommends: false } },
      ...absent.map((path) => ({ name: `no ${path}`, file: { path, state: 'absent' }, notify: handlerOf(path) })),
      ...directories.map((path) => ({
        name: path,
        file: { path, state: 'directory', mode: '0755', owner: 'root', group: 'root' },
      })),
      ...files.map(({ path, src, mode, owner, group }) => ({
        name: path,
        copy: { src, dest: path, mode, owner, group },
        notify: handlerOf(path),
      })),
      ...services.map(({ name }) => ({ name, systemd: { name, state: 'started', enabled: true } })),
      { meta: 'flush_handlers' },
      ...checks.map(({ title, command, expect }, index) => ({
        name: title,
        ...(needsShell(command) ? { shell: { cmd: command, executable: '/bin/bash' } } : { command }),
        register: `check_${index}`,
        changed_when: false,
        until: `check_${index}.rc == 0 and ${JSON.stringify(expect)} in check_${index}.stdout`,
        retries: 30,
        delay: 1,
      })),
    ],
    handlers: services.map(({ name, change }) => ({
      name: `apply ${name}`,
      systemd: { name, state: change === 'reload' ? 'reloaded' : 'restarted' },
    })),
  };
}

/** Reports whether a command needs a shell. The faster module `command` accepts only words: no variables, no pipes. */
const needsShell = (command: string) => /[$`|&;<>(){}]/.test(command);

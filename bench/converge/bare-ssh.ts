import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quote } from '../../core/host/shell.js';
import { HOSTS } from './hosts.js';
import type { Peer } from './peer.js';
import { type Work, workOf } from './work.js';

/** The baseline: one parallel ssh per host, each with one script. Connections are not kept. */
export const bareSsh: Peer = {
  name: 'bare ssh',
  goal: 0.7,

  async prepare({ folder, hosts, access: { identity, knownHosts } }) {
    const script = join(folder, 'converge.sh');
    const launcher = join(folder, 'launch.sh');
    const options = `-o BatchMode=yes -o UserKnownHostsFile=${knownHosts} -i ${identity}`;
    const starts = hosts.map(
      ({ address, port }) => `ssh ${options} -p ${port} root@${address} bash -s <${script} & pids="$pids $!"`,
    );
    await writeFile(script, scriptOf(workOf()));
    await writeFile(launcher, `pids=\n${starts.join('\n')}\nfor pid in $pids; do wait "$pid" || exit 1; done\n`);
    return { command: 'bash', args: [launcher] };
  },

  assertIdle({ stdout }) {
    if (stdout.includes('changed')) throw new Error(`run the script again: ${stdout}`);
    if ((stdout.match(/^well$/gm) ?? []).length !== HOSTS.length)
      throw new Error(`run the script again: not all hosts are well: ${stdout}`);
  },
};

function scriptOf({ packages, files, directories, absent, services, checks }: Work): string {
  const names = services.map(({ name }) => name).join(' ');
  const running = services.map(() => 'ActiveState=active\nUnitFileState=enabled').join('\n\n');
  return `export LC_ALL=C DEBIAN_FRONTEND=noninteractive
changed() { echo "changed $1"; touch "$d/$2"; }
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT
if [ "$(dpkg-query -W -f '\${db:Status-Abbrev}' ${packages.join(' ')} 2>/dev/null)" != '${packages.map(() => 'ii ').join('')}' ]; then
  changed packages packages
  apt-get -q -y --no-install-recommends install ${packages.join(' ')} || exit 1
fi
put() {
  [ -e "$1" ] && printf %s "$content" | cmp -s - "$1" && [ "$(stat -c '%a %U:%G' "$1")" = "$2 $3" ] && return
  changed "$1" "$4"
  printf %s "$content" >"$1" && chown "$3" "$1" && chmod "$2" "$1" || exit 1
}
${absent.map((path) => `[ ! -e ${path} ] || { rm -f ${path}; changed ${path} ${flagOf(services, path)}; }`).join('\n')}
${directories.map((path) => `[ -d ${path} ] || install -d ${path} || exit 1`).join('\n')}
${files.map(({ path, content, mode, owner, group }) => `content=${quote(content)}\nput ${path} ${Number(mode)} ${owner}:${group} ${flagOf(services, path)}`).join('\n')}
${services.map(({ name, change }) => `[ ! -e "$d/${name}" ] || systemctl ${change === 'reload' ? 'reload-or-restart' : 'restart'} ${name} || exit 1`).join('\n')}
if [ "$(systemctl show -p ActiveState,UnitFileState ${names})" != ${quote(running)} ]; then
  changed services services
  systemctl enable -q --now ${names} || exit 1
fi
check() {
  for try in $(seq 300); do case $(eval "$1" 2>&1) in *"$2"*) return;; esac; sleep 0.1; done
  echo "not well: $1"; exit 1
}
${checks.map(({ command, expect }) => `check ${quote(command)} ${quote(expect)}`).join('\n')}
echo well
`;
}

const flagOf = (services: Work['services'], path: string) => services.find(({ reads }) => reads.includes(path))?.name ?? 'none';

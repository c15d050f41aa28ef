import type { MemberSeen } from '../chaos/group-findings.js';
import type { HostShell } from './hosts.js';

/** Bash that defines `ctl`, which asks the member of a host itself. */
const DEFINES_CTL = `ctl() { ETCDCTL_API=3 etcdctl --endpoints=https://127.0.0.1:2379 --cacert=/etc/etcd/authority.pem \\
  --cert=/etc/etcd/certificate.pem --key=/etc/etcd/key.pem --command-timeout=20s "$@" 2>&1; }`;

/** Runs etcdctl on a host with a member with TLS, against this member. */
export const askMember =
  (shell: HostShell) =>
  (words: string): Promise<string> =>
    shell(`${DEFINES_CTL}\nctl ${words}`);

/** Prints what a member says, and what is on its host that an operation may have left. */
const LOOK = `${DEFINES_CTL}
status=$(ctl endpoint status -w json)
number() { grep -o "\\"$1\\":[0-9]*" <<<"$status" | head -n 1 | cut -d: -f2; }
revision=$(number revision)
echo "cluster $(number cluster_id)"
echo "own $(ctl endpoint status | awk -F', ' '{ print $2, $5 }')"
echo "revision $revision"
echo "hash $(ctl endpoint hashkv --rev="$revision" | cut -d' ' -f2)"
ctl member list | sed 's/^/member /'
for path in /run/provisioning-etcd/initial /var/lib/etcd/* /var/lib/etcd/.[!.]*; do
  if [ -e "$path" ] && [ "$path" != /var/lib/etcd/default ]; then echo "left $path"; fi
done
for process in $(pgrep -f '/var/lib/provisioning/operation[s]/' || true); do
  echo "left process $(tr '\\0' ' ' </proc/$process/cmdline | head -c 200)"
done`;

/** Asks a member of an etcd cluster, and looks at what is on its host. */
export async function lookAtMember(server: string, shell: HostShell): Promise<MemberSeen> {
  const lines = (await shell(LOOK)).split('\n');
  const all = (word: string) => lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  const [id = '', leads] = (all('own')[0] ?? '').split(' ');
  return {
    ...{ server, id, leads: leads === 'true', cluster: all('cluster')[0] ?? '' },
    ...{ revision: Number(all('revision')[0]), hash: all('hash')[0] ?? '', list: all('member'), left: all('left') },
  };
}

import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';

const GROUPS = '/sys/fs/cgroup';
/** A name server that never answers: an address of documentation. */
const SILENT = '192.0.2.1';
const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** Returns the name servers of this machine that pods can reach. */
function nameServers(): string {
  const lines = readFileSync('/etc/resolv.conf', 'utf8').match(/^nameserver (?!127\.|::1).*$/gm) ?? [`nameserver ${SILENT}`];
  return lines.join('\n');
}

/**
 * Returns a script of root that prepares a host for a kubelet, now and after each start. Run it before containerd and the
 * kubelet start. The host needs the package `nftables`, the setting `nestedContainers` of the local provider, and a volume
 * at `/var/lib/containerd`: overlays do not stack. `removeKubeGroups` removes what stays on the machine.
 *
 * The kubelet's `resolvConf` must be `/etc/kubernetes/resolv.conf`: pods cannot reach the engine's name server. Its unit must
 * read `/etc/default/kubelet`, as kubeadm's own does.
 */
export const kubeHostScript = (): string => `set -euo pipefail
cat >/usr/local/sbin/kube-host <<'END_OF_SCRIPT'
${read('kube-host.sh')}END_OF_SCRIPT
cat >/etc/systemd/system/kube-host.service <<'END_OF_UNIT'
${read('kube-host.service')}END_OF_UNIT
mkdir -p /etc/kubernetes
cat >/etc/kubernetes/resolv.conf <<'END_OF_SERVERS'
${nameServers()}
END_OF_SERVERS
chmod 0755 /usr/local/sbin/kube-host
systemctl daemon-reload
systemctl --quiet enable --now kube-host.service
`;

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Removes a control group with the groups below it. A group with processes stays. */
function removeGroup(path: string): void {
  for (const name of foldersIn(path)) removeGroup(join(path, name));
  try {
    rmdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
  }
}

/**
 * Removes the control groups of pods whose hosts were removed. They outlive the containers of the hosts. Call it after the
 * hosts are removed.
 */
export async function removeKubeGroups(): Promise<void> {
  const containers = await new Docker().listContainers({ all: true });
  const kept = new Set(containers.map(({ Id }) => `kube-${Id.slice(0, 12)}`));
  const isLeft = (name: string) => /^kube-[0-9a-f]{12}$/.test(name) && !kept.has(name);
  // Version 1 has a folder for each controller, and version 2 has one for all.
  for (const folder of [GROUPS, ...foldersIn(GROUPS).map((name) => join(GROUPS, name))])
    for (const name of foldersIn(folder).filter(isLeft)) removeGroup(join(folder, name));
}

import type { Access } from './provider.js';

/** What a new machine is told before anybody logs in. */
export interface FirstBoot {
  hostname: string;
  access: Access;
  /** Disks to be formatted where they are blank, and mounted; `device` is a path that is there whenever the disk is. */
  mounts?: readonly { device: string; mount: string }[];
  /** What a provider's machines need besides: scripts of the shell, run once, before disks are waited for. */
  scripts?: readonly string[];
}

/** How long a disk may take to be attached, in seconds. */
const DISK_S = 300;

/**
 * The user data of a new machine, for cloud-init: it lets us in as root by key
 * alone, and bears the host key that is pinned already. Contains a private key:
 * goes to the provider and nowhere else.
 */
export function cloudInit({ hostname, access, mounts = [], scripts = [] }: FirstBoot): string {
  const commands = [...scripts, ...mounts.map(({ device, mount }) => mountScript(device, mount))];
  const config = {
    hostname,
    // Others' names are written there: they outlive a boot.
    manage_etc_hosts: 'localhost',
    disable_root: false,
    ssh_pwauth: false,
    ssh_deletekeys: true,
    ssh_genkeytypes: [],
    ssh_keys: { ed25519_private: access.hostKey.private, ed25519_public: access.hostKey.public },
    users: ['default', { name: 'root', lock_passwd: true, ssh_authorized_keys: [access.authorizedKey] }],
    ...(commands.length > 0 ? { runcmd: commands.map((script) => ['sh', '-c', script]) } : {}),
  };
  // JSON is YAML, and needs no care about quotes.
  return `#cloud-config\n${JSON.stringify(config, null, 1)}\n`;
}

/** A disk with data on it is never formatted; one that has grown has its file system grown when it is mounted. */
function mountScript(device: string, mount: string): string {
  return [
    'set -e',
    `n=0; until [ -b "${device}" ]; do n=$((n+1)); [ $n -le ${DISK_S} ]; sleep 1; done`,
    `blkid "${device}" >/dev/null || mkfs.ext4 -q "${device}"`,
    `mkdir -p "${mount}"`,
    `u=$(blkid -s UUID -o value "${device}")`,
    `grep -q "$u" /etc/fstab || echo "UUID=$u ${mount} ext4 defaults,nofail,x-systemd.growfs 0 2" >> /etc/fstab`,
    `mount "${mount}"`,
  ].join('\n');
}

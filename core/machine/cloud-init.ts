import { mountScript } from '../host/volume-mounts.js';
import type { Access } from './provider.js';

/** Data for the first boot of a new machine. */
export interface FirstBoot {
  hostname: string;
  access: Access;
  /** Disks to be formatted where they are blank, and mounted; `device` is a path that is there whenever the disk is. */
  mounts?: readonly { device: string; mount: string }[];
  /** Further shell scripts of the provider. They run once, before the wait for disks. */
  scripts?: readonly string[];
}

/**
 * Returns the user data of a new machine for cloud-init. It allows root's login only by key, and installs the host key
 * that is already pinned. It contains a private key, so only the provider may get it.
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
